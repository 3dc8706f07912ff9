-- What staff who know a class say is wrong about an entry of the roster. A registrar decides.
create table corrections (
  id uuid primary key default gen_random_uuid(),
  entry_id bigint not null references roster_entries on delete cascade,
  reason text not null check (reason in ('deceased', 'wrong-class', 'wrong-name', 'other')),
  -- The code of the college of the entry, for the scope of those who decide. Null: unknown.
  college text,
  -- Proposed values. Null: not proposed.
  last_name text,
  first_name text,
  other_names text,
  department text,
  year_graduated smallint,
  text text not null,
  proposed_by uuid not null references accounts on delete cascade,
  created_at timestamptz not null default now(),
  closed_at timestamptz,
  outcome text check (outcome in ('accept', 'refuse')),
  -- What the proposer reads.
  answer text not null default '',
  check ((closed_at is null) = (outcome is null))
);
create unique index corrections_open on corrections (entry_id, reason) where closed_at is null;
create index corrections_waiting on corrections (created_at, id) where closed_at is null;
create index corrections_entry on corrections (entry_id);
create index corrections_proposed_by on corrections (proposed_by);
create trigger corrections_review after delete on corrections for each row execute function forget_review_item('correction');
