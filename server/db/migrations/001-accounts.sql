-- Identity: who can sign in, where they are signed in, and what has been mailed to them.

create table accounts (
  id uuid primary key default gen_random_uuid(),
  -- The canonical spelling (contract/fields.ts): trimmed, NFC, lower case.
  email text not null unique,
  email_verified boolean not null default false,
  -- Where the account moves when a link mailed there is followed; a new password takes the wish back.
  pending_email text,
  -- A PHC string, or '!' for an account that nobody can sign in to.
  password_hash text not null,
  -- "Last First", set at the end of onboarding; null until then.
  display_name text,
  created_at timestamptz not null default now()
);

create table sessions (
  -- SHA-256 of the cookie's value: a copy of this table signs nobody in.
  token_hash bytea primary key,
  -- What the owner's list of devices calls it.
  id uuid not null unique default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  user_agent text not null default '',
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- When the password was last typed in this session.
  authenticated_at timestamptz not null default now()
);
create index sessions_account on sessions (account_id);

-- Browsers that have signed in to an account before: an account-wide lock does not shut them out.
create table known_devices (
  token_hash bytea not null,
  account_id uuid not null references accounts on delete cascade,
  seen_at timestamptz not null default now(),
  primary key (account_id, token_hash)
);

create table action_codes (
  code_hash bytea primary key,
  mode text not null check (mode in ('verifyEmail', 'resetPassword', 'recoverEmail', 'verifyAndChangeEmail')),
  account_id uuid not null references accounts on delete cascade,
  -- The address that the code was mailed to, and the only one that it says anything about.
  email text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index action_codes_account on action_codes (account_id, mode);

-- Addresses that nobody else can take while their last owner can still recover them.
create table held_addresses (
  email text primary key,
  account_id uuid not null references accounts on delete cascade,
  -- Its recovery can be used until then; of two holds of an account, the one that ends first is the older one.
  until timestamptz not null
);
create index held_addresses_account on held_addresses (account_id);

create table throttles (
  key text primary key,
  hits integer not null,
  window_ends timestamptz not null
);
