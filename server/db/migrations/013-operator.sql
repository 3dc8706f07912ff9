-- Operator actions: disable and enable accounts, and import people from another system.

-- When the account was disabled: no one can sign in to it or see it. Null while it is enabled.
alter table accounts add column disabled_at timestamptz;
-- The index has few rows. Every read of photos and every mail checks them.
create index accounts_disabled on accounts (id) where disabled_at is not null;

-- When a disabled person first appeared in each list. After enabling, the person returns to the same place and causes no digest.
create table paused_listings (
  account_id uuid not null references accounts on delete cascade,
  audience text not null,
  listed_at timestamptz not null,
  primary key (account_id, audience)
);

-- Imported profiles that do not meet the current rules. Only the owner sees them, in the onboarding. Saving the profile deletes the row.
create table unfinished_profiles (
  account_id uuid primary key references accounts on delete cascade,
  -- Imported values by form field (contract/profile.ts), unchanged.
  fields jsonb not null,
  picture text
);
create index unfinished_profiles_picture on unfinished_profiles (picture);
