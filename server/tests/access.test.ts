import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import type { AccessLevel, AccessRule } from '#contract/access.ts';
import { type CallParts, toWireRequest } from '#contract/call.ts';
import { endpoints } from '#contract/endpoints.ts';
import type { Problem } from '#contract/problem.ts';
import { type StaffRight, type StaffRole, staffRights, staffRoles, unlimitedRights } from '#contract/staff/values.ts';
import { setMembershipStatus } from '#server/domain/membership/membership.ts';
import { suspendAccount } from '#server/domain/staff/moderation.ts';
import { resetRateLimits } from '#server/platform/limits/rate-limits.ts';
import { type TestArchive, type Visitor, openArchive } from '#server/testing/archive.ts';
import { writeCampusSettings } from '#server/testing/campus.ts';
import type { Device } from '#server/testing/device.ts';
import { type MemberEndpointName, endpointInputs } from '#server/testing/endpoint-inputs.ts';
import { confirmMember, enterConfirmedMode } from '#server/testing/membership.ts';
import { callStaffEndpoint } from '#server/testing/staff-callers.ts';
import { type StaffEndpointName, unknownTarget } from '#server/testing/staff-inputs.ts';
import { makeStaff } from '#server/testing/staff.ts';

/*
 * Calls every endpoint of the contract as every kind of visitor, and compares who gets in with the access that the
 * contract declares. The calls are valid, but concern people and things that do not exist.
 */

type Fact =
  | 'session'
  | 'verified'
  | 'profile'
  | 'confirmed'
  | 'role'
  | `right:${StaffRight}`
  | 'factor'
  | 'fresh'
  | 'recent';

interface Caller {
  readonly kind: string;
  readonly device: Device;
  readonly facts: readonly Fact[];
}

const refusals: Record<Exclude<Fact, `right:${StaffRight}`> | 'right', readonly [code: string, detail: string]> = {
  session: ['auth/unauthenticated', ''],
  verified: ['auth/unverified-email', ''],
  profile: ['permission-denied', 'Complete your profile first.'],
  confirmed: ['permission-denied', 'Confirm that you studied here first.'],
  role: ['permission-denied', ''],
  right: ['permission-denied', ''],
  factor: [
    'permission-denied',
    'Staff need a second factor. Set up an authenticator app or a passkey in the settings.',
  ],
  fresh: ['auth/requires-recent-login', ''],
  recent: ['auth/requires-recent-login', ''],
};
const refusalOf = (fact: string) => refusals[fact.replace(/:.*/u, '') as keyof typeof refusals].join(' ').trim();

const levels: Record<AccessLevel, readonly Fact[]> = {
  everyone: [],
  session: ['session'],
  verified: ['session', 'verified'],
  onboarded: ['session', 'verified', 'profile'],
  confirmed: ['session', 'verified', 'confirmed'],
  member: ['session', 'verified', 'profile', 'confirmed'],
  staff: ['session', 'verified', 'role'],
};

function listRequired({ access, needsRecentPassword }: AccessRule, { facts }: Caller): readonly Fact[] {
  const rights = typeof access === 'string' ? [] : [access.staff].flat();
  const right = rights.find((one) => facts.includes(`right:${one}`)) ?? rights[0];
  return [
    ...levels[typeof access === 'string' ? access : 'verified'],
    ...(right ? ([`right:${right}`, 'factor', 'fresh'] as const) : []),
    ...(needsRecentPassword ? (['recent'] as const) : []),
  ];
}

const outcomeOf = (response: LightMyRequestResponse): string => {
  if (response.statusCode < 400) return String(response.statusCode);
  const { code, detail = '' } = response.json<Problem>();
  return `${code} ${detail}`.trim();
};

let archive: TestArchive;
let campus: ReturnType<typeof writeCampusSettings>;
let callers: readonly Caller[];

async function createCallers(): Promise<Caller[]> {
  const { pool, context } = archive;
  const entered = (age: string) => async (visitor: Visitor) => {
    await pool.query(`update sessions set authenticated_at = now() - $2::interval where account_id = $1`, [
      visitor.uid,
      age,
    ]);
    return visitor;
  };
  const toMember = async (): Promise<Visitor> => {
    const member = await archive.createMember();
    await confirmMember(archive, member);
    return member;
  };
  const suspended = await toMember();
  const until = new Date(Date.now() + 1_000_000);
  await context.db.transaction().execute((tx) => suspendAccount(tx, suspended.uid, until, { actor: null, text: '' }));
  const confirmed = await archive.signUpVerified();
  await context.db.transaction().execute((tx) => setMembershipStatus(tx, confirmed.uid, 'confirmed'));
  const signedIn = ['session', 'recent', 'fresh'] as const;
  const of = (kind: string, { device }: Pick<Visitor, 'device'>, ...facts: Fact[]): Caller => ({ kind, device, facts });
  const found = [
    of('guest', { device: archive.openDevice() }),
    of('suspended', suspended),
    of('unverified', await archive.signUp(), ...signedIn),
    of('verified', await archive.signUpVerified(), ...signedIn, 'verified'),
    of('unconfirmed', await archive.createMember(), ...signedIn, 'verified', 'profile'),
    of('confirmed without a profile', confirmed, ...signedIn, 'verified', 'confirmed'),
    of('member', await toMember(), ...signedIn, 'verified', 'profile', 'confirmed'),
    of(
      'member after 6 minutes',
      await toMember().then(entered('6 minutes')),
      'session',
      'verified',
      'profile',
      'confirmed',
    ),
  ];
  const createStaff = async (role: StaffRole, scope: Parameters<typeof makeStaff>[3]) => {
    const visitor = await archive.signUpVerified();
    await makeStaff(archive, visitor, role, scope);
    return visitor;
  };
  for (const role of staffRoles) {
    const ofClass = { department: 'Physics', yearFrom: 2012, yearTo: 2012 };
    const own = role === 'class-representative' ? ofClass : {};
    const rightsIn = (isLimited: boolean) =>
      (Object.keys(staffRights) as StaffRight[])
        .filter((right) => (staffRights[right] as readonly StaffRole[]).includes(role))
        .filter((right) => !isLimited || !unlimitedRights.includes(right))
        .map((right) => `right:${right}` as const);
    const rights = rightsIn(role === 'class-representative');
    const staff = ['session', 'verified', 'role'] as const;
    const withoutFactor = await createStaff(role, own);
    await pool.query('delete from authenticators where account_id = $1', [withoutFactor.uid]);
    found.push(
      of(role, await createStaff(role, own), ...staff, ...rights, 'factor', 'fresh', 'recent'),
      of(`${role} without a factor`, withoutFactor, ...staff, ...rights, 'fresh', 'recent'),
      of(
        `${role} after 13 hours`,
        await createStaff(role, own).then(entered('13 hours')),
        ...staff,
        ...rights,
        'factor',
      ),
      of(
        `${role} after 6 minutes`,
        await createStaff(role, own).then(entered('6 minutes')),
        ...staff,
        ...rights,
        'factor',
        'fresh',
      ),
    );
    if (role === 'registrar' || role === 'moderator')
      found.push(
        of(
          `${role} of a college`,
          await createStaff(role, { college: 'COSIT' }),
          ...staff,
          ...rightsIn(true),
          'factor',
          'fresh',
          'recent',
        ),
      );
  }
  return found;
}

beforeAll(async () => {
  campus = writeCampusSettings('https://login.oue.edu.ng', {}, { allowsInvitations: true });
  archive = await openArchive(inject('databases'), {
    ...campus.environment,
    AUTH_TOKEN_SYNC_URL: 'https://portal.example.edu/session',
    AUTH_TOKEN_SYNC_ALLOW: 'https://portal.example.edu',
  });
  Object.assign(archive.context.institution, { allowsInvitations: true, tracerReport: true });
  await enterConfirmedMode(archive);
  callers = await createCallers();
});
beforeEach(() => resetRateLimits(archive.context.db));
afterAll(async () => {
  await archive.close();
  campus.remove();
});

const changing: ReadonlySet<string> = new Set<MemberEndpointName>([
  'POST /api/identity/sign-up',
  'POST /api/identity/sign-out',
  'DELETE /api/identity/account',
  'DELETE /api/identity/authenticator',
  'DELETE /api/membership/evidence',
]);

async function call(
  device: Device,
  name: MemberEndpointName | StaffEndpointName,
  isAllowed: boolean,
): Promise<LightMyRequestResponse[]> {
  if (!(name in endpointInputs)) return callStaffEndpoint(device, name as StaffEndpointName, unknownTarget);
  const { method, url, body } = toWireRequest(name, endpointInputs[name as MemberEndpointName] as CallParts);
  // The response of an event stream ends only for HEAD, whose errors have no body.
  return [await device.fetch(isAllowed && name.endsWith('/stream') ? 'HEAD' : method, url, body)];
}

const names = Object.keys(endpoints) as (keyof typeof endpoints)[];

test.each(names)('%s admits exactly the callers that its access declares', async (name) => {
  for (const caller of changing.has(name) ? await createCallers() : callers) {
    const required = listRequired(endpoints[name], caller);
    const missing = required.find((fact) => !caller.facts.includes(fact));
    for (const outcome of (await call(caller.device, name, missing === undefined)).map(outcomeOf)) {
      if (missing !== undefined) {
        expect([caller.kind, outcome]).toEqual([caller.kind, refusalOf(missing)]);
        continue;
      }
      expect([caller.kind, required.map(refusalOf).includes(outcome) ? outcome : '']).toEqual([caller.kind, '']);
      // Otherwise the call would be refused before anything else.
      expect(outcome).not.toMatch(/^(?:validation-failed|malformed-request|internal)/u);
    }
  }
});

test('GET /api/openapi.json describes the access of each endpoint', async () => {
  const { paths } = (await archive.openDevice().fetch('GET', '/api/openapi.json')).json<{
    paths: Record<string, Record<string, { security: unknown; description: string }>>;
  }>();
  const described = (name: keyof typeof endpoints) => {
    const [method = '', path = ''] = name.split(' ');
    return paths[path]?.[method.toLowerCase()];
  };
  expect(names.filter((name) => described(name)?.security === undefined)).toEqual([]);
  expect(described('GET /api/users')?.security).toEqual([]);
  expect(described('PUT /api/blocks/{id}')?.security).toEqual([{ session: ['member'] }]);
  expect(described('GET /api/staff/reports/{id}')?.security).toEqual([
    { session: ['staff:reports'] },
    { session: ['staff:deaths'] },
  ]);
  expect(described('POST /api/identity/email')?.description).toContain(
    'signed-in accounts, with a password of the last 5',
  );
});
