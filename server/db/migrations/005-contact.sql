-- Notifications, department digests, and messages between members.

create table notifications (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  -- The contract lists the kinds (contract/notifications.ts).
  kind text not null,
  detail text not null default '',
  -- Number of people or photos in a digest.
  count integer not null default 1,
  created_at timestamptz not null default now(),
  read_at timestamptz
);
-- Counts unread notifications at every session look-up.
create index notifications_unread on notifications (account_id) where read_at is null;
-- For the notification list: unread first, then newest first.
create index notifications_list on notifications (account_id, (read_at is null) desc, created_at desc, id desc);
-- An unread digest is updated instead of adding another one.
create unique index notifications_gathered on notifications (account_id, kind, detail)
  where read_at is null and kind in ('joined', 'photos-added');

-- Pending digests of departments, and since when. The job that sends a digest deletes its row.
create table department_news (
  department text not null,
  kind text not null check (kind in ('joined', 'photos-added')),
  since timestamptz not null default now(),
  primary key (department, kind)
);

-- Notifies every server process (LISTEN) whose notifications have changed. The process then reads them.
create function tell_news() returns trigger language plpgsql as $$
begin
  perform pg_notify('news', account_id::text) from (select distinct account_id from changed) as accounts;
  return null;
end
$$;

create trigger tell_inserted_news after insert on notifications
  referencing new table as changed for each statement execute function tell_news();
create trigger tell_updated_news after update on notifications
  referencing new table as changed for each statement execute function tell_news();
create trigger tell_deleted_news after delete on notifications
  referencing old table as changed for each statement execute function tell_news();
-- Notifies the server processes of ended sessions, so that they close their event streams.
create trigger tell_ended_sessions after delete on sessions
  referencing old table as changed for each statement execute function tell_news();

create table blocks (
  account_id uuid not null references accounts on delete cascade,
  blocked_id uuid not null references accounts on delete cascade,
  created_at timestamptz not null default now(),
  primary key (account_id, blocked_id),
  check (account_id <> blocked_id)
);
create index blocks_blocked on blocks (blocked_id);

-- Who wrote to whom and when. The text of a message is only in the job queue until its mail has been sent.
create table messages (
  id uuid primary key default gen_random_uuid(),
  sender_id uuid not null references accounts on delete cascade,
  recipient_id uuid not null references accounts on delete cascade,
  sent_at timestamptz not null default now(),
  -- Digests of the codes in the report links of a message, one per copy of its mail that may have arrived.
  report_hashes bytea[] not null default '{}'
);
create index messages_sender on messages (sender_id);
create index messages_recipient on messages (recipient_id, sender_id);
create index messages_sent on messages (sent_at);
