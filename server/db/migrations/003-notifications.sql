-- What a person is told in the product itself.

create table notifications (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  kind text not null check (kind in ('welcome', 'new-device', 'password-changed', 'email-changed')),
  detail text not null default '',
  created_at timestamptz not null default now(),
  read_at timestamptz
);
create index notifications_account on notifications (account_id, created_at desc);
-- Asked with every look-up of a session.
create index notifications_unread on notifications (account_id) where read_at is null;
