-- Second factors: authenticator apps (TOTP), passkeys and recovery codes.

create table authenticators (
  account_id uuid primary key references accounts on delete cascade,
  -- The shared secret, encrypted with the key in the data folder (server/platform/crypto/secret-box.ts).
  secret bytea not null,
  -- When a first code confirmed the app; null before, and the app is not used until then.
  confirmed_at timestamptz,
  -- The 30-second time step of the last accepted code: each code works once (RFC 6238, section 5.2).
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
  -- The authenticator's credential id, in base64url.
  credential_id text not null unique,
  public_key bytea not null,
  -- The signature counter that the authenticator reports; many always report 0.
  counter bigint not null,
  transports text[] not null default '{}',
  name text not null,
  created_at timestamptz not null default now(),
  used_at timestamptz
);
create index passkeys_account on passkeys (account_id);

-- WebAuthn challenges: valid once, for five minutes, for one session or browser.
create table challenges (
  challenge_hash bytea primary key,
  purpose text not null check (purpose in ('add', 'second-factor', 'sign-in')),
  -- Digest of the session, pending sign-in or browser that the challenge is bound to.
  bound_to bytea not null,
  account_id uuid references accounts on delete cascade,
  expires_at timestamptz not null
);
create index challenges_account on challenges (account_id);

-- Sign-ins with a correct password that wait for the second factor.
create table pending_sign_ins (
  -- SHA-256 of the cookie's value, as for sessions.
  token_hash bytea primary key,
  account_id uuid not null references accounts on delete cascade,
  tries integer not null default 0,
  expires_at timestamptz not null
);
create index pending_sign_ins_account on pending_sign_ins (account_id);
