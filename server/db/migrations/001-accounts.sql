-- Identity: accounts, their sessions and devices, and the codes that were mailed to them.

create table accounts (
  id uuid primary key default gen_random_uuid(),
  -- Canonical form (contract/fields.ts): trimmed, NFC, lower case.
  email text not null unique,
  email_verified boolean not null default false,
  -- The new address until its owner follows the link that was mailed to it. A password change cancels the address change.
  pending_email text,
  -- A PHC string, or '!' for an account without a usable password.
  password_hash text not null,
  -- "Last First", set at the end of onboarding; null until then.
  display_name text,
  created_at timestamptz not null default now()
);

create table sessions (
  -- SHA-256 of the cookie's value, so that a copy of this table cannot be used to sign in.
  token_hash bytea primary key,
  -- The browser, for the owner's list of sessions.
  id uuid not null unique default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  user_agent text not null default '',
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- When the password was last entered in this session.
  authenticated_at timestamptz not null default now()
);
create index sessions_account on sessions (account_id);

-- Browsers that have signed in to an account before. An account-wide rate limit does not lock them out.
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
  -- The address that the code was mailed to. The code is valid for this address only.
  email text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index action_codes_account on action_codes (account_id, mode);

-- Previous addresses of accounts. No one else can use them until their owner can no longer recover the account.
create table held_addresses (
  email text primary key,
  account_id uuid not null references accounts on delete cascade,
  -- Time when the recovery link expires. Of two reserved addresses of an account, the one that expires first is older.
  until timestamptz not null
);
create index held_addresses_account on held_addresses (account_id);

create table throttles (
  key text primary key,
  hits integer not null,
  window_ends timestamptz not null
);
