-- Counts the saves of a profile. A write names the version that it is based on; a page that shows an older one cannot overwrite
-- newer values.
alter table profiles add column version integer not null default 1;

-- Younger than `adultAge` of institution.json: for members only, whatever they choose. Kept up to date by a job, at each start and
-- every night (server/features/profile/update-minors.ts).
alter table profiles add column is_minor boolean not null default false;
