alter table accounts
  -- Since when staff say that this account posed as someone else, and who decided (null: the operator, by a command, or a deleted account).
  -- Only staff clear it. Until then, nothing confirms the account automatically.
  add column impostor_since timestamptz,
  add column impostor_decided_by uuid references accounts on delete set null;
create index accounts_impostor_decided_by on accounts (impostor_decided_by) where impostor_decided_by is not null;

-- Impostors of earlier versions, as the audit log names them.
update accounts a set impostor_since = r.recorded_at, impostor_decided_by = (select id from accounts where id = r.actor)
from (
  select distinct on (account_id) account_id, recorded_at, actor from (
    select coalesce(c.account_id, (case when subject_kind = 'account' then subject end)::uuid) as account_id, recorded_at, actor
    from audit_records left join claims c on subject_kind = 'claim' and c.id::text = subject
    where action in ('claim-rejected', 'confirmation-withdrawn') and (details ->> 'isImpostor')::boolean) as named
  where account_id is not null order by account_id, recorded_at desc) as r
where a.id = r.account_id;

-- Names, classes and matric numbers that confirmed members have saved and that disagree with their confirmation. Staff decide; until then,
-- the profile keeps the confirmed values.
create table identity_changes (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  -- Wanted values. Null: not changed.
  first_name text,
  last_name text,
  matric_number text,
  college text,
  department text,
  year_admitted smallint,
  year_graduated smallint,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  closed_at timestamptz,
  -- accept and refuse: by staff. agreed: the roster entry says the same now. ended: the account is no longer confirmed.
  outcome text check (outcome in ('accept', 'refuse', 'agreed', 'ended')),
  -- What the member reads.
  answer text not null default '',
  check ((closed_at is null) = (outcome is null))
);
create unique index identity_changes_open on identity_changes (account_id) where closed_at is null;
create index identity_changes_waiting on identity_changes (created_at, id) where closed_at is null;
create index identity_changes_account on identity_changes (account_id, created_at);
create trigger identity_changes_review after delete on identity_changes for each row execute function forget_review_item('change');
