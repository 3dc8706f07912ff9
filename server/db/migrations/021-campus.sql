-- University accounts, each connected with one account here.
create table campus_identities (
  account_id uuid primary key references accounts on delete cascade,
  -- The provider and its name for the person (OpenID Connect Core, section 2). Never an address, because addresses are reused.
  issuer text not null,
  subject text not null,
  -- The address that the provider confirmed at the connection, for display.
  email text not null,
  connected_at timestamptz not null default now(),
  used_at timestamptz not null default now(),
  unique (issuer, subject)
);

-- SHA-256 of the issuer and subject that an evidence is about: one university account confirms one account here, also
-- after it was disconnected.
alter table evidence add column identity_hash bytea;
create unique index evidence_identity on evidence (identity_hash) where withdrawn_at is null;

-- Whether the university confirmed the account, instead of a password. Such a session is never recent.
alter table pending_sign_ins add column is_by_campus boolean not null default false;

alter table notice_mails drop constraint notice_mails_kind_check;
alter table notice_mails add constraint notice_mails_kind_check check (kind in (
  'imported', 'unused-first', 'unused-last', 'confirm-first', 'confirm-next', 'confirm-last', 'campus-first', 'campus-last'
));
