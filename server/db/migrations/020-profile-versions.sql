-- Counts the saves of a profile. A write names the version that it is based on; a page that shows an older one cannot overwrite
-- newer values.
alter table profiles add column version integer not null default 1;
