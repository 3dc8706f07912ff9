-- Reports about profiles and photos, take-downs and suspensions.

alter table reports
  add column kind text not null default 'message' check (kind in ('message', 'profile', 'photo')),
  -- The reported photo; null after it was deleted.
  add column photo_id uuid references photos on delete set null,
  -- Address of a guest who sent the report. The report counts once a link in a mail to this address has confirmed it.
  add column guest_email text,
  add column is_confirmed boolean not null default true,
  -- Digests of the codes in the confirmation links, one per copy of the mail that may have arrived.
  add column confirm_hashes bytea[] not null default '{}',
  -- Whether this report hid the photo at once.
  add column has_hidden boolean not null default false,
  -- The report whose item in the review queue this one belongs to: open reports about the same thing are decided together. Null: it has an
  -- item of its own.
  add column item_id uuid,
  -- Changes with what staff see of the item.
  add column version integer not null default 1,
  -- Decision of staff: nothing, hide, take-down or suspend. Null: open.
  add column outcome text;
create index reports_photo on reports (photo_id) where photo_id is not null;
create index reports_item on reports (item_id) where item_id is not null;
-- A second report by the same account about the same thing replaces the first while it is open.
create unique index reports_once on reports (reporter_id, kind, coalesce(photo_id, subject_id))
  where closed_at is null and kind <> 'message';

update reports set outcome = 'nothing' where closed_at is not null;

-- Null: visible. reported: hidden until staff have decided about a report. hidden: hidden by staff. taken-down: deleted after 30 days.
-- Only the owner and staff see such a photo.
alter table photos
  add column moderation text check (moderation in ('reported', 'hidden', 'taken-down')),
  add column moderated_at timestamptz;
create index photos_moderated on photos (moderated_at) where moderation is not null;

alter table accounts
  -- Since when staff hide the profile from everyone else. Null: they do not.
  add column profile_hidden_at timestamptz,
  -- End of a suspension. A job sets it to null in the transaction that adds the listings again.
  add column suspended_until timestamptz;

-- A suspended account is inactive as well.
alter table accounts drop column is_active;
alter table accounts add column is_active boolean not null
  generated always as (disabled_at is null and deletes_at is null and suspended_until is null) stored;
create index accounts_inactive on accounts (id) where not is_active;
create index accounts_suspended on accounts (suspended_until) where suspended_until is not null;

-- The contract lists the kinds (contract/notifications.ts).
alter table notifications drop constraint notifications_kind_check;
