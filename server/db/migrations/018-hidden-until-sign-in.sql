-- Profiles that are hidden until their owner signs in, and the mails that announce this.

alter table accounts
  -- Day on which the account was last used. Unlike sessions, this date does not expire.
  add column last_seen_at timestamptz not null default now(),
  -- Reason why the profile is hidden until the next sign-in: imported, or unused for a long time. Null when it is not hidden.
  add column hidden_until_sign_in text check (hidden_until_sign_in in ('imported', 'unused'));

update accounts as a set last_seen_at = greatest(
  a.created_at,
  (select max(seen_at) from sessions where account_id = a.id),
  (select max(seen_at) from known_devices where account_id = a.id));

create index accounts_last_seen on accounts (last_seen_at);
create index accounts_hidden_until_sign_in on accounts (id) where hidden_until_sign_in is not null;

-- Mails to many people: at most one of each kind per account, queued in batches. A sign-in deletes the rows of an account.
create table notice_mails (
  account_id uuid not null references accounts on delete cascade,
  kind text not null check (kind in ('imported', 'unused-first', 'unused-last')),
  wanted_at timestamptz not null default now(),
  queued_at timestamptz,
  primary key (account_id, kind)
);
create index notice_mails_wanted on notice_mails (wanted_at) where queued_at is null;
