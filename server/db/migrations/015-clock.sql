-- Whether the clock is reliable (decision 41): when it was last checked, and since when it has run without a jump.
create table clock (
  is_only_row boolean primary key default true check (is_only_row),
  seen_at timestamptz not null default now(),
  steady_since timestamptz not null default now()
);
insert into clock default values;

-- The time steps of the last accepted codes, newest last. They prevent a second use of a code after the clock was set back.
alter table authenticators add column used_steps integer[] not null default '{}';
