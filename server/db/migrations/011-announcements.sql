-- Announcements: mails that staff write to the members of a part of the institution.

create table announcements (
  id uuid primary key default gen_random_uuid(),
  -- Who wrote it. Null: the account was deleted.
  created_by uuid references accounts on delete set null,
  -- Number of saves. A request for approval is about one version.
  version integer not null default 1,
  -- Both may be empty in a draft.
  subject text not null,
  text text not null,
  -- To whom. Null: not limited.
  college text,
  department text,
  year_from smallint,
  year_to smallint,
  -- sent: every mail has been queued. stopped: by staff, with the mails left out that had not been sent.
  state text not null default 'draft' check (state in ('draft', 'sending', 'sent', 'stopped')),
  -- The last request for approval.
  approval_id uuid references approvals on delete set null,
  -- Number of recipients when the sending began.
  people integer,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz
);
create index announcements_created_by on announcements (created_by) where created_by is not null;
create index announcements_approval on announcements (approval_id) where approval_id is not null;
create index announcements_updated on announcements (updated_at);

-- Who gets an announcement. The rows are added when the sending begins, and each is queued once.
create table announcement_recipients (
  id uuid primary key default gen_random_uuid(),
  announcement_id uuid not null references announcements on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  queued_at timestamptz,
  -- Time and result of the mail. left-out: not a recipient any more, or the sending was stopped. bounced: the mail
  -- server refused the address.
  done_at timestamptz,
  result text check (result in ('sent', 'bounced', 'left-out')),
  -- When the recipient unsubscribed through a link of this mail.
  unsubscribed_at timestamptz,
  -- Digests of the codes in the links, one per copy of the mail that may have arrived.
  unsubscribe_hashes bytea[] not null default '{}',
  unique (announcement_id, account_id),
  check ((done_at is null) = (result is null))
);
create index announcement_recipients_account on announcement_recipients (account_id);
create index announcement_recipients_waiting on announcement_recipients (announcement_id, id) where queued_at is null;
