-- What an operator does to accounts: switch them off and on again, and bring people over from another system.

-- Since when nobody can sign in to it and nobody sees it; null while it is on.
alter table accounts add column disabled_at timestamptz;
-- They are few, and whoever reads photos or sends mails asks for them.
create index accounts_disabled on accounts (id) where disabled_at is not null;

-- Since when somebody who is switched off had been in each list: they come back to their place, and are no news there.
create table paused_listings (
  account_id uuid not null references accounts on delete cascade,
  audience text not null,
  listed_at timestamptz not null,
  primary key (account_id, audience)
);

-- Profiles that were brought over and do not meet today's rules: nobody sees them but their owner, in the onboarding, and
-- they go when the profile is saved.
create table unfinished_profiles (
  account_id uuid primary key references accounts on delete cascade,
  -- Fields of the form by their names (contract/profile.ts), as they came.
  fields jsonb not null,
  picture text
);
create index unfinished_profiles_picture on unfinished_profiles (picture);
