-- Number of saves of a profile (optimistic locking). A write contains the version that it is based on, so a stale page cannot overwrite
-- newer values.
alter table profiles add column version integer not null default 1;

-- Whether the person is younger than `adultAge` of institution.json: visible to members at most. A job updates it at each start and
-- every night (server/features/profile/update-minors.ts).
alter table profiles add column is_minor boolean not null default false;
