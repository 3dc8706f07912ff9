-- Accepted terms, and complete deletion of an account's data.

alter table accounts
  -- Version of the terms that were last accepted (contract/terms.ts), and when; null if accepted before this was recorded.
  add column terms_version text,
  add column terms_accepted_at timestamptz;

-- A combination with a count of 0 would still reveal a deleted person's values. The transaction that removes the last person deletes
-- the row; a concurrent insert waits and creates the row again.
create or replace function count_listings() returns trigger language plpgsql as $$
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

delete from listing_counts where people = 0;
