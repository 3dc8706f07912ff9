-- Department digests, notification settings, and immediate updates of the notification count.

alter table notifications
  drop constraint notifications_kind_check,
  add constraint notifications_kind_check check (kind in (
    'welcome', 'email-verified', 'new-device', 'password-changed', 'email-changed', 'joined', 'photos-added'
  )),
  -- Number of people or photos in a digest.
  add column count integer not null default 1;

-- An unread digest is updated instead of adding another one.
create unique index notifications_gathered on notifications (account_id, kind, detail)
  where read_at is null and kind in ('joined', 'photos-added');

-- For the notification list: unread first, then newest first.
create index notifications_list on notifications (account_id, (read_at is null) desc, created_at desc, id desc);
drop index notifications_account;

-- Optional kinds of notifications that the member has turned off.
alter table accounts add column muted_kinds text[] not null default '{}';

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
-- Notifies the server processes of ended sessions, so that they close their event streams.
create trigger tell_ended_sessions after delete on sessions
  referencing old table as changed for each statement execute function tell_news();
create trigger tell_deleted_news after delete on notifications
  referencing old table as changed for each statement execute function tell_news();
