-- What somebody needs beside the password, where they have asked for it: codes of an app, passkeys, recovery codes.

create table authenticators (
  account_id uuid primary key references accounts on delete cascade,
  -- The shared secret, sealed with the key in the data folder (platform/secret-box.ts): a copy of this table makes no codes.
  secret bytea not null,
  -- Null until a first code has shown that the app has it; it counts for nothing before.
  confirmed_at timestamptz,
  -- The step of thirty seconds whose code was used last: each code works once (RFC 6238, section 5.2).
  last_step bigint not null default 0,
  created_at timestamptz not null default now()
);

create table recovery_codes (
  account_id uuid not null references accounts on delete cascade,
  code_hash bytea not null,
  primary key (account_id, code_hash)
);

create table passkeys (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  -- As the authenticator names it, in base64url.
  credential_id text not null unique,
  public_key bytea not null,
  -- How often it has signed, as it says itself; many say 0 for ever.
  counter bigint not null,
  transports text[] not null default '{}',
  name text not null,
  created_at timestamptz not null default now(),
  used_at timestamptz
);
create index passkeys_account on passkeys (account_id);

-- What a passkey is asked to sign: once, within five minutes, by whoever was asked.
create table challenges (
  challenge_hash bytea primary key,
  purpose text not null check (purpose in ('add', 'second-factor', 'sign-in')),
  -- Digest of what it is bound to: a session, a pending sign-in, or a browser.
  bound_to bytea not null,
  account_id uuid references accounts on delete cascade,
  expires_at timestamptz not null
);
create index challenges_account on challenges (account_id);

-- Somebody has typed the right password, and owes the second factor.
create table pending_sign_ins (
  -- SHA-256 of the cookie's value, as with sessions.
  token_hash bytea primary key,
  account_id uuid not null references accounts on delete cascade,
  tries integer not null default 0,
  expires_at timestamptz not null
);
create index pending_sign_ins_account on pending_sign_ins (account_id);
