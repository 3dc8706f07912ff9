-- Identity: accounts, sessions and devices, mailed codes, second factors, rate limits and the clock.

create table accounts (
  id uuid primary key default gen_random_uuid(),
  -- Canonical form (contract/fields.ts): trimmed, NFC, lower case.
  email text not null unique,
  email_verified boolean not null default false,
  -- When the account is deleted if its address is still unverified; null for accounts that are never deleted for this
  -- reason.
  verify_by timestamptz,
  -- The new address until its owner follows the link that was mailed to it. A password change cancels the address
  -- change.
  pending_email text,
  -- An address that mail cannot be delivered to, as reported by its mail server or by the operator: the account's
  -- address, or its pending new address.
  mail_failed_at timestamptz,
  mail_failed_to text,
  mail_fault text check (mail_fault in ('no-mailbox', 'closed', 'reported')),
  -- A PHC string, or '!' for an account without a usable password.
  password_hash text not null,
  -- Time of the last password reset by mail.
  password_reset_at timestamptz,
  -- "Last First", set at the end of onboarding; null until then.
  display_name text,
  -- Version of the terms that were last accepted (contract/terms.ts), and when; null if not accepted, or not known.
  terms_version text,
  terms_accepted_at timestamptz,
  created_at timestamptz not null default now(),
  -- Day on which the account was last used. Unlike sessions, this date does not expire.
  last_seen_at timestamptz not null default now(),

  -- Optional kinds of notifications that the member has turned off.
  muted_kinds text[] not null default '{}',
  takes_messages boolean not null default true,
  takes_announcements boolean not null default true,

  -- When the account was disabled: no one can sign in to it or see it. Null while it is enabled.
  disabled_at timestamptz,
  -- Time of a pending deletion, when the last reserved address expires. Until then the account is hidden and can be
  -- restored from an old mailbox.
  deletes_at timestamptz,
  -- End of a suspension. A job sets it to null in the transaction that adds the listings again.
  suspended_until timestamptz,
  -- False while the account is disabled or suspended, or its deletion is pending: no one can sign in to it or see the
  -- person.
  is_active boolean not null
    generated always as (disabled_at is null and deletes_at is null and suspended_until is null) stored,
  -- Since when staff hide the profile from everyone else. Null: they do not.
  profile_hidden_at timestamptz,
  -- Reason why the profile is hidden until the next sign-in: imported, or unused for a long time. Null when it is not
  -- hidden.
  hidden_until_sign_in text check (hidden_until_sign_in in ('imported', 'unused')),

  -- Ignored in the membership mode `open`.
  membership_status text not null default 'unconfirmed'
    check (membership_status in ('unconfirmed', 'confirmed', 'disputed', 'rejected')),
  -- Time of the confirmation; null unless the status is `confirmed`.
  confirmed_at timestamptz,
  -- End of the grace period of an account from before the mode changed. The account counts as confirmed until a job
  -- sets this to null.
  confirm_by timestamptz,
  -- End of the time in which the account may not vouch, after it vouched for an impostor.
  vouching_suspended_until timestamptz,
  -- Since when staff say that this account posed as someone else, and who decided (null: the operator, by a command, or
  -- a deleted account). Only staff clear it. Until then, nothing confirms the account automatically.
  impostor_since timestamptz,
  impostor_decided_by uuid references accounts on delete set null,

  -- Since when the staff console waits for an approval of a new second factor. Null: it does not wait.
  console_held_at timestamptz,
  -- Time at which the operator last granted a role by a command.
  console_vouched_at timestamptz,

  check (num_nonnulls(mail_failed_at, mail_failed_to, mail_fault) in (0, 3))
);
-- Newest accounts first.
create index accounts_created on accounts (created_at, id);
create index accounts_unverified on accounts (created_at, id) where not email_verified;
create index accounts_without_profile on accounts (created_at, id) where display_name is null;
create index accounts_by_status on accounts (membership_status, created_at, id);
create index accounts_email_prefix on accounts (email text_pattern_ops);
create index accounts_pending on accounts (pending_email) where pending_email is not null;
create index accounts_mail_failed on accounts (mail_failed_to) where mail_failed_to is not null;
create index accounts_verify_by on accounts (verify_by) where not email_verified;
create index accounts_last_seen on accounts (last_seen_at);
-- The index has few rows. Every page of photos reads them.
create index accounts_inactive on accounts (id) where not is_active;
create index accounts_suspended on accounts (suspended_until) where suspended_until is not null;
create index accounts_hidden_by_staff on accounts (id) where profile_hidden_at is not null;
create index accounts_hidden_until_sign_in on accounts (id) where hidden_until_sign_in is not null;
create index accounts_confirm_by on accounts (confirm_by) where confirm_by is not null;
create index accounts_impostor_decided_by on accounts (impostor_decided_by) where impostor_decided_by is not null;

-- Deletes the delivery failure when the account no longer uses the address.
create function forget_mail_failure() returns trigger language plpgsql as $$
begin
  if new.mail_failed_to is distinct from new.email and new.mail_failed_to is distinct from new.pending_email
  then
    new.mail_failed_at := null;
    new.mail_failed_to := null;
    new.mail_fault := null;
  end if;
  return new;
end $$;
create trigger forget_mail_failure before update of email, pending_email, mail_failed_to on accounts
  for each row when (new.mail_failed_to is not null) execute function forget_mail_failure();

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
  -- refuseEmailChange: the link with which the current mailbox refuses a change of address that staff requested.
  mode text not null
    check (mode in ('verifyEmail', 'resetPassword', 'recoverEmail', 'verifyAndChangeEmail', 'refuseEmailChange')),
  account_id uuid not null references accounts on delete cascade,
  -- The address that the code was mailed to. The code is valid for this address only.
  email text not null,
  -- A mail can arrive twice if the mail server accepted it without confirming. Each copy has its own code. All codes of
  -- one mail are valid; the next mail replaces them all.
  mail_id text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index action_codes_account on action_codes (account_id, mode);

-- Previous addresses of accounts. No one else can use them until their owner can no longer recover the account.
create table held_addresses (
  email text primary key,
  account_id uuid not null references accounts on delete cascade,
  -- Time since which the address is reserved. A pending deletion extends all reserved addresses of an account to the
  -- same time, so `until` does not show which one is older.
  since timestamptz not null default now(),
  -- Time when the recovery link expires.
  until timestamptz not null
);
create index held_addresses_account on held_addresses (account_id);

-- Authenticator apps (TOTP).
create table authenticators (
  account_id uuid primary key references accounts on delete cascade,
  -- The shared secret, encrypted with the key in the data folder (server/platform/crypto/secret-box.ts).
  secret bytea not null,
  -- When a first code confirmed the app; null before, and the app is not used until then.
  confirmed_at timestamptz,
  -- The 30-second time step of the last accepted code: each code works once (RFC 6238, section 5.2).
  last_step bigint not null default 0,
  -- The time steps of the last accepted codes, newest last. They prevent a second use of a code after the clock was set
  -- back.
  used_steps integer[] not null default '{}',
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
  -- Digest of the session, pending sign-in or browser that the challenge is bound to. A new challenge replaces its
  -- previous one.
  bound_to bytea not null,
  account_id uuid references accounts on delete cascade,
  expires_at timestamptz not null
);
create index challenges_account on challenges (account_id);
create index challenges_bound on challenges (bound_to);

-- Sign-ins with a correct password that wait for the second factor.
create table pending_sign_ins (
  -- SHA-256 of the cookie's value, as for sessions.
  token_hash bytea primary key,
  account_id uuid not null references accounts on delete cascade,
  tries integer not null default 0,
  expires_at timestamptz not null
);
create index pending_sign_ins_account on pending_sign_ins (account_id);

-- Mails to many people: at most one of each kind per account, queued in batches. A sign-in deletes the rows of an
-- account.
create table notice_mails (
  account_id uuid not null references accounts on delete cascade,
  kind text not null
    check (kind in ('imported', 'unused-first', 'unused-last', 'confirm-first', 'confirm-next', 'confirm-last')),
  wanted_at timestamptz not null default now(),
  queued_at timestamptz,
  primary key (account_id, kind)
);
create index notice_mails_wanted on notice_mails (wanted_at) where queued_at is null;

-- Counters of frequent requests. They need not survive a crash of the database server, and an unlogged table saves half
-- of the disk writes. The keys are HMACs.
create unlogged table throttles (
  key text primary key,
  hits integer not null,
  window_ends timestamptz not null
);

-- Counters of guesses and mails. Logged and in backups, so that a crash, a failover or a restore gives no new attempts.
create table long_throttles (
  key text primary key,
  hits integer not null,
  window_ends timestamptz not null,
  -- Limits how long a window lasts that began while the clock was wrong.
  window_seconds integer not null
);

-- Whether the clock is reliable (decision 41): when it was last checked, and since when it has run without a jump.
create table clock (
  is_only_row boolean primary key default true check (is_only_row),
  seen_at timestamptz not null default now(),
  steady_since timestamptz not null default now()
);
insert into clock default values;
