-- The review queue of staff. Its items are the rows of other tables (claims, disputes, reports, corrections), named by kind and id.

-- Who has opened an item. An expired hold counts as none.
create table review_holds (
  kind text not null,
  item_id uuid not null,
  account_id uuid not null references accounts on delete cascade,
  expires_at timestamptz not null,
  primary key (kind, item_id)
);
create index review_holds_account on review_holds (account_id);

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

-- Forgets what staff have stored about an item that is deleted. The argument of the trigger is the kind of item.
create function forget_review_item() returns trigger language plpgsql as $$
begin
  delete from review_holds where kind = tg_argv[0] and item_id = old.id;
  delete from review_notes where kind = tg_argv[0] and item_id = old.id;
  delete from review_decisions where kind = tg_argv[0] and item_id = old.id;
  return null;
end $$;
create trigger claims_review after delete on claims for each row execute function forget_review_item('claim');
create trigger disputes_review after delete on disputes for each row execute function forget_review_item('dispute');
create trigger reports_review after delete on reports for each row execute function forget_review_item('report');

-- The queue, oldest first.
drop index claims_waiting;
create index claims_waiting on claims (created_at, id) where state = 'waiting';
drop index disputes_open;
create index disputes_open on disputes (created_at, id) where closed_at is null;
-- Claims of accounts in an open dispute wait for the dispute.
create index disputes_open_claimant on disputes (claimant_id) where closed_at is null;
-- One item of the queue is all reports about the same thing.
create index reports_waiting on reports (created_at, id) where closed_at is null and is_confirmed and item_id is null;
