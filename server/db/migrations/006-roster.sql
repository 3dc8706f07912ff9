-- The registrar's list of students and graduates. Only `server/domain/roster/` reads and writes the tables `roster_…`.

create table roster_entries (
  id bigint generated always as identity primary key,
  -- The matric number in NFKC and upper case, letters and digits only.
  matric_key text not null unique,
  matric_number text not null,
  last_name text not null,
  first_name text not null,
  other_names text not null default '',
  gender text,
  birth_date date,
  college text,
  department text,
  program text,
  year_admitted smallint,
  year_graduated smallint,
  -- In canonical form (contract/fields.ts).
  email text,
  phone text,
  status text not null default 'graduate' check (status in ('student', 'graduate', 'left')),
  -- The registrar's confidentiality flag: never suggested to anyone.
  is_confidential boolean not null default false,
  -- Some registrars know only that a person has died, not when.
  is_deceased boolean not null default false,
  died_on date,
  -- Folded words of all names, and how they sound (server/domain/roster/name-words.ts).
  words text[] not null,
  first_import integer not null,
  last_import integer not null,
  -- The import in which the entry was missing for the first time.
  gone_since integer,
  -- Time at which a person who was confirmed as this entry deleted their account: neither missing nor to be invited.
  -- Null while linked.
  member_left_at timestamptz,
  -- Time at which two people claimed the entry, or its mailbox reported the account that has it. Kept when these
  -- accounts are deleted.
  contested_at timestamptz,
  -- Time of the person's objection. All other columns except `matric_key` (then its SHA-256) are emptied.
  suppressed_at timestamptz
);
create index roster_entries_birth_date on roster_entries (birth_date);
create index roster_entries_words on roster_entries using gin (words) with (fastupdate = off);
create index roster_entries_class on roster_entries (department, year_graduated);
create index roster_entries_email on roster_entries (email) where email is not null;

-- Imports of the registrar's list. At most one is open, and only the last applied one can be undone.
create table roster_imports (
  id integer generated always as identity primary key,
  file_name text not null,
  -- SHA-256 of the file. The file itself is in the data folder until the import is applied or cancelled.
  file_digest bytea not null,
  state text not null default 'uploaded' check (state in ('uploaded', 'checked', 'applied', 'undone', 'cancelled')),
  -- How the file is read, which columns erase values, and whether the file has only some of the people.
  options jsonb not null default '{}',
  -- What the file contains: columns, samples, warnings. Null when the import is closed, because samples are personal
  -- data.
  detected jsonb,
  -- Numbers of the check, then of the import.
  counts jsonb,
  -- Numbers of the undo.
  undo_counts jsonb,
  -- What staff must confirm: a list of kind, count and message.
  warnings jsonb not null default '[]',
  -- The step that a job does now, its progress in percent, and why the last step failed.
  step text check (step in ('detect', 'check', 'apply', 'undo')),
  progress smallint not null default 0,
  failure text not null default '',
  -- Who imports. Null: the operator, by a command.
  account_id uuid references accounts on delete set null,
  created_at timestamptz not null default now(),
  checked_at timestamptz,
  applied_at timestamptz,
  undone_at timestamptz
);
create unique index roster_imports_open on roster_imports ((true)) where state in ('uploaded', 'checked');
create index roster_imports_account on roster_imports (account_id);

-- Values of the changed entries before the last applied import.
create table roster_changes (
  import_id integer not null references roster_imports on delete cascade,
  entry_id bigint not null,
  before jsonb not null,
  primary key (import_id, entry_id)
);

-- The rows of the open import, and what is wrong with them. Not in backups: a check fills them again.
create unlogged table roster_staging (
  line integer not null,
  matric_key text not null,
  matric_number text not null,
  last_name text,
  first_name text,
  other_names text,
  gender text,
  birth_date date,
  college text,
  department text,
  program text,
  year_admitted smallint,
  year_graduated smallint,
  email text,
  phone text,
  status text,
  is_confidential boolean,
  is_deceased boolean,
  died_on date,
  words text[] not null,
  -- Another row has the same matric number, so none of them is imported.
  is_duplicate boolean not null default false
);
create unlogged table roster_row_errors (
  line integer not null,
  column_name text,
  value text not null,
  reason text not null,
  is_row_skipped boolean not null
);

-- Spellings of departments in files (folded), and how files with the same headers were read.
create table roster_aliases (alias text primary key, department text not null);
create table roster_mappings (
  headers_digest bytea primary key,
  options jsonb not null,
  used_at timestamptz not null default now()
);

-- How many entries have a value: words of names, departments, years, birth dates. Counted at night
-- (server/domain/roster/frequencies.ts).
create table roster_frequencies (
  kind text not null,
  value text not null,
  entries integer not null,
  primary key (kind, value)
);

-- Which confirmed account is which entry. Each entry and each account occurs at most once.
create table roster_links (
  entry_id bigint primary key references roster_entries on delete restrict,
  account_id uuid not null unique references accounts on delete cascade,
  linked_at timestamptz not null default now()
);

-- Entries and confirmed people per department and year. A view, because a count takes 0.2 s with 500,000 entries and is
-- never out of date.
create view roster_counts as
  select coalesce(department, '') as department, coalesce(year_graduated, 0) as year_graduated,
    count(*)::int as entries, count(l.entry_id)::int as claimed
  from roster_entries e left join roster_links l on l.entry_id = e.id
  where e.gone_since is null and e.suppressed_at is null
  group by 1, 2;
