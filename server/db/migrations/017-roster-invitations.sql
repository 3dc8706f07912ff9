-- Mails that invite people on the roster to sign up, a row per mail. The rows stay without their entry, so that an
-- address that wants no mail gets none after another import either.
create table roster_invitations (
  id uuid primary key default gen_random_uuid(),
  entry_id bigint references roster_entries on delete set null,
  -- SHA-256 of the address that the entry had.
  address_hash bytea not null,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  -- Digests of the codes in the links, one per copy of the mail that may have arrived.
  code_hashes bytea[] not null default '{}',
  -- When someone first reached the sign-up page through the mail, or pressed a button of its pages.
  opened_at timestamptz,
  -- When the mail server refused the address, or the operator reported a bounce.
  failed_at timestamptz,
  -- The mailbox said: this is not the person of the entry.
  is_wrong boolean not null default false,
  -- The mailbox said: do not write to this address again.
  is_unwanted boolean not null default false
);
create index roster_invitations_address on roster_invitations (address_hash);
create index roster_invitations_entry on roster_invitations (entry_id);
create index roster_invitations_codes on roster_invitations using gin (code_hashes);
create index roster_invitations_waiting on roster_invitations (created_at) where sent_at is null;
