-- Messages between members: who accepts messages, who has blocked whom, and who wrote to whom and when. The text of a message is
-- only in the job queue until its mail has been sent.
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
