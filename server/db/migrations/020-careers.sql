-- What people do now, where they live, and what they are willing to help with.

alter table profiles
  -- Up to 5 positions (`Position` in contract/careers.ts): the current ones first.
  add positions jsonb not null default '[]',
  add city text not null default '',
  -- Id of the city in server/domain/careers/cities.tsv. Null: a place that the list does not have.
  add city_id integer,
  -- ISO 3166-1 alpha-2; '' for none.
  add country text not null default '',
  -- False for an imported city and country, which only the owner sees until a save of the career form.
  add is_place_confirmed boolean not null default true,
  add helps text[] not null default '{}',
  -- When the owner last saved the career form, or put it off.
  add career_saved_at timestamptz,
  add career_dismissed_at timestamptz,
  -- Whether no notification has asked for it yet. False for people who joined before this version.
  add awaits_career_question boolean not null default false;
alter table profiles alter awaits_career_question set default true;
create index profiles_career_question on profiles (created_at) where awaits_career_question;

-- Only the values that the audience may see, as in the other columns.
alter table listings
  add role text,
  add employer text,
  -- The employer as lists compare it: `toEmployerKey`, or the key that staff merged it into.
  add employer_key text collate "C",
  add field text,
  add city text,
  add area_id integer,
  add country text,
  -- One bit per kind of help, in the order of `helpKinds`. 0 while the person accepts no messages.
  add helps smallint not null default 0;

-- Each filter's index continues by name and includes the other filters, so that a list reads only the index and the 24
-- rows that it shows.
create index listings_by_employer on listings (audience, employer_key, sort_name, account_id)
  include (field, area_id, country, helps, department, year_graduated) where employer_key is not null;
create index listings_by_field on listings (audience, field, sort_name, account_id)
  include (employer_key, area_id, country, helps, department, year_graduated) where field is not null;
create index listings_by_area on listings (audience, area_id, sort_name, account_id)
  include (employer_key, field, country, helps, department, year_graduated) where area_id is not null;
create index listings_by_country on listings (audience, country, sort_name, account_id)
  include (employer_key, field, area_id, helps, department, year_graduated) where country is not null;
create index listings_by_help on listings (audience, sort_name, account_id)
  include (helps, employer_key, field, area_id, country, department, year_graduated) where helps <> 0;
create index listings_by_career on listings (audience, department, year_graduated, sort_name, account_id)
  include (employer_key, field, area_id, country, helps)
  where role is not null or employer is not null or country is not null or helps <> 0;

-- Number of listings per field of work, area and country.
create table career_counts (
  audience text not null,
  kind text not null check (kind in ('area', 'country', 'field')),
  value text not null,
  people bigint not null,
  primary key (audience, kind, value)
);

-- Employers in the listings for members. Guests see none.
create table employers (
  key text collate "C" primary key,
  -- A spelling that a listing shows.
  name text not null,
  people bigint not null,
  words tsvector not null
);
create index employers_words on employers using gin (words) with (fastupdate = off);
create index employers_people on employers (people desc, key);

-- Keys that staff merged into another one.
create table employer_merges (
  key text collate "C" primary key,
  merged_into text not null,
  -- The end of the chain, because `merged_into` can be merged too.
  same_as text not null,
  merged_at timestamptz not null default now()
);
create index employer_merges_same_as on employer_merges (same_as);

-- Answers to "What do you do now?". No one but the owner sees them; the tracer report counts them.
create table tracer_answers (
  account_id uuid primary key references accounts on delete cascade,
  activity text not null check (activity in ('working', 'self-employed', 'studying', 'seeking', 'other')),
  -- Whether the work is in the field that the person studied.
  in_field boolean,
  answered_on date not null default current_date
);

-- One tracer report per month, without the numbers that are too small. Contains no personal data.
create table tracer_snapshots (
  -- `YYYY-MM`
  month text primary key,
  rows jsonb not null,
  counts_roster boolean not null,
  made_at timestamptz not null default now()
);

-- Updates all counts of listings in the transaction that changes the listings. Transactions lock the counts of guests
-- before those of members, and in each table in the order of the key, so they cannot deadlock, even if one changes both
-- audiences in one statement and another in two. A count of 0 would still reveal a deleted person's values: the
-- transaction that removes the last person deletes the row; a concurrent insert waits and creates the row again.
create function change_counts(before listings[], after listings[]) returns void language plpgsql as $$
declare
  one text;
begin
  foreach one in array array['everyone', 'members'] loop
    insert into listing_counts as counts
    select one, coalesce(college, ''), coalesce(department, ''), coalesce(program, ''),
           coalesce(year_graduated, 0::smallint), sum(change)
    from (select *, 1 as change from unnest(after) union all select *, -1 from unnest(before)) as changes
    where audience = one group by 2, 3, 4, 5 having sum(change) <> 0 order by 2, 3, 4, 5
    on conflict (audience, college, department, program, year_graduated)
    do update set people = counts.people + excluded.people;

    delete from listing_counts as counts using unnest(before) as gone
    where counts.people = 0 and counts.audience = one and gone.audience = one
      and counts.college = coalesce(gone.college, '') and counts.department = coalesce(gone.department, '')
      and counts.program = coalesce(gone.program, '')
      and counts.year_graduated = coalesce(gone.year_graduated, 0::smallint);

    insert into career_counts as counts
    select one, kind, value, sum(change)
    from (select *, 1 as change from unnest(after) union all select *, -1 from unnest(before)) as changes
      cross join lateral (values ('area', area_id::text), ('country', country), ('field', field)) as counted (kind, value)
    where audience = one and value is not null group by 2, 3 having sum(change) <> 0 order by 2, 3
    on conflict (audience, kind, value) do update set people = counts.people + excluded.people;

    delete from career_counts as counts
    using unnest(before) as gone
      cross join lateral (values ('area', area_id::text), ('country', country), ('field', field)) as counted (kind, value)
    where counts.people = 0 and counts.audience = one and gone.audience = one
      and counts.kind = counted.kind and counts.value = counted.value;
  end loop;

  insert into employers as counts
  select employer_key, coalesce(min(employer) filter (where change = 1), ''), sum(change),
         people_words(coalesce(min(employer) filter (where change = 1), ''))
  from (select *, 1 as change from unnest(after) union all select *, -1 from unnest(before)) as changes
  where audience = 'members' and employer_key is not null
  -- Another spelling changes no count, but locks the row: otherwise two last people could leave a spelling at once.
  group by 1 having sum(change) <> 0 or min(employer) <> max(employer) order by 1
  on conflict (key) do update set people = counts.people + excluded.people;

  delete from employers as counts using unnest(before) as gone
  where counts.people = 0 and gone.audience = 'members' and counts.key = gone.employer_key;

  -- The name must stay one that a listing shows.
  update employers as counts set name = shown.employer, words = people_words(shown.employer)
  from unnest(before) as gone
    cross join lateral (
      select l.employer from listings as l where l.audience = 'members' and l.employer_key = gone.employer_key
      order by l.sort_name, l.account_id limit 1
    ) as shown
  where gone.audience = 'members' and counts.key = gone.employer_key and counts.name = gone.employer
    and not exists (
      select from listings as l
      where l.audience = 'members' and l.employer_key = gone.employer_key and l.employer = gone.employer
    );
end
$$;

create or replace function count_listings() returns trigger language plpgsql as $$
declare
  before listings[] := '{}';
  after listings[] := '{}';
begin
  if tg_op <> 'INSERT' then
    before := array(select row(old_rows.*)::listings from before_rows as old_rows);
  end if;
  if tg_op <> 'DELETE' then
    after := array(select row(new_rows.*)::listings from after_rows as new_rows);
  end if;
  perform change_counts(before, after);
  return null;
end
$$;
