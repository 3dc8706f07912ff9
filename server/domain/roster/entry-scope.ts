import { sql } from 'kysely';
import type { Institution } from '#contract/institution.ts';
import type { StaffScope } from '#contract/staff/scope.ts';
import type { Db } from '#server/db/client.ts';
import { isClassInScope } from '../staff/class-scope.ts';
import { isUnlimited } from '../staff/guard.ts';

export async function isEntryInScope(
  db: Db,
  institution: Pick<Institution, 'colleges'>,
  scopes: readonly StaffScope[],
  entryId: number,
): Promise<boolean> {
  const { rows } = await sql`
    select from roster_entries e
    where id = ${entryId} and suppressed_at is null
      and ${isClassInScope(institution, scopes, 'e')}`.execute(db);
  return rows.length > 0;
}

/**
 * Returns whether staff may confirm someone as a graduate of a department. An unknown department needs the right for
 * the whole institution.
 */
export const isDepartmentInScope = (
  { colleges }: Pick<Institution, 'colleges'>,
  scopes: readonly StaffScope[],
  department: string,
): boolean =>
  scopes.some(
    (scope) =>
      isUnlimited(scope) ||
      colleges.some(({ code, departments }) => code === scope.college && departments.includes(department)),
  );
