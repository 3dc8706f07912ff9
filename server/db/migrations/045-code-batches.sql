-- Printed sheets of codes: who printed how many, and for which part of the roster.
create table code_batches (
  id integer generated always as identity primary key,
  -- Null: the operator, or an account that was deleted.
  printed_by uuid references accounts on delete set null,
  department text,
  year_graduated integer,
  codes integer not null,
  -- The approval that allowed the batch, if it needed one. An approval allows one batch.
  approval_id uuid unique references approvals on delete set null,
  printed_at timestamptz not null default now()
);
create index code_batches_printed_by on code_batches (printed_by, printed_at) where printed_by is not null;

-- Null: a mailed code, a notice, or a code printed by an earlier version.
alter table membership_codes add column batch_id integer references code_batches;
create index membership_codes_batch on membership_codes (batch_id) where batch_id is not null;
