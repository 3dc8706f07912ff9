-- Notifications that members see on their notification page.

create table notifications (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  kind text not null check (kind in ('welcome', 'new-device', 'password-changed', 'email-changed')),
  detail text not null default '',
  created_at timestamptz not null default now(),
  read_at timestamptz
);
create index notifications_account on notifications (account_id, created_at desc);
-- Counts unread notifications at every session look-up.
create index notifications_unread on notifications (account_id) where read_at is null;
