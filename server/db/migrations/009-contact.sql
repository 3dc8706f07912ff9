-- Members write to each other through the site. Who takes messages, who has been blocked by whom, and who wrote to whom and
-- when. What they wrote is nowhere but in the queue, until its mail has gone out.
alter table accounts add column takes_messages boolean not null default true;

create table blocks (
  account_id uuid not null references accounts on delete cascade,
  blocked_id uuid not null references accounts on delete cascade,
  created_at timestamptz not null default now(),
  primary key (account_id, blocked_id),
  check (account_id <> blocked_id)
);
create index blocks_blocked on blocks (blocked_id);

create table messages (
  id uuid primary key default gen_random_uuid(),
  sender_id uuid not null references accounts on delete cascade,
  recipient_id uuid not null references accounts on delete cascade,
  sent_at timestamptz not null default now()
);
create index messages_sender on messages (sender_id);
create index messages_recipient on messages (recipient_id, sender_id);
create index messages_sent on messages (sent_at);
