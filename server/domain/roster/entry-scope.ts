import { sql } from 'kysely';
import type { Institution } from '#contract/institution.ts';
import type { StaffScope } from '#contract/staff.ts';
import type { Db } from '../../db/client.ts';
import { type ScopeColumns, isInScope } from '../staff/guard.ts';

/**
 * Returns the columns by which an entry is in the scope of staff, by the alias of `roster_entries`. Files name colleges by code or by name, or
 * not at all: then the college is the only one that has the department.
 */
export function entryScopeColumns({ colleges }: Pick<Institution, 'colleges'>, alias: string): ScopeColumns {
  const byCollege = colleges.flatMap(({ code, name }) =>
    [code, name].map((text) => [text.toLowerCase(), code] as const),
  );
  const departments = colleges.flatMap(({ departments }) => departments);
  const byDepartment = colleges.flatMap(({ code, departments: own }) =>
    own
      .filter((department) => departments.filter((each) => each === department).length === 1)
      .map((department) => [department, code] as const),
  );
  const lookUp = (pairs: readonly (readonly [string, string])[]) => JSON.stringify(Object.fromEntries(pairs));
  return {
    college: sql`coalesce(${lookUp(byCollege)}::jsonb ->> lower(${sql.ref(`${alias}.college`)}),
      ${lookUp(byDepartment)}::jsonb ->> ${sql.ref(`${alias}.department`)})`,
    department: sql.ref(`${alias}.department`),
    yearGraduated: sql.ref(`${alias}.year_graduated`),
  };
}

/** Returns whether an entry exists within the scopes. False for the entry of a person who has objected. */
export async function isEntryInScope(
  db: Db,
  institution: Pick<Institution, 'colleges'>,
  scopes: readonly StaffScope[],
  entryId: number,
): Promise<boolean> {
  const { rows } = await sql`
    select from roster_entries e
    where id = ${entryId} and suppressed_at is null and ${isInScope(scopes, entryScopeColumns(institution, 'e'))}`.execute(
    db,
  );
  return rows.length > 0;
}
