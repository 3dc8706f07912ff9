-- Hides a profile everywhere and keeps the other visibility choices for later.
alter table profiles add column is_hidden boolean not null default false;

-- Whether search engines may index the profile, if the institution allows it.
alter table profiles add column is_indexed boolean not null default false;
