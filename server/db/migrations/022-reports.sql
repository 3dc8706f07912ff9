-- Digests of the codes in the report links of a message, one for each copy of its mail that may have arrived.
alter table messages add column report_hashes bytea[] not null default '{}';

-- What members report to the operator.
create table reports (
  id uuid primary key default gen_random_uuid(),
  -- Who is reported; null after that account was deleted.
  subject_id uuid references accounts on delete set null,
  -- The address and the name of a reported account that was deleted: its owner cannot erase the report.
  subject_email text,
  subject_name text,
  -- Who reports; null after that account was deleted.
  reporter_id uuid references accounts on delete set null,
  -- The message that is reported: it can be reported once. Null after the record of the message was deleted.
  message_id uuid unique references messages on delete set null,
  reason text not null,
  -- What the reporter wrote or pasted: messages are not stored, so there is no other copy.
  text text not null default '',
  created_at timestamptz not null default now(),
  closed_at timestamptz,
  closing_note text not null default ''
);
create index reports_subject on reports (subject_id);
create index reports_reporter on reports (reporter_id);
create index reports_open on reports (created_at) where closed_at is null;
