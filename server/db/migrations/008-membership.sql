-- Confirmed membership: whether accounts must be confirmed by the institution, and what confirms them.

-- The mode in effect, in one row. `open`: every verified account with a profile is a member. `confirmed`: only
-- confirmed accounts are.
create table membership_mode (
  is_only_row boolean primary key default true check (is_only_row),
  mode text not null default 'open' check (mode in ('open', 'confirmed')),
  changed_at timestamptz not null default now()
);
insert into membership_mode default values;

-- Requests to be linked to an entry. An account has at most one open claim.
create table claims (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  state text not null default 'waiting' check (state in ('waiting', 'confirmed', 'rejected', 'withdrawn', 'expired')),
  -- What the user typed: `TypedClaim` in server/db/schema.ts.
  typed jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  decided_at timestamptz,
  -- Who decided: automatic, operator or staff.
  decided_by text,
  -- Reason that the user reads.
  reason text not null default '',
  -- Scope: which staff decide. As for every item of the review queue, the server sets it when the item opens, so that
  -- no one chooses who decides: the class of the roster entry, else of the profile. institution.json names the college
  -- when staff read the item.
  college text,
  department text,
  year_graduated smallint,
  -- The only entry with the claimed matric number, birth date, names, department and year, if no account held it when
  -- the claim was compared. It confirms no one, because others can know these values: staff decide.
  agreeing_entry bigint references roster_entries on delete set null,
  -- Time at which the address of that entry was asked whether this is the same person.
  entry_told_at timestamptz,
  -- Time at which the person behind that address objected, and what they wrote.
  objected_at timestamptz,
  objection text not null default ''
);
create unique index claims_open on claims (account_id) where state = 'waiting';
-- The queue: claims that agree first, then the oldest.
create index claims_waiting on claims ((agreeing_entry is null), created_at, id) where state = 'waiting';
-- The decided items, the latest first.
create index claims_decided on claims (decided_at, id) where state <> 'waiting';
create index claims_account on claims (account_id);
create index claims_agreeing_entry on claims (agreeing_entry) where agreeing_entry is not null;

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

-- What supports a confirmation. Withdrawn evidence stays until the account is deleted.
create table evidence (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  -- Null if the person is on no roster.
  entry_id bigint references roster_entries on delete set null,
  kind text not null check (kind in ('printed-code', 'roster-email', 'staff-review', 'campus-sign-on', 'knowledge-match', 'peer-vouch')),
  assurance text not null check (assurance in ('strong', 'moderate')),
  -- How: for example which document was seen. Never a value of the roster entry.
  detail text not null default '',
  created_at timestamptz not null default now(),
  withdrawn_at timestamptz
);
create index evidence_account on evidence (account_id);
create index evidence_entry on evidence (entry_id);

-- Who a confirmation is about. An account has one that has not ended while it is confirmed or disputed.
create table confirmed_identities (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  evidence_id uuid references evidence on delete set null,
  -- Null if the confirmation refers to no entry.
  entry_id bigint references roster_entries on delete set null,
  first_name text not null,
  last_name text not null,
  department text not null,
  year_graduated smallint not null,
  matric_number text not null,
  -- Peer vouches: what each voucher saw, as a list of firstName, lastName, department and yearGraduated. Never who
  -- vouched.
  seen jsonb not null default '[]',
  confirmed_at timestamptz not null default now(),
  -- Time of the withdrawal, or of the confirmation or accepted change that replaced it.
  ended_at timestamptz
);
create unique index confirmed_identities_current on confirmed_identities (account_id) where ended_at is null;
create index confirmed_identities_account on confirmed_identities (account_id, confirmed_at);
create index confirmed_identities_evidence on confirmed_identities (evidence_id) where evidence_id is not null;
create index confirmed_identities_entry on confirmed_identities (entry_id) where entry_id is not null;

-- Names, classes and matric numbers that confirmed members have saved and that disagree with their confirmation. Staff
-- decide; until then, the profile keeps the confirmed values.
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
  -- Which staff decide, as in `claims`.
  scope_college text,
  scope_department text,
  scope_year smallint,
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
create index identity_changes_decided on identity_changes (closed_at, id) where closed_at is not null;
create index identity_changes_account on identity_changes (account_id, created_at);

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

-- One-time codes, printed or mailed to the address of an entry. Stored as HMACs.
create table membership_codes (
  code_hash bytea primary key,
  entry_id bigint not null references roster_entries on delete cascade,
  kind text not null check (kind in ('printed', 'mailed', 'notice')),
  -- Null unless printed.
  batch_id integer references code_batches,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  used_by uuid references accounts on delete set null,
  -- Kind `notice`: the account that was confirmed as the entry.
  reports uuid references accounts on delete set null
);
create index membership_codes_entry on membership_codes (entry_id);
create index membership_codes_used_by on membership_codes (used_by) where used_by is not null;
create index membership_codes_batch on membership_codes (batch_id) where batch_id is not null;

-- The link with which a user asks classmates to vouch.
create table vouch_links (
  account_id uuid primary key references accounts on delete cascade,
  code_hash bytea not null unique,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);

create table vouches (
  claimant_id uuid not null references accounts on delete cascade,
  voucher_id uuid not null references accounts on delete cascade,
  answer text not null check (answer in ('yes', 'unsure', 'no')),
  -- What the voucher saw: firstName, lastName, department and yearGraduated. A vouch counts only for this.
  seen jsonb,
  created_at timestamptz not null default now(),
  -- Time at which the vouch stopped to count: the claimant became another person in the profile, or withdrew. Stays for
  -- staff.
  ended_at timestamptz,
  primary key (claimant_id, voucher_id)
);
create index vouches_voucher on vouches (voucher_id, created_at);

-- Two accounts that claim one entry, a report of the entry's own mailbox, or an entry that became another person.
create table disputes (
  id uuid primary key default gen_random_uuid(),
  entry_id bigint not null references roster_entries on delete cascade,
  -- Who is confirmed as this entry, and who claims it too.
  holder_id uuid not null references accounts on delete cascade,
  claimant_id uuid references accounts on delete cascade,
  text text not null default '',
  -- A dispute without another account: null if the mailbox of the entry reported its holder, else what made the entry
  -- another person.
  entry_change text check (entry_change in ('import', 'undo', 'correction')),
  -- Which staff decide, as in `claims`.
  college text,
  department text,
  year_graduated smallint,
  created_at timestamptz not null default now(),
  closed_at timestamptz,
  outcome text not null default ''
);
create index disputes_open on disputes (created_at, id) where closed_at is null;
-- Claims of accounts in an open dispute wait for the dispute.
create index disputes_open_claimant on disputes (claimant_id) where closed_at is null;
create index disputes_decided on disputes (closed_at, id) where closed_at is not null;
create index disputes_holder on disputes (holder_id);
create index disputes_claimant on disputes (claimant_id);

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
