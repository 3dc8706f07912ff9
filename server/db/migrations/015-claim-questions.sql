-- Questions of staff to the person behind a pending claim, and the answers.

create table claim_questions (
  id uuid primary key default gen_random_uuid(),
  claim_id uuid not null references claims on delete cascade,
  text text not null,
  asked_at timestamptz not null default now(),
  answer text not null default '',
  answered_at timestamptz
);
create index claim_questions_claim on claim_questions (claim_id, asked_at);
create unique index claim_questions_open on claim_questions (claim_id) where answered_at is null;

-- The photo or PDF of the last answer, until staff have opened it. Unlogged, so that no backup and no archived
-- write-ahead log contains it. Without a foreign key for the same reason: a restore empties the claims.
create unlogged table claim_documents (
  claim_id uuid primary key,
  type text not null check (type in ('webp', 'pdf')),
  content bytea not null,
  uploaded_at timestamptz not null default now()
);

create function forget_claim_document() returns trigger language plpgsql as $$
begin
  delete from claim_documents where claim_id = old.id;
  return null;
end $$;
create trigger claims_document after delete or update of state on claims
for each row execute function forget_claim_document();
