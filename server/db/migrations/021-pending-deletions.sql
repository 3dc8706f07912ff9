-- When the owner of an account has asked for its deletion while an old address is held: the moment at which the last hold
-- ends. Until then the account is hidden and can be restored from an old mailbox; after that it is deleted.
alter table accounts add column deletes_at timestamptz;

-- False while the operator has disabled the account, and while its deletion is pending: nobody signs in or sees the person.
alter table accounts add column is_active boolean not null
  generated always as (disabled_at is null and deletes_at is null) stored;

-- Few rows: every page of photos reads them.
drop index accounts_disabled;
create index accounts_inactive on accounts (id) where not is_active;

-- Since when an address is held. Of two holds of an account, the older one belongs to the owner before: a pending deletion
-- extends every hold to the same end, so that `until` no longer tells which is older.
alter table held_addresses add column since timestamptz not null default now();
update held_addresses set since = until - interval '30 days';
