-- The review queue of staff. Its items are the rows of other tables (claims, disputes, reports, corrections, identity
-- changes), named by kind and id.

-- What staff who know a class say is wrong about an entry of the roster. A registrar decides.
create table corrections (
  id uuid primary key default gen_random_uuid(),
  entry_id bigint not null references roster_entries on delete cascade,
  reason text not null check (reason in ('deceased', 'wrong-class', 'wrong-name', 'other')),
  -- The class of the entry when the correction was proposed, for the scope of those who decide. Null: unknown.
  college text,
  scope_department text,
  scope_year smallint,
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
create index corrections_decided on corrections (closed_at, id) where closed_at is not null;
create index corrections_entry on corrections (entry_id);
create index corrections_proposed_by on corrections (proposed_by);

-- Who has opened an item. An expired lease counts as none.
create table review_leases (
  kind text not null,
  item_id uuid not null,
  account_id uuid not null references accounts on delete cascade,
  expires_at timestamptz not null,
  primary key (kind, item_id)
);
create index review_leases_account on review_leases (account_id);

create table review_notes (
  id uuid primary key default gen_random_uuid(),
  kind text not null,
  item_id uuid not null,
  author_id uuid not null references accounts on delete cascade,
  -- The person whom the item is about. Null: unknown, or has no account.
  about uuid references accounts on delete cascade,
  text text not null,
  created_at timestamptz not null default now()
);
create index review_notes_item on review_notes (kind, item_id, created_at);
create index review_notes_author on review_notes (author_id);
create index review_notes_about on review_notes (about) where about is not null;

-- Decisions that a job carries out, and the last one of an open item that could not be carried out.
create table review_decisions (
  id uuid primary key default gen_random_uuid(),
  kind text not null,
  item_id uuid not null,
  about uuid references accounts on delete cascade,
  decision jsonb not null,
  -- The version of the item that staff saw.
  version text not null,
  decided_by uuid not null references accounts on delete cascade,
  decided_at timestamptz not null default now(),
  -- Until then it can be undone.
  undo_until timestamptz not null,
  -- Why it could not be carried out, as text for staff. Null: not carried out yet.
  failure text,
  unique (kind, item_id)
);
create index review_decisions_about on review_decisions (about) where about is not null;
create index review_decisions_decided_by on review_decisions (decided_by);

-- Decided items stay as they were decided. To reopen one opens another item with the same content.
create table review_reopenings (
  kind text not null,
  item_id uuid not null,
  reopened_as uuid not null,
  primary key (kind, item_id)
);
create unique index review_reopenings_as on review_reopenings (kind, reopened_as);

-- Forgets what staff have stored about an item that is deleted. The argument of the trigger is the kind of item.
create function forget_review_item() returns trigger language plpgsql as $$
begin
  delete from review_leases where kind = tg_argv[0] and item_id = old.id;
  delete from review_notes where kind = tg_argv[0] and item_id = old.id;
  delete from review_decisions where kind = tg_argv[0] and item_id = old.id;
  delete from review_reopenings where kind = tg_argv[0] and old.id in (item_id, reopened_as);
  return null;
end $$;
create trigger claims_review after delete on claims for each row execute function forget_review_item('claim');
create trigger disputes_review after delete on disputes for each row execute function forget_review_item('dispute');
create trigger reports_review after delete on reports for each row execute function forget_review_item('report');
create trigger corrections_review after delete on corrections for each row execute function forget_review_item('correction');
create trigger identity_changes_review after delete on identity_changes for each row execute function forget_review_item('change');
