-- The keys of rate limits are HMACs from now on: what was counted under plain digests is of no use any more.
truncate throttles;

-- When an account is deleted unless its address has been verified; null for accounts that are never deleted for that.
alter table accounts add column verify_by timestamptz;
create index accounts_verify_by on accounts (verify_by) where not email_verified;

-- Accounts that people made here. Those that were brought over from elsewhere have not accepted our terms, and wait for their owners.
update accounts set verify_by = now() + interval '7 days'
where not email_verified and terms_accepted_at is not null
  and not exists (select from profiles where account_id = accounts.id)
  and not exists (select from unfinished_profiles where account_id = accounts.id);
