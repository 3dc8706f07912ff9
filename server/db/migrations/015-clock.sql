-- Whether the clock can be relied on (decision 24): when it was looked at last, and since when it has gone on without a jump.
create table clock (
  is_only_row boolean primary key default true check (is_only_row),
  seen_at timestamptz not null default now(),
  steady_since timestamptz not null default now()
);
insert into clock default values;

-- The steps whose codes were used last, the latest at the end: what keeps a code from working twice when the clock goes back.
alter table authenticators add column used_steps integer[] not null default '{}';
