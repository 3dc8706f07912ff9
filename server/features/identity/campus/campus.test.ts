import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import type { AccessRule } from '#contract/access.ts';
import { type CallParts, toWireRequest } from '#contract/call.ts';
import { campusEndpoints } from '#contract/campus.ts';
import { endpoints } from '#contract/endpoints.ts';
import { termsVersion } from '#contract/terms.ts';
import { formatDay } from '#server/domain/format-day.ts';
import { resetRateLimits } from '#server/platform/limits/rate-limits.ts';
import { type TestArchive, type Visitor, openArchive } from '#server/testing/archive.ts';
import {
  type Person,
  type TestIssuer,
  comeFromCampus,
  createPerson,
  openIssuer,
  readArrival,
  signIn,
  startCampus,
  writeCampusSettings,
} from '#server/testing/campus.ts';
import { Device } from '#server/testing/device.ts';
import { type MemberEndpointName, endpointInputs } from '#server/testing/endpoint-inputs.ts';
import { findCode } from '#server/testing/inbox.ts';
import { computeAppCode, createMemberWithApp, createWrongCode } from '#server/testing/second-factor.ts';
import { callStaffEndpoint, outcomeOf } from '#server/testing/staff-callers.ts';
import { type StaffEndpointName, unknownTarget } from '#server/testing/staff-inputs.ts';
import { makeStaff } from '#server/testing/staff.ts';
import { hideUnusedJob } from '../jobs.ts';
import { requestAddressEndNotices, toAddressEnd } from './address-end-notices.ts';

let archive: TestArchive;
let issuer: TestIssuer;
let removeSettings: () => void;
beforeAll(async () => {
  issuer = await openIssuer();
  const { environment, remove } = writeCampusSettings(
    issuer.issuer,
    { accountEndMonths: 6 },
    { allowsInvitations: true },
  );
  removeSettings = remove;
  archive = await openArchive(inject('databases'), environment);
});
beforeEach(() => resetRateLimits(archive.context.db));
afterAll(async () => {
  await archive.close();
  await issuer.close();
  removeSettings();
});

const password = 'a long enough word';
const signUpBody = { password, terms: termsVersion };

const userOf = async (device: Device) => (await device.call('GET /api/identity/session')).user;

async function countRows(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of [
    'accounts',
    'sessions',
    'pending_sign_ins',
    'campus_identities',
    'notifications',
    'action_codes',
  ])
    counts[table] = (await archive.pool.query(`select from ${table}`)).rowCount ?? 0;
  return counts;
}

/** Connects a university account, from a new browser that is signed in with the password. */
async function connectTo(visitor: Visitor, person: Person): Promise<Device> {
  const device = await signIn(archive, visitor);
  await comeFromCampus(device, issuer, person);
  await device.call('POST /api/identity/campus');
  return device;
}

async function createConnected(): Promise<Visitor & { readonly person: Person }> {
  const visitor = await archive.signUpVerified();
  const person = createPerson();
  await connectTo(visitor, person);
  return { ...visitor, person };
}

async function opens(person: Person): Promise<boolean> {
  const device = archive.openDevice();
  await comeFromCampus(device, issuer, person);
  return (await userOf(device)) !== null;
}

async function resetPassword(email: string, chosen: string): Promise<void> {
  const device = archive.openDevice();
  await device.call('POST /api/identity/password-reset', { body: { email } });
  await archive.runJobs();
  const code = findCode(await archive.inbox.next(email, 'Choose a new password'));
  await device.call('POST /api/identity/password-reset/confirm', { body: { code, password: chosen } });
}

test('GET /api/openapi.json describes the calls of campus sign-on', async () => {
  const { paths } = (await archive.openDevice().fetch('GET', '/api/openapi.json')).json<{
    paths: Record<string, Record<string, object>>;
  }>();
  for (const name of Object.keys(campusEndpoints)) {
    const [method = '', path = ''] = name.split(' ');
    expect(paths[path]?.[method.toLowerCase()], name).toBeDefined();
  }
});

describe('GET /auth/campus', () => {
  test(
    'asks for a code with PKCE, state and nonce, which no one else can read',
    { tags: ['asvs-10.2.1'] },
    async () => {
      const device = archive.openDevice();
      const { headers } = await device.fetch('GET', '/auth/campus?from=/gallery');
      const params = new URL(String(headers.location)).searchParams;
      expect(Object.fromEntries(params)).toMatchObject({
        client_id: 'archive',
        response_type: 'code',
        scope: 'openid email profile',
        code_challenge_method: 'S256',
        redirect_uri: 'http://localhost:3000/auth/campus/callback',
      });
      expect(params.get('prompt')).toBeNull();
      expect(String(headers['set-cookie'])).toMatch(/HttpOnly; SameSite=Lax/u);
      expect(headers['cache-control']).toBe('no-store');
      const cookie = device.cookies.get('campus') ?? '';
      const [header = ''] = cookie.split('.');
      expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'dir', enc: 'A256GCM' });
      expect(new URL(await startCampus(device, '?again=1')).searchParams.get('prompt')).toBe('login');
    },
  );

  test('keeps an answer for ten minutes', async () => {
    const device = archive.openDevice();
    await comeFromCampus(device, issuer, createPerson());
    expect(await readArrival(device)).toMatchObject({ next: 'sign-up' });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 601_000 });
    expect(await device.code('GET /api/identity/campus/arrival')).toBe('auth/sign-in-expired');
    vi.useRealTimers();
  });
});

describe('a person whose university account is unknown', () => {
  test('creates a verified account with a password, and signs in with either afterwards', async () => {
    const person = createPerson({ given_name: 'Ada', family_name: 'Okonjo' });
    const device = archive.openDevice();
    const before = await countRows();
    expect(await comeFromCampus(device, issuer, person, { query: '?from=/gallery' })).toBe('/campus');
    expect(await readArrival(device)).toEqual({
      next: 'sign-up',
      email: person['email'],
      name: 'Ada Okonjo',
      affiliation: null,
      detail: '',
      from: '/gallery',
    });
    // The callback has changed nothing.
    expect(await countRows()).toEqual(before);
    expect(await userOf(device)).toBeNull();
    const { user } = await device.call('POST /api/identity/campus/sign-up', { body: signUpBody });
    expect(user).toMatchObject({ email: person['email'], emailVerified: true });
    expect((await device.call('GET /api/identity/campus')).connection).toMatchObject({ email: person['email'] });
    expect(await opens(person)).toBe(true);
    await signIn(archive, { email: String(person['email']), password });
    expect(await device.code('POST /api/identity/campus/sign-up', { body: signUpBody })).toBe(
      'auth/email-already-in-use',
    );
  });

  test('needs an arrival, the current terms and a good password', async () => {
    const device = archive.openDevice();
    expect(await device.code('POST /api/identity/campus/sign-up', { body: signUpBody })).toBe('auth/sign-in-expired');
    await comeFromCampus(device, issuer, createPerson());
    const send = (body: typeof signUpBody) => device.code('POST /api/identity/campus/sign-up', { body });
    expect(await send({ ...signUpBody, terms: '1900' })).toBe('terms-changed');
    expect(await send({ ...signUpBody, password: 'password' })).toBe('auth/password-does-not-meet-requirements');
    await startCampus(device);
    expect(await send(signUpBody)).toBe('auth/sign-in-expired');
  });

  test('creates one account with eight parallel requests', async () => {
    const device = archive.openDevice();
    await comeFromCampus(device, issuer, createPerson());
    const twins = Array.from({ length: 8 }, () => {
      const twin = new Device(archive.app, device.ip);
      twin.cookies.set('campus', device.cookies.get('campus') ?? '');
      return twin;
    });
    const answers = await Promise.all(
      twins.map((twin) => twin.ask('POST /api/identity/campus/sign-up', { body: signUpBody })),
    );
    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array<number>(7).fill(409),
    ]);
  });

  test.each([
    ['of another domain', { email: 'ada@gmail.com' }, 'wrong-account'],
    ['that the provider did not verify', { email_verified: false }, 'no-address'],
    ['that the tenant does not own (nOAuth)', { email_verified: undefined, xms_edov: false }, 'no-address'],
    ['that is missing', { email: undefined }, 'no-address'],
  ])('reaches no account with an address %s, not even one with this address', async (_, claims, next) => {
    const person = createPerson();
    await archive.signUpVerified(String(person['email']));
    const device = archive.openDevice();
    await comeFromCampus(device, issuer, { ...person, ...claims });
    expect(await readArrival(device)).toMatchObject({ next });
    expect(await userOf(device)).toBeNull();
    expect(await device.code('POST /api/identity/campus/sign-up', { body: signUpBody })).toBe('auth/sign-in-expired');
  });
});

describe('a person whose university account is connected', () => {
  test(
    'signs in even if the address has changed, and returns to `from` through `/login`',
    { tags: ['asvs-6.8.1'] },
    async () => {
      const { person, uid } = await createConnected();
      const device = archive.openDevice();
      const moved = { ...person, email: 'ada@renamed.example', email_verified: false };
      const query = `?from=${encodeURIComponent('//evil.example')}`;
      expect(await comeFromCampus(device, issuer, moved, { query })).toBe('/login?from=%2F%2Fevil.example');
      expect((await userOf(device))?.uid).toBe(uid);
      const { rows } = await archive.pool.query(
        'select used_at > connected_at as used from campus_identities where account_id = $1',
        [uid],
      );
      expect(rows).toEqual([{ used: true }]);
    },
  );

  test('cannot take sensitive actions without entering the password', async () => {
    const { person } = await createConnected();
    const device = archive.openDevice();
    await comeFromCampus(device, issuer, person);
    const guarded = Object.entries<AccessRule>(endpoints).filter(([, { needsRecentPassword }]) => needsRecentPassword);
    expect(guarded.length).toBeGreaterThan(5);
    for (const [name] of guarded.filter(([one]) => one in endpointInputs)) {
      const input = endpointInputs[name as MemberEndpointName] as CallParts;
      const { method, url, body } = toWireRequest(name as MemberEndpointName, input);
      const code = outcomeOf(await device.fetch(method, url, body));
      // Endpoints of archives that confirm members, or of members, refuse for another reason.
      if (name.includes('/identity/')) expect(code, name).toBe('auth/requires-recent-login');
      else expect(code, name).not.toMatch(/^2/u);
    }
    await device.call('POST /api/identity/reauthenticate', { body: { password } });
    await device.call('DELETE /api/identity/campus');
  });

  test('still needs the second factor, and the password for the staff console', async () => {
    const owner = await createMemberWithApp(archive);
    const person = createPerson();
    await owner.device.call('POST /api/identity/reauthenticate', { body: { password } });
    await comeFromCampus(owner.device, issuer, person);
    await owner.device.call('POST /api/identity/campus');
    const device = archive.openDevice();
    expect(await comeFromCampus(device, issuer, person)).toBe('/login');
    expect(await userOf(device)).toBeNull();
    expect(await device.call('GET /api/identity/sign-in/second-factor')).toMatchObject({ isByCampus: true });
    const code = computeAppCode(owner.secret);
    await device.call('POST /api/identity/sign-in/second-factor', { body: { code } });
    expect(await device.code('POST /api/identity/password', { body: { password } })).toBe('auth/requires-recent-login');
    await makeStaff(archive, owner, 'owner');
    Object.assign(archive.context.institution, { tracerReport: true });
    for (const [name, { access }] of Object.entries<AccessRule>(endpoints)) {
      if (typeof access === 'string' || !name.includes(' /api/staff/')) continue;
      const answers = await callStaffEndpoint(device, name as StaffEndpointName, unknownTarget);
      expect(new Set(answers.map(outcomeOf)), name).toEqual(new Set(['auth/requires-recent-login']));
    }
    await device.call('POST /api/identity/reauthenticate', { body: { password } });
    expect((await callStaffEndpoint(device, 'GET /api/staff/people', unknownTarget)).map(outcomeOf)).toContain('200');
  });

  test('gets an email about the university account, not the password, after failed second steps', async () => {
    const owner = await createMemberWithApp(archive);
    const person = createPerson();
    await owner.device.call('POST /api/identity/reauthenticate', { body: { password } });
    await comeFromCampus(owner.device, issuer, person);
    await owner.device.call('POST /api/identity/campus');
    const device = archive.openDevice();
    await comeFromCampus(device, issuer, person);
    for (let attempt = 0; attempt < 5; attempt++)
      await device.code('POST /api/identity/sign-in/second-factor', { body: { code: createWrongCode(owner.secret) } });
    await archive.runJobs();
    const { text } = await archive.inbox.next(owner.email, /^Someone used your \w+ account$/u);
    expect(text).toContain('They did not get in');
  });

  test('is told that the account is disabled', async () => {
    const { person, uid } = await createConnected();
    await archive.pool.query('update accounts set disabled_at = now() where id = $1', [uid]);
    const device = archive.openDevice();
    expect(await comeFromCampus(device, issuer, person)).toBe('/campus');
    expect(await readArrival(device)).toMatchObject({ next: 'problem', problem: { code: 'auth/user-disabled' } });
    expect(await userOf(device)).toBeNull();
  });

  test('is sent to the password if the account is about to be deleted', async () => {
    const { person, uid } = await createConnected();
    await archive.pool.query(`update accounts set deletes_at = now() + interval '1 day' where id = $1`, [uid]);
    const device = archive.openDevice();
    expect(await comeFromCampus(device, issuer, person)).toBe('/campus');
    expect(await readArrival(device)).toMatchObject({ next: 'sign-in' });
    expect(await userOf(device)).toBeNull();
  });

  test('finds the connection in their data export', async () => {
    const visitor = await createConnected();
    const device = await signIn(archive, visitor);
    await device.call('POST /api/identity/reauthenticate', { body: { password } });
    const response = await device.fetch('GET', `/api/users/${visitor.uid}/export`);
    expect(response.statusCode).toBe(200);
    const { collectIdentityData } = await import('../my-data.ts');
    const session = { id: visitor.uid, account: { id: visitor.uid } } as Parameters<typeof collectIdentityData>[1];
    expect(await collectIdentityData(archive.context, session)).toMatchObject({
      account: { universityAccount: { issuer: issuer.issuer, subject: visitor.person.sub } },
    });
  });
});

describe('POST /api/identity/campus', () => {
  test('connects with a recent password and a verified address only', async () => {
    const unverified = await archive.signUp();
    await comeFromCampus(unverified.device, issuer, createPerson());
    expect(await unverified.device.code('POST /api/identity/campus')).toBe('auth/unverified-email');
    const { device } = await archive.signUpVerified();
    await archive.advanceTime('6 minutes');
    await comeFromCampus(device, issuer, createPerson());
    expect(await device.code('POST /api/identity/campus')).toBe('auth/requires-recent-login');
    await device.call('POST /api/identity/reauthenticate', { body: { password } });
    await device.call('POST /api/identity/campus');
    expect(await readArrival(device)).toMatchObject({ next: 'done' });
  });

  test('ends all other sessions and pending sign-ins, and tells the owner', async () => {
    const visitor = await archive.signUpVerified();
    const other = await signIn(archive, visitor);
    const device = await connectTo(visitor, createPerson());
    expect(await userOf(other)).toBeNull();
    expect(await userOf(visitor.device)).toBeNull();
    await archive.runJobs();
    await archive.inbox.next(visitor.email, /account was connected/u);
    const { notifications } = await device.call('GET /api/notifications', { query: {} });
    expect(notifications.map(({ kind }) => kind)).toContain('campus-connected');
  });

  test('refuses a university account that another account has, and a second one', async () => {
    const first = await createConnected();
    const second = await archive.signUpVerified();
    await comeFromCampus(second.device, issuer, first.person);
    expect(await readArrival(second.device)).toMatchObject({ next: 'other-account' });
    expect((await userOf(second.device))?.uid).toBe(second.uid);
    expect(await second.device.code('POST /api/identity/campus')).toBe('auth/credential-already-in-use');
    const device = await signIn(archive, first);
    await comeFromCampus(device, issuer, createPerson());
    expect(await readArrival(device)).toMatchObject({ next: 'other-identity' });
    expect(await device.code('POST /api/identity/campus')).toBe('auth/provider-already-linked');
    expect(await opens(first.person)).toBe(true);
  });

  test('connects one of eight accounts that want the same university account', async () => {
    const person = createPerson();
    const visitors = [];
    for (let count = 0; count < 8; count++) visitors.push(await archive.signUpVerified());
    for (const { device } of visitors) await comeFromCampus(device, issuer, person);
    const answers = await Promise.all(visitors.map(({ device }) => device.ask('POST /api/identity/campus')));
    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([
      204,
      ...Array<number>(7).fill(409),
    ]);
  });
});

describe('DELETE /api/identity/campus', () => {
  test('disconnects with a recent password, and the password still works', async () => {
    const visitor = await createConnected();
    const device = await signIn(archive, visitor);
    await device.call('DELETE /api/identity/campus');
    await device.call('DELETE /api/identity/campus');
    expect((await device.call('GET /api/identity/campus')).connection).toBeNull();
    expect(await opens(visitor.person)).toBe(false);
    await signIn(archive, visitor);
    await archive.runJobs();
    await archive.inbox.next(visitor.email, /account was disconnected/u);
  });

  test('ends sign-ins that wait for the second factor', async () => {
    const owner = await createMemberWithApp(archive);
    const person = createPerson();
    await owner.device.call('POST /api/identity/reauthenticate', { body: { password } });
    await comeFromCampus(owner.device, issuer, person);
    await owner.device.call('POST /api/identity/campus');
    const other = archive.openDevice();
    expect(await comeFromCampus(other, issuer, person)).toBe('/login');
    await owner.device.call('DELETE /api/identity/campus');
    const body = { code: computeAppCode(owner.secret) };
    expect(await other.code('POST /api/identity/sign-in/second-factor', { body })).toBe('auth/sign-in-expired');
  });
});

describe('POST /api/identity/sign-out', () => {
  test('clears the campus cookie, so that the next user of the browser does not see the person', async () => {
    const { device } = await archive.signUpVerified();
    await comeFromCampus(device, issuer, createPerson());
    expect(await readArrival(device)).toMatchObject({ next: 'connect' });
    await device.call('POST /api/identity/sign-out');
    expect(await device.code('GET /api/identity/campus/arrival')).toBe('auth/sign-in-expired');
  });
});

describe('a password reset and the recovery of an address', () => {
  test('disconnect the university account, and the mail says so', async () => {
    const visitor = await createConnected();
    await resetPassword(visitor.email, 'another long word');
    await archive.runJobs();
    expect((await archive.inbox.next(visitor.email, /account was disconnected/u)).text).toContain('password is reset');
    expect(await opens(visitor.person)).toBe(false);
  });

  test('the recovery of an address disconnects too', async () => {
    const visitor = await archive.signUpVerified();
    const { device, email } = visitor;
    await device.call('POST /api/identity/email', { body: { email: 'thief@mail.example' } });
    await archive.runJobs();
    const code = findCode(await archive.inbox.next('thief@mail.example', 'Confirm your new email address'));
    await device.call('POST /api/identity/action-code/apply', { body: { code } });
    await archive.runJobs();
    const thief = createPerson();
    await connectTo({ ...visitor, email: 'thief@mail.example' }, thief);
    expect(await opens(thief)).toBe(true);
    const way = findCode(await archive.inbox.next(email, 'Your email address was changed'));
    await archive.openDevice().call('POST /api/identity/action-code/apply', { body: { code: way } });
    await archive.runJobs();
    await archive.inbox.next(email, /account was disconnected/u);
    expect(await opens(thief)).toBe(false);
  });
});

/* The attacks of "Pre-hijacked accounts" (arXiv 2205.10174). The attacker acts before the owner of the address comes. */
describe('pre-hijacking', () => {
  test('classic-federated merge: campus sign-on does not sign in to an account that the attacker created', async () => {
    const person = createPerson();
    const attacker = await archive.signUp(String(person['email']), 'password of the attacker');
    const victim = archive.openDevice();
    await comeFromCampus(victim, issuer, person);
    expect(await readArrival(victim)).toMatchObject({ next: 'sign-in' });
    expect(await victim.code('POST /api/identity/campus/sign-up', { body: signUpBody })).toBe(
      'auth/email-already-in-use',
    );
    expect(await userOf(victim)).toBeNull();
    expect((await attacker.device.call('GET /api/identity/campus')).connection).toBeNull();
  });

  test('unexpired session: connecting ends the attacker’s session', async () => {
    const attacker = await archive.signUp();
    await archive.runJobs();
    // The owner of the mailbox believes the mail, and somehow has the password.
    const code = findCode(await archive.inbox.next(attacker.email, 'Verify your email address'));
    await archive.openDevice().call('POST /api/identity/action-code/apply', { body: { code } });
    await connectTo(attacker, createPerson());
    expect(await userOf(attacker.device)).toBeNull();
  });

  test('trojan identifier: a password reset disconnects the attacker’s university account', async () => {
    const attacker = await archive.signUp();
    const trojan = createPerson();
    await comeFromCampus(attacker.device, issuer, trojan);
    expect(await attacker.device.code('POST /api/identity/campus')).toBe('auth/unverified-email');
    await archive.runJobs();
    const code = findCode(await archive.inbox.next(attacker.email, 'Verify your email address'));
    await archive.openDevice().call('POST /api/identity/action-code/apply', { body: { code } });
    await attacker.device.call('POST /api/identity/campus');
    await resetPassword(attacker.email, 'another long word');
    expect(await opens(trojan)).toBe(false);
  });

  test('unexpired email change: connecting cancels the attacker’s pending change', async () => {
    const attacker = await archive.signUpVerified();
    await attacker.device.call('POST /api/identity/email', { body: { email: 'attacker@mail.example' } });
    await archive.runJobs();
    const code = findCode(await archive.inbox.next('attacker@mail.example', 'Confirm your new email address'));
    await connectTo(attacker, createPerson());
    const device = archive.openDevice();
    expect(await device.code('POST /api/identity/action-code/apply', { body: { code } })).toBe(
      'auth/invalid-action-code',
    );
  });

  test('non-verifying provider: an unverified address creates no account', async () => {
    const victim = createPerson();
    const device = archive.openDevice();
    await comeFromCampus(device, issuer, { ...createPerson(), email: victim['email'], email_verified: false });
    expect(await device.code('POST /api/identity/campus/sign-up', { body: signUpBody })).toBe('auth/sign-in-expired');
    await comeFromCampus(device, issuer, victim);
    expect(await readArrival(device)).toMatchObject({ next: 'sign-up' });
  });
});

describe('random answers and acts', () => {
  test('only a connected university account opens a session', async () => {
    const { person, uid } = await createConnected();
    const claims = fc.record(
      {
        sub: fc.constantFrom(person.sub, person.sub.toUpperCase(), `${person.sub} `, 'x', 'é', ''),
        email: fc.constantFrom(person['email'], 'ada@gmail.com', '', 7, null, ['x']),
        email_verified: fc.constantFrom(true, false, 'true', 'false', 1, null),
        xms_edov: fc.constantFrom(true, '1', 0),
        hd: fc.constantFrom('oue.edu.ng', 'evil.example'),
        given_name: fc.oneof(fc.string(), fc.integer()),
      },
      { requiredKeys: ['sub'] },
    );
    await fc.assert(
      fc.asyncProperty(claims, async (random) => {
        const device = archive.openDevice();
        await comeFromCampus(device, issuer, random);
        expect((await userOf(device))?.uid).toBe(random.sub === person.sub ? uid : undefined);
      }),
      { numRuns: 60, seed: 36 },
    );
  });

  test('no unverified account has a connection, and none survives a reset', async () => {
    const acts = ['verify', 'come', 'connect', 'disconnect', 'reset', 'sign-up', 'sign-in'] as const;
    const steps = fc.array(fc.tuple(fc.constantFrom(0, 1), fc.constantFrom(...acts), fc.constantFrom(0, 1)), {
      minLength: 8,
      maxLength: 14,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        await resetRateLimits(archive.context.db);
        const persons = [createPerson(), createPerson()] as const;
        const visitors = [await archive.signUp(String(persons[0]['email'])), await archive.signUp()] as const;
        for (const [at, act, other] of sequence) {
          const { device, email, uid } = visitors[at];
          if (act === 'verify')
            await archive.pool.query('update accounts set email_verified = true where id = $1', [uid]);
          if (act === 'come') await comeFromCampus(device, issuer, persons[other]);
          if (act === 'connect') await device.ask('POST /api/identity/campus');
          if (act === 'disconnect') await device.ask('DELETE /api/identity/campus');
          if (act === 'sign-up') await device.ask('POST /api/identity/campus/sign-up', { body: signUpBody });
          if (act === 'sign-in') await device.ask('POST /api/identity/sign-in', { body: { email, password } });
          if (act === 'reset') await resetPassword(email, password);
          const { rows } = await archive.pool.query<{ id: string; verified: boolean }>(
            'select id, email_verified as verified from accounts join campus_identities on account_id = id',
          );
          expect(rows.filter(({ verified }) => !verified)).toEqual([]);
          if (act === 'reset') expect(rows.map(({ id }) => id)).not.toContain(uid);
        }
      }),
      { numRuns: 8, seed: 36 },
    );
  });
});

describe('a provider that changes its key or does not answer', () => {
  const discovery = '/.well-known/openid-configuration';
  const countRequests = (path: string) => issuer.requests.get(path) ?? 0;

  /** Opens a browser at another process, which has asked the provider nothing yet. */
  async function openNewProcess(): Promise<Device> {
    issuer.requests.clear();
    onTestFinished(() => {
      vi.restoreAllMocks();
      vi.useRealTimers();
      Object.assign(issuer, { isDown: () => false, isHanging: () => false });
    });
    return new Device(await archive.startSecondServer(), '10.9.9.7');
  }

  test('is asked for its configuration once a day, or every 30 seconds while it fails', async () => {
    const device = await openNewProcess();
    const now = performance.now.bind(performance);
    let passedMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now() + passedMs);
    const start = async () => (await startCampus(device)).startsWith(issuer.issuer);
    issuer.isDown = () => true;
    expect([await start(), await start(), countRequests(discovery)]).toEqual([false, false, 1]);
    issuer.isDown = () => false;
    expect([await start(), countRequests(discovery)]).toEqual([false, 1]);
    passedMs += 30_000;
    expect([...(await Promise.all([start(), start()])), countRequests(discovery)]).toEqual([true, true, 2]);
    passedMs += 24 * 60 * 60 * 1000 - 60_000;
    expect([await start(), countRequests(discovery)]).toEqual([true, 2]);
    // The cached configuration has expired. It stays in use until the provider answers again.
    issuer.isDown = () => true;
    passedMs += 60_000;
    expect([await start(), await start(), countRequests(discovery)]).toEqual([true, true, 3]);
    issuer.isDown = () => false;
    passedMs += 30_000;
    expect([await start(), await start(), countRequests(discovery)]).toEqual([true, true, 4]);
  });

  test('is asked for its keys once, and at most once a minute for a key that is unknown', async () => {
    const { person } = await createConnected();
    const device = await openNewProcess();
    const comeAgain = async (kid?: string) => {
      await comeFromCampus(device, issuer, person, kid === undefined ? {} : { faults: { header: { kid } } });
      return countRequests('/jwks');
    };
    expect([await comeAgain(), await comeAgain()]).toEqual([1, 1]);
    expect([await comeAgain('unknown'), await comeAgain('other')]).toEqual([1, 1]);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    expect([await comeAgain('unknown'), await comeAgain('other')]).toEqual([2, 2]);
  });

  test.each([
    ['its configuration', discovery],
    ['tokens', '/token'],
    ['its keys', '/jwks'],
  ])(
    'that hangs when asked for %s ends campus sign-on after 5 seconds, while password sign-in works',
    async (_, path) => {
      const visitor = await createConnected();
      const device = await openNewProcess();
      issuer.isHanging = (one) => one === path;
      const timeouts: AbortController[] = [];
      vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
        const timeout = new AbortController();
        if (ms === 5_000) timeouts.push(timeout);
        return timeout.signal;
      });
      const arriving = path === discovery ? startCampus(device) : comeFromCampus(device, issuer, visitor.person);
      await expect.poll(() => countRequests(path)).toBe(1);
      await signIn(archive, visitor);
      for (const timeout of timeouts) timeout.abort(new DOMException('', 'TimeoutError'));
      expect(await arriving).toBe('/campus');
      expect(await readArrival(device)).toMatchObject({ next: 'unavailable' });
    },
  );

  test('is trusted with the new key within a minute', async () => {
    const { person } = await createConnected();
    await issuer.rotateKey();
    // The library may not load the keys again yet.
    await opens(person);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    expect(await opens(person)).toBe(true);
    vi.useRealTimers();
  });

  test('gets at most 20 code exchanges at once, and password sign-in still works', async () => {
    const visitor = await createConnected();
    const waiting: (() => void)[] = [];
    const tokenResponse = (response: { destroy(): unknown }) => void waiting.push(() => response.destroy());
    const callbacks = [];
    const answered: unknown[] = [];
    for (let count = 0; count < 30; count++) {
      const device = archive.openDevice();
      const params = issuer.authorize(await startCampus(device), visitor.person, { tokenResponse });
      const callback = device.fetch('GET', `/auth/campus/callback?${params}`);
      callbacks.push(callback.then(async () => void answered.push((await readArrival(device)).next)));
    }
    await expect.poll(() => [waiting.length, answered.length]).toEqual([20, 10]);
    expect(new Set(answered)).toEqual(new Set(['unavailable']));
    await signIn(archive, visitor);
    for (const answer of waiting) answer();
    await Promise.all(callbacks);
  });
});

describe('notice mails before the university closes an address', () => {
  test('name the last day of the month in which the university account ends', () => {
    const settings = { domains: ['oue.edu.ng'], accountEndMonths: 6 };
    expect(toAddressEnd(settings, 'ada@oue.edu.ng', 2026)).toBe('2027-06-30');
    expect(toAddressEnd({ ...settings, accountEndMonths: 0 }, 'ada@oue.edu.ng', 2026)).toBe('2026-12-31');
    expect(toAddressEnd(settings, 'ada@mail.example', 2026)).toBeNull();
    expect(toAddressEnd({ domains: ['oue.edu.ng'] }, 'ada@oue.edu.ng', 2026)).toBeNull();
  });

  const runLetters = async () => {
    // Twice, because the second run must not repeat anything.
    for (let night = 0; night < 2; night++) {
      await hideUnusedJob.queue(archive.context.db, {});
      await archive.runJobs();
    }
  };

  /** Sets the months so that addresses of a class end on the last day of a month. @returns the class and the day */
  function setEnd(monthsFromNow: number): { readonly year: number; readonly day: string } {
    const now = new Date();
    const end = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1 + monthsFromNow, 0));
    const year = now.getUTCFullYear() - 1;
    const accountEndMonths = (end.getUTCFullYear() - year) * 12 + end.getUTCMonth() - 11;
    Object.assign(archive.context.institution.campusSignOn ?? {}, { accountEndMonths });
    return { year, day: end.toISOString().slice(0, 10) };
  }

  test('arrive once each, with a notification, and not after the address changed', async () => {
    const { year, day } = setEnd(1);
    const member = await archive.createMember({ yearGraduated: year });
    const moved = await archive.createMember({ yearGraduated: year });
    const own = await archive.createMember({ yearGraduated: year });
    for (const { uid, email } of [member, moved])
      await archive.pool.query('update accounts set email = $2 where id = $1', [
        uid,
        `letter-${email.replace('mail.example', 'oue.edu.ng')}`,
      ]);
    await requestAddressEndNotices(archive.context);
    await archive.pool.query('update accounts set email = $2 where id = $1', [moved.uid, moved.email]);
    await runLetters();
    const address = `letter-${member.email.replace('mail.example', 'oue.edu.ng')}`;
    const noticesTo = (to: string) =>
      archive.inbox.to(to).filter(({ subject }) => subject === 'Change your email address');
    expect(noticesTo(address).map(({ text }) => text.replaceAll(/\s+/gu, ' '))).toEqual([
      expect.stringContaining(formatDay(new Date(day))),
    ]);
    expect([...noticesTo(moved.email), ...noticesTo(own.email)]).toEqual([]);
    const device = await signIn(archive, { ...member, email: address });
    const { notifications } = await device.call('GET /api/notifications', { query: {} });
    expect(notifications.filter(({ kind }) => kind === 'campus-ending')).toMatchObject([{ detail: day }]);
    await runLetters();
    expect(noticesTo(address)).toHaveLength(1);
    // At most 30 days are left now. The sign-in has not made room for more notices.
    setEnd(0);
    await runLetters();
    await runLetters();
    expect(
      (await archive.pool.query('select from notice_mails where account_id = $1', [member.uid])).rowCount,
    ).toBeLessThanOrEqual(2);
    expect(noticesTo(address).length).toBe(
      (await archive.pool.query('select from notice_mails where account_id = $1', [member.uid])).rowCount,
    );
  });
});
