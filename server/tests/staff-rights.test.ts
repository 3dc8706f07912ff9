import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Problem } from '#contract/problem.ts';
import { staffProblems } from '#contract/staff.ts';
import { type StaffRole, staffRights, staffRoles } from '#contract/staff-values.ts';
import { type TestArchive, type Visitor, openArchive } from '../testing/archive.ts';
import { makeStaff } from '../testing/staff.ts';
import { callStaffEndpoint, outcomeOf } from '../testing/staff-callers.ts';
import { staffCalls, staffEndpointNames, unknownTarget } from '../testing/staff-endpoints.ts';

/*
 * Every endpoint of the staff console refuses everyone without the right, a second factor or a recent password. The calls are valid, but
 * concern things that do not exist, so that no call depends on another one.
 */

let archive: TestArchive;
let unverified: Visitor;
let member: Visitor;
/** Each role, with a second factor and a password entered just now. */
const ready = {} as Record<StaffRole, Visitor>;
const withoutFactor = {} as Record<StaffRole, Visitor>;
/** The password was entered 13 hours ago. */
const stale = {} as Record<StaffRole, Visitor>;
/** The password was entered 6 minutes ago. */
const recent = {} as Record<StaffRole, Visitor>;
/** Roles of one college. */
const limited = {} as Record<'registrar' | 'moderator', Visitor>;

const scopeOf = (role: StaffRole) =>
  role === 'class-representative' ? { department: 'Physics', yearFrom: 2012, yearTo: 2012 } : {};

beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  unverified = await archive.signUp();
  member = await archive.createMember();
  const create = async (role: StaffRole, scope: Parameters<typeof makeStaff>[3] = scopeOf(role)) => {
    const visitor = await archive.signUpVerified();
    await makeStaff(archive, visitor, role, scope);
    return visitor;
  };
  const enterPassword = ({ uid }: Visitor, age: string) =>
    archive.pool.query(`update sessions set authenticated_at = now() - $2::interval where account_id = $1`, [uid, age]);
  for (const role of staffRoles) {
    ready[role] = await create(role);
    withoutFactor[role] = await create(role);
    await archive.pool.query('delete from authenticators where account_id = $1', [withoutFactor[role].uid]);
    stale[role] = await create(role);
    await enterPassword(stale[role], '13 hours');
    recent[role] = await create(role);
    await enterPassword(recent[role], '6 minutes');
  }
  for (const role of ['registrar', 'moderator'] as const) limited[role] = await create(role, { college: 'COSIT' });
});
afterAll(() => archive.close());

test.each(staffEndpointNames)('%s requires the right, a second factor and a recent password', async (name) => {
  const { rights, isUnlimited = false, needsRecentPassword = false } = staffCalls[name];
  const ask = async ({ device }: Pick<Visitor, 'device'>) =>
    (await callStaffEndpoint(device, name, unknownTarget)).map(outcomeOf);
  const call = async (visitor: Pick<Visitor, 'device'>) => {
    const outcomes = await ask(visitor);
    // What is asked does not matter: all inputs have the same answer.
    expect(outcomes).toEqual(outcomes.map(() => outcomes[0]));
    return outcomes[0] ?? '';
  };
  expect(await call({ device: archive.openDevice() })).toBe('auth/unauthenticated');
  expect(await call(unverified)).toBe('auth/unverified-email');
  expect(await call(member)).toBe('permission-denied');
  const refusals = new Set<string>(staffProblems);
  for (const role of staffRoles) {
    const isAllowed =
      rights === 'role' || rights.some((right) => (staffRights[right] as readonly StaffRole[]).includes(role));
    if (!isAllowed) {
      expect([role, await call(ready[role])]).toEqual([role, 'permission-denied']);
      continue;
    }
    for (const outcome of await ask(ready[role])) {
      expect([role, refusals.has(outcome) ? outcome : '']).toEqual([role, '']);
      // Otherwise the inputs would be refused before anything else.
      expect([role, outcome]).not.toEqual([role, 'validation-failed']);
    }
    if (rights === 'role') continue;
    expect([role, await call(withoutFactor[role])]).toEqual([role, 'permission-denied']);
    const [refused] = await callStaffEndpoint(withoutFactor[role].device, name, unknownTarget);
    expect(refused?.json<Problem>().detail).toContain('second factor');
    expect([role, await call(stale[role])]).toEqual([role, 'auth/requires-recent-login']);
    for (const outcome of await ask(recent[role]))
      expect([role, outcome === 'auth/requires-recent-login']).toEqual([role, needsRecentPassword]);
    if (role === 'registrar' || role === 'moderator')
      for (const outcome of await ask(limited[role]))
        expect([role, outcome === 'permission-denied']).toEqual([role, isUnlimited]);
  }
});
