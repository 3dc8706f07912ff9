-- Decided items of the review queue stay as they were decided. To reopen one opens another item with the same content.
create table review_reopenings (
  kind text not null,
  item_id uuid not null,
  reopened_as uuid not null,
  primary key (kind, item_id)
);
create unique index review_reopenings_as on review_reopenings (kind, reopened_as);

create or replace function forget_review_item() returns trigger language plpgsql as $$
begin
  delete from review_holds where kind = tg_argv[0] and item_id = old.id;
  delete from review_notes where kind = tg_argv[0] and item_id = old.id;
  delete from review_decisions where kind = tg_argv[0] and item_id = old.id;
  delete from review_reopenings where kind = tg_argv[0] and old.id in (item_id, reopened_as);
  return null;
end $$;

-- The decided items, the latest first.
create index claims_decided on claims (decided_at, id) where state <> 'waiting';
create index disputes_decided on disputes (closed_at, id) where closed_at is not null;
create index identity_changes_decided on identity_changes (closed_at, id) where closed_at is not null;
create index corrections_decided on corrections (closed_at, id) where closed_at is not null;
create index reports_decided on reports (closed_at, id) where closed_at is not null and is_confirmed and item_id is null;

-- A message has one open report. A closed one stays when the message is reported again.
alter table reports drop constraint reports_message_id_key;
create unique index reports_open_message on reports (message_id) where closed_at is null;
create index reports_message on reports (message_id) where message_id is not null;

-- Impostor marks that staff have cleared, for the history of the account.
create table cleared_impostors (
  account_id uuid not null references accounts on delete cascade,
  -- Since when the account was marked, and who decided. Null: the operator, or a deleted account.
  since timestamptz not null,
  decided_by uuid references accounts on delete set null,
  cleared_at timestamptz not null default now(),
  cleared_by uuid references accounts on delete set null,
  reason text not null,
  primary key (account_id, cleared_at)
);
create index cleared_impostors_decided_by on cleared_impostors (decided_by) where decided_by is not null;
create index cleared_impostors_cleared_by on cleared_impostors (cleared_by) where cleared_by is not null;
