-- The keys of rate limits are HMACs from this version on, so the counts under plain digests are deleted.
truncate throttles;

-- When an account is deleted if its address is still unverified; null for accounts that are never deleted for this reason.
alter table accounts add column verify_by timestamptz;
create index accounts_verify_by on accounts (verify_by) where not email_verified;

-- Accounts of people who signed up. Imported accounts have not accepted the terms and wait for their owners.
update accounts set verify_by = now() + interval '7 days'
where not email_verified and terms_accepted_at is not null
  and not exists (select from profiles where account_id = accounts.id)
  and not exists (select from unfinished_profiles where account_id = accounts.id);
