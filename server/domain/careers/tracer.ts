import { sql } from 'kysely';
import { isAtWork } from '#contract/career-values.ts';
import type { TracerAnswer } from '#contract/careers.ts';
import type { TracerCounts, TracerRow, TracerSum } from '#contract/staff/careers.ts';
import { allYears } from '#contract/staff/tracer-counts.ts';
import type { StaffScope } from '#contract/staff/scope.ts';
import type { Db } from '#server/db/client.ts';
import type { Context } from '../context.ts';
import { requiresConfirmation } from '../membership/membership.ts';
import { classScopeColumns } from '../staff/class-scope.ts';
import { isInScope } from '../staff/guard.ts';
import { type CountedRow, hideSmallCells, sumRows } from './hide-small-cells.ts';

/** Fixed, so that no one can compute a hidden count from two periods (differencing). */
const answerMonths = 24;

/** @param answer null deletes the stored one. Without `answeredOn`, it is of today. */
export async function saveTracerAnswer(
  tx: Db,
  accountId: string,
  answer: (TracerAnswer & { readonly answeredOn?: string }) | null,
): Promise<void> {
  await tx.deleteFrom('tracer_answers').where('account_id', '=', accountId).execute();
  if (!answer) return;
  const { activity, inField, answeredOn } = answer;
  await tx
    .insertInto('tracer_answers')
    .values({
      account_id: accountId,
      activity,
      in_field: isAtWork(activity) ? inField : null,
      ...(answeredOn !== undefined && { answered_on: answeredOn }),
    })
    .execute();
}

/** Stores the tracer report of this month, with small numbers hidden, unless there is one. */
export async function takeTracerSnapshot({ db, institution, inBulkTransaction }: Context): Promise<void> {
  if (!institution.tracerReport) return;
  const month = new Date().toISOString().slice(0, 'YYYY-MM'.length);
  const isTaken = await db.selectFrom('tracer_snapshots').select('month').where('month', '=', month).executeTakeFirst();
  if (isTaken) return;
  await inBulkTransaction(async (tx) => {
    const confirmsMembers = await requiresConfirmation(tx);
    const rows = hideSmallCells(await countOutcomes(tx, institution, confirmsMembers));
    await sql`
      insert into tracer_snapshots (month, rows, counts_roster) values (${month}, ${JSON.stringify(rows)}, ${confirmsMembers})
      on conflict do nothing`.execute(tx);
  });
}

/** Groups the rows before it looks up their colleges, as `findCoverage` does. */
async function countOutcomes(db: Db, institution: Context['institution'], confirmsMembers: boolean) {
  const isReached = sql`a.is_active and a.email_verified and a.mail_failed_to is distinct from a.email`;
  // Answers of people who are not reached do not count: each column is a part of the one before.
  const people = confirmsMembers
    ? sql`
      select e.college, e.department, e.program, e.year_graduated,
        coalesce(${isReached} and a.membership_status = 'confirmed', false) as reached, t.*
      from roster_entries e left join roster_links l on l.entry_id = e.id left join accounts a on a.id = l.account_id
        left join tracer_answers t on t.account_id = a.id
      where e.gone_since is null and e.suppressed_at is null and not e.is_deceased`
    : sql`
      select p.college, p.department, p.program, p.year_graduated, ${isReached} as reached, t.*
      from profiles p join accounts a on a.id = p.account_id left join tracer_answers t on t.account_id = a.id
      where a.is_active`;
  const scope = classScopeColumns(institution, 'c');
  const { rows } = await sql<CountedRow>`
    select ${scope.college} as college, department, program, year_graduated as year, sum(on_roster)::int as "onRoster",
      sum(reached)::int as reached, sum(answered)::int as answered, sum(working)::int as working,
      sum(in_field)::int as "inField", sum(study)::int as study, sum(seeking)::int as seeking
    from (
      select college, department, program, year_graduated, count(*) as on_roster, count(*) filter (where reached) as reached,
        count(*) filter (where answers) as answered,
        count(*) filter (where answers and activity in ('working', 'self-employed')) as working,
        count(*) filter (where answers and activity in ('working', 'self-employed') and in_field) as in_field,
        count(*) filter (where answers and activity = 'studying') as study,
        count(*) filter (where answers and activity = 'seeking') as seeking
      from (
        select *, reached and answered_on > current_date - make_interval(months => ${answerMonths}) as answers
        from (${people}) as people
      ) as people group by 1, 2, 3, 4
    ) as c group by 1, 2, 3, 4 order by 1 nulls last, 2 nulls last, 3 nulls last, 4 desc nulls last`.execute(db);
  return rows;
}

/** Returns the rows of the latest snapshot within the scopes. */
export async function findTracerReport(db: Db, scopes: readonly StaffScope[]) {
  const column = (name: string) => sql`one.value ->> ${name}`;
  const columns = {
    college: column('college'),
    department: column('department'),
    yearGraduated: sql`nullif((${column('year')})::int, ${sql.lit(allYears)})`,
  };
  const { rows } = await sql<{ asOf: string | null; countsRoster: boolean; rows: TracerRow[] }>`
    select to_char(made_at at time zone 'utc', 'YYYY-MM-DD') as "asOf", counts_roster as "countsRoster", coalesce((
      select jsonb_agg(one.value order by one.at) from jsonb_array_elements(s.rows) with ordinality as one (value, at)
      where ${isInScope(scopes, columns)}), '[]') as rows
    from tracer_snapshots as s order by month desc limit 1`.execute(db);
  return rows[0] ?? { asOf: null, countsRoster: false, rows: [] };
}

export function sumShown(rows: readonly TracerCounts[]): TracerSum {
  const outcomes = ['working', 'inField', 'study', 'seeking'] as const;
  const countAnswers = (name: keyof TracerCounts) => sumRows(rows.filter((row) => row[name] !== null)).answered;
  return { ...sumRows(rows), answers: Object.fromEntries(outcomes.map((name) => [name, countAnswers(name)])) };
}

export const sumByDepartment = (rows: readonly TracerRow[]): TracerRow[] =>
  [...Map.groupBy(rows, ({ college, department }) => JSON.stringify([college, department])).values()].flatMap((all) =>
    all.slice(0, 1).map((row) => ({ ...row, program: null, year: null, ...sumShown(all) })),
  );
