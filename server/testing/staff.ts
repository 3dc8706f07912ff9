import type { StaffScope } from '#contract/staff.ts';
import type { StaffRole } from '#contract/staff-values.ts';
import type { TestArchive } from './archive.ts';

/** Gives an account a role, without a limit by default, and a second factor. */
export async function makeStaff(
  { pool }: Pick<TestArchive, 'pool'>,
  { uid }: { readonly uid: string },
  role: StaffRole,
  { college = null, department = null, yearFrom = null, yearTo = null }: Partial<StaffScope> = {},
): Promise<void> {
  await pool.query(
    `insert into staff_roles (account_id, role, college, department, year_from, year_to) values ($1, $2, $3, $4, $5, $6)`,
    [uid, role, college, department, yearFrom, yearTo],
  );
  await pool.query(
    `insert into authenticators (account_id, secret, confirmed_at) values ($1, '\\x00', now()) on conflict do nothing`,
    [uid],
  );
}
