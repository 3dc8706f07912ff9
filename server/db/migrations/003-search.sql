-- What each audience may see of the profiles, counts of it, and typo-tolerant search.

-- One row per person and audience, with only the values that this audience may see. Lists, filters, facets and counts
-- read only here, so what is hidden cannot be matched, sorted or counted. server/domain/people/visibility.ts writes the
-- rows.
create table listings (
  audience text not null check (audience in ('everyone', 'members')),
  account_id uuid not null references accounts on delete cascade,
  -- Last, first and middle name, folded (server/domain/search/folding.ts). Collation "C" sorts the same on every
  -- server.
  sort_name text collate "C" not null,
  -- Second order of names, for searches by first name: the words of first, last and middle name, folded.
  given_sort_name text collate "C" not null default '',
  name text not null,
  other_names text,
  picture text,
  college text,
  department text,
  program text,
  year_graduated smallint,
  matric_number text,
  -- Folded words of names, department, matric number, college and year, as far as this audience may see them.
  search tsvector not null,
  -- When the person first appeared in the list of this audience.
  listed_at timestamptz not null default now(),
  primary key (audience, account_id)
);
-- Without weights: with weights, PostgreSQL would recheck every row that it has found.
-- fastupdate = off: every search would have to scan the pending list.
create index listings_search_everyone on listings using gin (search) with (fastupdate = off) where audience = 'everyone';
create index listings_search_members on listings using gin (search) with (fastupdate = off) where audience = 'members';
-- The id makes the order of people who joined at the same time unique.
create index listings_by_age on listings (audience, listed_at, account_id);
create index listings_by_name on listings (audience, sort_name, account_id);
create index listings_by_given_name on listings (audience, given_sort_name, account_id);
create index listings_by_department on listings (audience, department, sort_name, account_id);
create index listings_by_college on listings (audience, college, sort_name, account_id);
create index listings_by_program on listings (audience, program, sort_name, account_id);
create index listings_by_year on listings (audience, year_graduated, sort_name, account_id);
-- The classes of a department, and each class by name.
create index listings_by_class on listings (audience, department, year_graduated, sort_name, account_id);
create index listings_account on listings (account_id);

-- When a disabled person first appeared in each list. After enabling, the person returns to the same place and causes
-- no digest.
create table paused_listings (
  account_id uuid not null references accounts on delete cascade,
  audience text not null,
  listed_at timestamptz not null,
  primary key (account_id, audience)
);

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

-- Updates the counts in the transaction that changes the listings. Rows are locked in the order of the key, so that two
-- such transactions cannot deadlock. A combination with a count of 0 would still reveal a deleted person's values. The
-- transaction that removes the last person deletes the row; a concurrent insert waits and creates the row again.
create function count_listings() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into listing_counts as counts
    select audience, coalesce(college, ''), coalesce(department, ''), coalesce(program, ''),
           coalesce(year_graduated, 0::smallint), count(*)
    from after_rows group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (audience, college, department, program, year_graduated)
    do update set people = counts.people + excluded.people;
    return null;
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
  -- This transaction already holds the locks of these rows, so it does not wait.
  delete from listing_counts as counts using (
    select distinct audience, coalesce(college, '') as college, coalesce(department, '') as department,
           coalesce(program, '') as program, coalesce(year_graduated, 0::smallint) as year_graduated
    from before_rows
  ) as left_rows
  where counts.people = 0 and counts.audience = left_rows.audience and counts.college = left_rows.college
    and counts.department = left_rows.department and counts.program = left_rows.program
    and counts.year_graduated = left_rows.year_graduated;
  return null;
end
$$;

create trigger count_inserted_listings after insert on listings
  referencing new table as after_rows for each statement execute function count_listings();
create trigger count_updated_listings after update on listings
  referencing old table as before_rows new table as after_rows for each statement execute function count_listings();
create trigger count_deleted_listings after delete on listings
  referencing old table as before_rows for each statement execute function count_listings();

-- Vocabulary of words that people can be found by: every word of letters in the listings for members. Numbers are only
-- found by prefix.
create table search_words (
  id integer generated always as identity primary key,
  word text collate "C" not null unique,
  -- Approximate number of people with this word, recounted every night. Only used to order the suggestions.
  people integer not null default 1
);

-- Deletion variants and phonetic keys of each word, hashed to numbers (server/domain/search/spelling.ts).
create table search_spellings (
  key integer not null,
  word_id integer not null references search_words on delete cascade,
  primary key (key, word_id)
);
create index search_spellings_word on search_spellings (word_id);

-- Has one row until listings and vocabulary are rebuilt from the profiles. Each start that finds the row queues the
-- rebuild (server/domain/search/search-rebuild.ts).
create table pending_search_rebuild (
  is_only_row boolean primary key default true check (is_only_row)
);
