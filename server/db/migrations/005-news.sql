-- News of a department, gathered; choices; and a bell that rings at once.

alter table notifications
  drop constraint notifications_kind_check,
  add constraint notifications_kind_check check (kind in (
    'welcome', 'email-verified', 'new-device', 'password-changed', 'email-changed', 'joined', 'photos-added'
  )),
  -- How many people or photos stand in a gathered one.
  add column count integer not null default 1;

-- What is unread is added to, not told again.
create unique index notifications_gathered on notifications (account_id, kind, detail)
  where read_at is null and kind in ('joined', 'photos-added');

-- The list: unread first, the newest first.
create index notifications_list on notifications (account_id, (read_at is null) desc, created_at desc, id desc);
drop index notifications_account;

-- The optional kinds that somebody does not want to be told of.
alter table accounts add column muted_kinds text[] not null default '{}';

-- There is something to tell of a department, and since when: until a job has told it, then the row is gone.
create table department_news (
  department text not null,
  kind text not null check (kind in ('joined', 'photos-added')),
  since timestamptz not null default now(),
  primary key (department, kind)
);

-- Every server process hears whose notifications have changed (LISTEN), and asks for the rest itself.
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
-- Whoever listens with a session that has ended is let go.
create trigger tell_ended_sessions after delete on sessions
  referencing old table as changed for each statement execute function tell_news();
create trigger tell_deleted_news after delete on notifications
  referencing old table as changed for each statement execute function tell_news();
