-- The gallery: photos that members have added. What ships with the product is no row (web/features/gallery/samples.ts).

create table photos (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  -- Names the stored picture.
  picture text not null unique,
  -- Pixels of the larger of the stored sizes.
  width smallint not null,
  height smallint not null,
  -- Photos with the same key are one album: its title, folded (server/domain/folding.ts).
  album_key text collate "C" not null,
  album text not null,
  title text not null,
  place text,
  taken_on date,
  audience text not null check (audience in ('everyone', 'members')),
  created_at timestamptz not null default now()
);
create index photos_by_age on photos (created_at desc, id desc);
create index photos_by_album on photos (album_key, created_at desc, id desc);
create index photos_account on photos (account_id, created_at);
