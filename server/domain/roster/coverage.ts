import { sql } from 'kysely';
import type { Institution } from '#contract/institution.ts';
import type { ClassCoverage, Coverage } from '#contract/staff/coverage.ts';
import type { StaffScope } from '#contract/staff/scope.ts';
import type { Db } from '#server/db/client.ts';
import { classScopeColumns } from '../staff/class-scope.ts';
import { isInScope } from '../staff/guard.ts';
import { hasAccount } from './invitations.ts';

type Row = ClassCoverage & { college: string | null; department: string | null };

/**
 * Counts the people of each department and year within the scopes. A person on the current roster counts for the class
 * of the entry, everyone else for the class of the profile. Rows are grouped before their colleges are looked up:
 * 500,000 entries have a few thousand classes.
 */
export async function findCoverage(
  db: Db,
  institution: Pick<Institution, 'colleges'>,
  scopes: readonly StaffScope[],
): Promise<Coverage> {
  const scope = classScopeColumns(institution, 'c');
  const { rows: modes } = await sql<{ confirmsMembers: boolean; hasRoster: boolean }>`
    select mode = 'confirmed' as "confirmsMembers", exists (select from roster_entries) as "hasRoster"
    from membership_mode`.execute(db);
  const { confirmsMembers = false, hasRoster = false } = modes[0] ?? {};
  const counts = sql`
    count(*) filter (where a.membership_status = 'confirmed')::int as confirmed,
    count(m.account_id)::int as listed,
    count(*) filter (where a.is_active and a.email_verified and a.mail_failed_to is distinct from a.email
      and (not ${confirmsMembers} or a.membership_status = 'confirmed'))::int as reachable`;
  const { rows } = await sql<Row>`
    select ${scope.college} as college, c.department, c.year_graduated as year, sum(on_roster)::int as "onRoster",
      sum(confirmed)::int as confirmed, sum(listed)::int as listed, sum(reachable)::int as reachable,
      sum(invited)::int as invited, sum(opened)::int as opened, sum(joined)::int as joined
    from (
      select e.college, e.department, e.year_graduated, count(*)::int as on_roster, ${counts},
        count(i.entry_id)::int as invited, count(*) filter (where i.is_opened)::int as opened,
        count(*) filter (where i.entry_id is not null and ${hasAccount})::int as joined
      from roster_entries e left join roster_links l on l.entry_id = e.id left join accounts a on a.id = l.account_id
        left join listings m on m.account_id = l.account_id and m.audience = 'members'
        left join (
          select entry_id, bool_or(opened_at is not null) as is_opened from roster_invitations where sent_at is not null group by 1
        ) as i on i.entry_id = e.id
      where e.gone_since is null and e.suppressed_at is null
      group by 1, 2, 3
      union all
      select p.college, p.department, p.year_graduated, 0, ${counts}, 0, 0, 0
      from profiles p join accounts a on a.id = p.account_id
        left join listings m on m.account_id = p.account_id and m.audience = 'members'
      where not exists (select from roster_links l join roster_entries e on e.id = l.entry_id
        where l.account_id = p.account_id and e.gone_since is null and e.suppressed_at is null)
      group by 1, 2, 3
    ) as c
    where ${isInScope(scopes, scope)} and on_roster + confirmed + listed + reachable > 0
    group by 1, 2, 3 order by 1 nulls last, 2 nulls last, 3 nulls last`.execute(db);
  return { hasRoster, confirmsMembers, departments: groupByDepartment(rows) };
}

function groupByDepartment(rows: readonly Row[]): Coverage['departments'] {
  const departments: Coverage['departments'] = [];
  for (const { college, department, ...one } of rows) {
    let last = departments.at(-1);
    if (!last || last.college !== college || last.department !== department) {
      last = { college, department, classes: [] };
      departments.push(last);
    }
    last.classes.push(one);
  }
  return departments;
}
