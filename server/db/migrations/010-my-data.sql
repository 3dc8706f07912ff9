-- What somebody has agreed to, and what stays of somebody who has gone: nothing.

alter table accounts
  -- Of the terms that were accepted last (contract/terms.ts), and when; null where it was before this was written down.
  add column terms_version text,
  add column terms_accepted_at timestamptz;

-- A combination that counts nobody any more still says what somebody had written. It goes in the transaction that takes its
-- last person away; whoever is adding one at that moment waits, and writes the row anew.
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
  -- These rows are this transaction's own by now: nobody is waited for.
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
