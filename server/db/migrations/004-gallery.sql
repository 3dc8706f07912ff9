-- The gallery: photos that members have added. The sample photos are not in the database
-- (web/features/gallery/samples.ts).

create table photos (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  -- Name of the stored picture.
  picture text not null unique,
  -- Width and height of the largest stored size, in pixels.
  width smallint not null,
  height smallint not null,
  -- Photos with the same key are one album: its title, folded (server/domain/search/folding.ts).
  album_key text collate "C" not null,
  album text not null,
  title text not null,
  place text,
  taken_on date,
  audience text not null check (audience in ('everyone', 'members')),
  -- Null: visible. reported: hidden until staff have decided about a report. hidden: hidden by staff. taken-down:
  -- deleted after 30 days. Only the owner and staff see such a photo.
  moderation text check (moderation in ('reported', 'hidden', 'taken-down')),
  moderated_at timestamptz,
  created_at timestamptz not null default now()
);
create index photos_by_age on photos (created_at desc, id desc);
create index photos_by_album on photos (album_key, created_at desc, id desc);
create index photos_account on photos (account_id, created_at);
create index photos_moderated on photos (moderated_at) where moderation is not null;
