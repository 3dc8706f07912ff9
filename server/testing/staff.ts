import type { StaffScope } from '#contract/staff/scope.ts';
import type { StaffRole } from '#contract/staff/values.ts';
import type { Member, TestArchive } from './archive.ts';

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
  await addSecondFactor({ pool }, { uid });
}

export async function addSecondFactor(
  { pool }: Pick<TestArchive, 'pool'>,
  { uid }: { readonly uid: string },
): Promise<void> {
  await pool.query(
    `insert into authenticators (account_id, secret, confirmed_at) values ($1, '\\x00', now()) on conflict do nothing`,
    [uid],
  );
}

export async function createStaff(
  archive: TestArchive,
  role: StaffRole,
  scope: Partial<StaffScope> = {},
  person: Parameters<TestArchive['createMember']>[0] = {},
): Promise<Member> {
  const member = await archive.createMember(person);
  await makeStaff(archive, member, role, scope);
  return member;
}
