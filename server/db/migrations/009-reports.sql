-- Reports about messages, profiles and photos.

create table reports (
  id uuid primary key default gen_random_uuid(),
  kind text not null default 'message' check (kind in ('message', 'profile', 'photo')),
  -- The reported account; null after it was deleted.
  subject_id uuid references accounts on delete set null,
  -- Address and name of a deleted reported account: deleting the account must not erase the report.
  subject_email text,
  subject_name text,
  -- The reported message; null after its record was deleted.
  message_id uuid references messages on delete set null,
  -- The reported photo; null after it was deleted.
  photo_id uuid references photos on delete set null,
  -- The reporting account; null after it was deleted.
  reporter_id uuid references accounts on delete set null,
  -- Address of a guest who sent the report. The report counts once a link in a mail to this address has confirmed it.
  guest_email text,
  is_confirmed boolean not null default true,
  -- Digests of the codes in the confirmation links, one per copy of the mail that may have arrived.
  confirm_hashes bytea[] not null default '{}',
  reason text not null,
  -- Text that the reporter wrote or pasted. Messages are not stored, so this is the only copy.
  text text not null default '',
  -- Whether this report hid the photo at once.
  has_hidden boolean not null default false,
  -- The report whose item in the review queue this one belongs to: open reports about the same thing are decided
  -- together. Null: it has an item of its own.
  item_id uuid,
  -- Changes with what staff see of the item.
  version integer not null default 1,
  -- Which staff decide, as in `claims`.
  college text,
  department text,
  year_graduated smallint,
  created_at timestamptz not null default now(),
  closed_at timestamptz,
  -- Decision of staff: nothing, hide, take-down or suspend. Null: open.
  outcome text,
  closing_note text not null default ''
);
create index reports_subject on reports (subject_id);
create index reports_reporter on reports (reporter_id);
create index reports_photo on reports (photo_id) where photo_id is not null;
create index reports_item on reports (item_id) where item_id is not null;
create index reports_open on reports (created_at) where closed_at is null;
-- One item of the queue is all reports about the same thing.
create index reports_waiting on reports (created_at, id) where closed_at is null and is_confirmed and item_id is null;
create index reports_decided on reports (closed_at, id) where closed_at is not null and is_confirmed and item_id is null;
-- A second report by the same account about the same thing replaces the first while it is open.
create unique index reports_once on reports (reporter_id, kind, coalesce(photo_id, subject_id))
  where closed_at is null and kind <> 'message';
-- A message has one open report. A closed one stays when the message is reported again.
create unique index reports_open_message on reports (message_id) where closed_at is null;
create index reports_message on reports (message_id) where message_id is not null;

-- A report stays when the account is deleted, without the class of the person.
create function forget_report_scope() returns trigger language plpgsql as $$
begin
  new.college := null;
  new.department := null;
  new.year_graduated := null;
  return new;
end $$;
create trigger reports_forget_scope before update of subject_id on reports for each row
  when (new.subject_id is null) execute function forget_report_scope();
