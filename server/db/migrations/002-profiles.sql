-- Profiles as their owners wrote them, and the part of them that each audience may see.

create table profiles (
  account_id uuid primary key references accounts on delete cascade,
  first_name text not null,
  middle_name text not null,
  last_name text not null,
  title text not null,
  dob date not null,
  gender text not null,
  home_address text not null,
  contact_number text not null,
  matric_number text not null,
  college text not null,
  department text not null,
  program text not null,
  year_admitted smallint not null,
  year_graduated smallint not null,
  interest text not null,
  bio text not null,
  full_bio text not null,
  x_handle text not null,
  facebook_name text not null,
  linkedin_name text not null,
  -- Name of the stored picture; null shows the initials.
  picture text,
  -- The owner's choices, field → audience. A field without a choice has the default of contract/visibility.ts.
  visibility jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- Finds whether another profile uses a picture that is being replaced.
create index profiles_picture on profiles (picture);

-- One row per person and audience, with only the values that this audience may see. Lists, filters, facets and counts
-- read only here, so what is hidden cannot be matched, sorted or counted. server/domain/visibility.ts writes the rows.
create table listings (
  audience text not null check (audience in ('everyone', 'members')),
  account_id uuid not null references accounts on delete cascade,
  -- Last, first and middle name, folded (server/domain/folding.ts). Collation "C" sorts the same on every server.
  sort_name text collate "C" not null,
  name text not null,
  picture text,
  college text,
  department text,
  program text,
  year_graduated smallint,
  matric_number text,
  -- Folded words of name, department and matric number, as far as this audience may see them.
  search tsvector not null,
  -- When the person first appeared in the list of this audience.
  listed_at timestamptz not null default now(),
  primary key (audience, account_id)
);
-- Without weights: with weights, PostgreSQL would recheck every row that it has found.
create index listings_search_everyone on listings using gin (search) where audience = 'everyone';
create index listings_search_members on listings using gin (search) where audience = 'members';
create index listings_by_age on listings (audience, listed_at desc);
create index listings_by_name on listings (audience, sort_name, account_id);
create index listings_by_department on listings (audience, department, sort_name, account_id);
create index listings_by_college on listings (audience, college, sort_name, account_id);
create index listings_by_program on listings (audience, program, sort_name, account_id);
create index listings_by_year on listings (audience, year_graduated, sort_name, account_id);
create index listings_account on listings (account_id);

-- Number of listings of each combination; '' and 0 stand for a hidden value. A few thousand rows answer every
-- count and facet of a directory of a million people.
create table listing_counts (
  audience text not null,
  college text not null,
  department text not null,
  program text not null,
  year_graduated smallint not null,
  people bigint not null,
  primary key (audience, college, department, program, year_graduated)
);

-- Updates the counts in the transaction that changes the listings. Rows are locked in the order of the key, so that two such
-- transactions cannot deadlock.
create function count_listings() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into listing_counts as counts
    select audience, coalesce(college, ''), coalesce(department, ''), coalesce(program, ''),
           coalesce(year_graduated, 0::smallint), count(*)
    from after_rows group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (audience, college, department, program, year_graduated)
    do update set people = counts.people + excluded.people;
  elsif tg_op = 'DELETE' then
    insert into listing_counts as counts
    select audience, coalesce(college, ''), coalesce(department, ''), coalesce(program, ''),
           coalesce(year_graduated, 0::smallint), -count(*)
    from before_rows group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (audience, college, department, program, year_graduated)
    do update set people = counts.people + excluded.people;
  else
    insert into listing_counts as counts
    select audience, college, department, program, year_graduated, sum(change)
    from (
      select audience, coalesce(college, '') as college, coalesce(department, '') as department,
             coalesce(program, '') as program, coalesce(year_graduated, 0::smallint) as year_graduated, 1 as change
      from after_rows
      union all
      select audience, coalesce(college, ''), coalesce(department, ''), coalesce(program, ''),
             coalesce(year_graduated, 0::smallint), -1
      from before_rows
    ) as changes
    group by 1, 2, 3, 4, 5 having sum(change) <> 0 order by 1, 2, 3, 4, 5
    on conflict (audience, college, department, program, year_graduated)
    do update set people = counts.people + excluded.people;
  end if;
  return null;
end
$$;

create trigger count_inserted_listings after insert on listings
  referencing new table as after_rows for each statement execute function count_listings();
create trigger count_updated_listings after update on listings
  referencing old table as before_rows new table as after_rows for each statement execute function count_listings();
create trigger count_deleted_listings after delete on listings
  referencing old table as before_rows for each statement execute function count_listings();
