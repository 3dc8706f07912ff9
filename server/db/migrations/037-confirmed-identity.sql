-- Who a confirmation is about. An account has one that has not ended while it is confirmed or disputed.
create table confirmed_identities (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  -- Null: confirmed before identities were recorded.
  evidence_id uuid references evidence on delete set null,
  -- Null if the confirmation refers to no entry.
  entry_id bigint references roster_entries on delete set null,
  first_name text not null,
  last_name text not null,
  department text not null,
  year_graduated smallint not null,
  matric_number text not null,
  -- Peer vouches: what each voucher saw, as a list of firstName, lastName, department and yearGraduated. Never who vouched.
  seen jsonb not null default '[]',
  confirmed_at timestamptz not null default now(),
  -- Time of the withdrawal, or of the confirmation or accepted change that replaced it.
  ended_at timestamptz
);
create unique index confirmed_identities_current on confirmed_identities (account_id) where ended_at is null;
create index confirmed_identities_account on confirmed_identities (account_id, confirmed_at);
create index confirmed_identities_evidence on confirmed_identities (evidence_id) where evidence_id is not null;
create index confirmed_identities_entry on confirmed_identities (entry_id) where entry_id is not null;

insert into confirmed_identities (account_id, entry_id, first_name, last_name, department, year_graduated, matric_number, confirmed_at)
select a.id, l.entry_id, p.first_name, p.last_name, p.department, p.year_graduated, p.matric_number, coalesce(a.confirmed_at, now())
from accounts a join profiles p on p.account_id = a.id left join roster_links l on l.account_id = a.id
where a.membership_status in ('confirmed', 'disputed');
