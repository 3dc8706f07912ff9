-- One switch before all others: whoever is hidden is nowhere, whatever else they have chosen, and finds their choices again.
alter table profiles add column is_hidden boolean not null default false;

-- Search engines may list their profile, where the institution allows it.
alter table profiles add column is_indexed boolean not null default false;
