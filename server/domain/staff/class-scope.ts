import { sql } from 'kysely';
import type { Institution } from '#contract/institution.ts';
import type { StaffScope } from '#contract/staff/scope.ts';
import { type ScopeColumns, isInScope } from './guard.ts';

type Colleges = Pick<Institution, 'colleges'>;

/** Returns the SQL condition that a row is in one of the scopes, see `classScopeColumns`. */
export const isClassInScope = (institution: Colleges, scopes: readonly StaffScope[], alias: string) =>
  isInScope(scopes, classScopeColumns(institution, alias));

/**
 * Returns the columns by which a row with the columns `college`, `department` and `year_graduated` is in the scope of
 * staff: an entry of the roster, or an item of the review queue. The college is that of the department in
 * `institution.json`. If no college or several colleges have the department, it is the one that the row names, by code
 * or by name.
 * @param alias of the table in the query
 */
export function classScopeColumns({ colleges }: Colleges, alias: string): ScopeColumns {
  const byName = colleges.flatMap(({ code, name }) => [code, name].map((text) => [text.toLowerCase(), code] as const));
  const departments = colleges.flatMap(({ departments }) => departments);
  const byDepartment = colleges.flatMap(({ code, departments: own }) =>
    own
      .filter((department) => departments.filter((each) => each === department).length === 1)
      .map((department) => [department, code] as const),
  );
  const lookUp = (pairs: readonly (readonly [string, string])[]) => JSON.stringify(Object.fromEntries(pairs));
  return {
    college: sql`coalesce(${lookUp(byDepartment)}::jsonb ->> ${sql.ref(`${alias}.department`)},
      ${lookUp(byName)}::jsonb ->> lower(${sql.ref(`${alias}.college`)}))`,
    department: sql.ref(`${alias}.department`),
    yearGraduated: sql.ref(`${alias}.year_graduated`),
  };
}
