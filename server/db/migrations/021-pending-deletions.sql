-- Time of a pending deletion, when the last reserved address expires. Until then the account is hidden and can be
-- restored from an old mailbox.
alter table accounts add column deletes_at timestamptz;

-- False while the account is disabled or its deletion is pending: no one can sign in to it or see the person.
alter table accounts add column is_active boolean not null
  generated always as (disabled_at is null and deletes_at is null) stored;

-- The index has few rows. Every page of photos reads them.
drop index accounts_disabled;
create index accounts_inactive on accounts (id) where not is_active;

-- Time since which an address is reserved. A pending deletion extends all reserved addresses of an account to the same time, so `until` no longer
-- shows which one is older.
alter table held_addresses add column since timestamptz not null default now();
update held_addresses set since = until - interval '30 days';
