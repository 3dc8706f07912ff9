-- Digests of the codes in the report links of a message, one per copy of its mail that may have arrived.
alter table messages add column report_hashes bytea[] not null default '{}';

-- Reports of members to the operator.
create table reports (
  id uuid primary key default gen_random_uuid(),
  -- The reported account; null after it was deleted.
  subject_id uuid references accounts on delete set null,
  -- Address and name of a deleted reported account: deleting the account must not erase the report.
  subject_email text,
  subject_name text,
  -- The reporting account; null after it was deleted.
  reporter_id uuid references accounts on delete set null,
  -- The reported message, which can be reported once. Null after its record was deleted.
  message_id uuid unique references messages on delete set null,
  reason text not null,
  -- Text that the reporter wrote or pasted. Messages are not stored, so this is the only copy.
  text text not null default '',
  created_at timestamptz not null default now(),
  closed_at timestamptz,
  closing_note text not null default ''
);
create index reports_subject on reports (subject_id);
create index reports_reporter on reports (reporter_id);
create index reports_open on reports (created_at) where closed_at is null;
