import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { toWireRequest } from '#contract/call.ts';
import type { Endpoint, EndpointName } from '#contract/endpoint.ts';
import { endpoints } from '#contract/endpoints.ts';
import type { Problem } from '#contract/problem.ts';
import { staffProblems } from '#contract/staff.ts';
import { type StaffRole, staffRights, staffRoles } from '#contract/staff-values.ts';
import { type TestArchive, type Visitor, openArchive } from '../testing/archive.ts';
import { addSecondFactor, makeStaff } from '../testing/staff.ts';
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

test(
  'A new archive has no staff, and nothing over HTTP makes its first member staff',
  {
    tags: ['spec-6.1', 'spec-6.2'],
  },
  async () => {
    const fresh = await openArchive(inject('databases'));
    try {
      const countRoles = async () => (await fresh.pool.query('select from staff_roles')).rowCount;
      expect(await countRoles()).toBe(0);
      const { device, uid, email, document } = await fresh.createMember();
      // Without it, staff calls would be refused for another reason than the role.
      await addSecondFactor(fresh, { uid });
      // All endpoints that do not belong to the staff console, with a role in query and body.
      const role = { role: 'owner', isStaff: true, isAdmin: true };
      for (const [name, endpoint] of Object.entries<Endpoint>(endpoints)) {
        if (name in staffCalls || name.includes('sign-out')) continue;
        const { method, url } = toWireRequest(name as EndpointName, { params: { id: uid } });
        if (endpoint.query) await device.fetch(method, `${url}?role=owner&isStaff=true`);
        if (endpoint.body) await device.fetch(method, url, { ...document, ...role, email });
      }
      const scope = { college: null, department: null, yearFrom: null, yearTo: null };
      const own = { body: { email, role: 'owner', ...scope, lastDay: null } };
      for (const visitor of [fresh.openDevice(), device]) {
        for (const name of staffEndpointNames)
          for (const response of await callStaffEndpoint(visitor, name, unknownTarget))
            expect([name, response.statusCode >= 400]).toEqual([name, true]);
        const { statusCode } = await visitor.ask('POST /api/staff/roles', own as never);
        expect(statusCode).toBe(visitor === device ? 403 : 401);
      }
      expect(await countRoles()).toBe(0);
      expect((await device.call('GET /api/identity/session')).user?.isStaff).toBe(false);
    } finally {
      await fresh.close();
    }
  },
);
