-- Staff: roles, the audit log, actions that a second person approves, disclosures of hidden details, and exports.

create table staff_roles (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  role text not null check (role in ('owner', 'registrar', 'moderator', 'class-representative')),
  -- What the role is limited to. Null: not limited.
  college text,
  department text,
  year_from smallint,
  year_to smallint,
  -- Null: the operator, by a command.
  granted_by uuid references accounts on delete set null,
  granted_at timestamptz not null default now(),
  ends_at timestamptz,
  -- Time of the mail before the end of the role.
  end_notice_at timestamptz,
  constraint staff_roles_scope check (case role
    when 'class-representative' then college is null and num_nulls(department, year_from, year_to) = 0 and year_from <= year_to
    when 'owner' then num_nonnulls(college, department, year_from, year_to) = 0
    else num_nonnulls(department, year_from, year_to) = 0
  end)
);
create unique index staff_roles_once on staff_roles (
  account_id, role, coalesce(college, ''), coalesce(department, ''), coalesce(year_from, 0), coalesce(year_to, 0)
);
create index staff_roles_granted_by on staff_roles (granted_by) where granted_by is not null;

-- Every act of staff: who did what to which account or item. Records have ids, codes and numbers, but never a name, so
-- they stay when an account is deleted. Each hash includes the previous one, so a changed or removed record shows,
-- except at the end of the log.
create table audit_records (
  -- 1, 2, 3, … without gaps.
  id bigint primary key,
  recorded_at timestamptz not null,
  -- Account of the staff member. Null: the operator, by a command, or a job. No foreign keys, because records stay.
  actor uuid,
  action text not null,
  subject_kind text,
  subject text,
  details jsonb not null,
  hash bytea not null
);
create index audit_records_actor on audit_records (actor, id);
create index audit_records_subject on audit_records (subject, id);

-- The hash of a record: SHA-256 of the previous hash and of all other columns as a JSON array.
create function hash_audit_record(previous bytea, record audit_records) returns bytea language sql stable
  return sha256(previous || convert_to(jsonb_build_array(
    record.id, extract(epoch from record.recorded_at)::text, record.actor, record.action, record.subject_kind, record.subject, record.details
  )::text, 'utf8'));

-- Appends a record. Concurrent callers wait for each other, so that each record follows a committed one.
create function append_audit_record(actor uuid, action text, subject_kind text, subject text, details jsonb) returns bigint
language plpgsql as $$
declare
  last audit_records;
  added audit_records;
begin
  perform pg_advisory_xact_lock(hashtext('audit_records'));
  select * into last from audit_records order by id desc limit 1;
  added := row(coalesce(last.id, 0) + 1, clock_timestamp(), actor, action, subject_kind, subject, details, null)::audit_records;
  added.hash := hash_audit_record(coalesce(last.hash, ''), added);
  insert into audit_records select added.*;
  return added.id;
end $$;

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  -- A restore empties the tables before it fills them.
  if tg_op <> 'TRUNCATE' or exists (select from audit_records) then
    raise exception 'Records of the audit log cannot be changed or deleted.';
  end if;
  return null;
end $$;
create trigger audit_records_rows before update or delete on audit_records for each row execute function refuse_audit_change();
create trigger audit_records_table before truncate on audit_records for each statement execute function refuse_audit_change();

-- Acts that need a second person.
create table approvals (
  id uuid primary key default gen_random_uuid(),
  kind text not null,
  -- What the act needs, for its handler.
  payload jsonb not null,
  -- How many people it concerns.
  people integer not null,
  state text not null default 'waiting' check (state in ('waiting', 'approved', 'refused', 'cancelled', 'done', 'failed')),
  -- Null: the account was deleted.
  requested_by uuid references accounts on delete set null,
  requested_at timestamptz not null default now(),
  -- Without a second owner: the time at which the act is done unless it is cancelled.
  runs_at timestamptz,
  -- Null with a `decided_at`: the operator, by a command, or time.
  decided_by uuid references accounts on delete set null,
  decided_at timestamptz,
  -- Why the act failed, as text for staff.
  failure text not null default ''
);
create index approvals_waiting on approvals (requested_at) where state = 'waiting';
create index approvals_requested_by on approvals (requested_by) where requested_by is not null;
create index approvals_decided_by on approvals (decided_by) where decided_by is not null;

-- Looks of staff at details that a person hides. The person reads them in the settings and in their data.
create table disclosures (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  -- Who saw the details. Null: their account was deleted.
  staff_id uuid references accounts on delete set null,
  -- A code of contract/staff/people.ts.
  reason text not null,
  -- What staff wrote for the reason `other`. The person reads it.
  text text not null default '',
  disclosed_at timestamptz not null default now(),
  -- Until when the details are shown to this member of staff.
  until timestamptz not null
);
create index disclosures_account on disclosures (account_id, disclosed_at);
create index disclosures_staff on disclosures (staff_id) where staff_id is not null;

-- Exports of people as CSV. The file is in the data folder while the state is `ready`.
create table people_exports (
  id uuid primary key default gen_random_uuid(),
  -- Who requested it, and may download it. Null: their account was deleted.
  account_id uuid references accounts on delete set null,
  -- Emptied when the file is made, because it can contain a name.
  filter jsonb not null,
  columns text[] not null,
  -- Number of people when it was requested, then in the file.
  people integer not null,
  -- Null: it needed no approval.
  approval_id uuid references approvals on delete set null,
  state text not null check (state in ('waiting', 'making', 'ready', 'failed', 'expired')),
  -- Why it failed, as text for staff.
  failure text not null default '',
  requested_at timestamptz not null default now(),
  made_at timestamptz,
  -- When the file is deleted.
  expires_at timestamptz
);
create index people_exports_account on people_exports (account_id, requested_at);
create index people_exports_approval on people_exports (approval_id) where approval_id is not null;
create index people_exports_ready on people_exports (expires_at) where state = 'ready';

-- In how many exports a person was, for their data.
create table export_counts (
  account_id uuid primary key references accounts on delete cascade,
  exports integer not null,
  last_at timestamptz not null
);
