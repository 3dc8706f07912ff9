-- Knowing a matric number and a birth date confirms no one. Staff see which claims agree completely with one entry, and decide.
alter table claims
  -- The only entry with the claimed matric number, birth date, names, department and year, if no account held it when the claim was compared.
  add column agreeing_entry bigint references roster_entries on delete set null,
  -- Time at which the address of that entry was asked whether this is the same person.
  add column entry_told_at timestamptz,
  -- Time at which the person behind that address objected, and what they wrote.
  add column objected_at timestamptz,
  add column objection text not null default '';
create index claims_agreeing_entry on claims (agreeing_entry) where agreeing_entry is not null;

-- The queue: claims that agree first, then the oldest.
drop index claims_waiting;
create index claims_waiting on claims ((agreeing_entry is null), created_at, id) where state = 'waiting';

-- Only the rule that knowledge confirms needed it.
drop index profiles_matric_key;
delete from throttles where key like 'firstClaimsByMatricNumber:%';

-- Every claim as it was sent, and every request for a mailed code, so that staff see what was tried. Not updated.
create table claim_attempts (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  kind text not null check (kind in ('claim', 'mailed-code')),
  -- As in `claims`.
  typed jsonb not null,
  created_at timestamptz not null default now()
);
create index claim_attempts_account on claim_attempts (account_id, created_at);
insert into claim_attempts (account_id, kind, typed, created_at)
select account_id, 'claim', typed, updated_at from claims where not coalesce((typed ->> 'isFromProfile')::boolean, false);
