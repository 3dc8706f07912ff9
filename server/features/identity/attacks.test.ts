import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import type { Assertion } from '#contract/second-factor.ts';
import { termsVersion } from '#contract/terms.ts';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import { Device } from '#server/testing/device.ts';
import { findCode } from '#server/testing/inbox.ts';
import { createTestWeb } from '#server/testing/pages.ts';
import { SoftPasskey } from '#server/testing/passkey.ts';
import {
  computeAppCode,
  createMemberWithApp,
  createMemberWithPasskey,
  typePassword,
  createWrongCode,
} from '#server/testing/second-factor.ts';

/*
 * Attacks on accounts. Attacks on mailed codes are in action-codes.test.ts, and more tests of the limits in
 * sign-in.test.ts.
 */

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'), {}, createTestWeb());
});
afterAll(() => archive.close());

const signIn = 'POST /api/identity/sign-in' as const;
const complete = 'POST /api/identity/sign-in/second-factor' as const;

const isIn = async (device: Device) => (await device.call('GET /api/identity/session')).user !== null;

function countByStatus(statuses: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

test('an archive without campus sign-on has none of its routes', async () => {
  const device = archive.openDevice();
  for (const url of ['/auth/campus', '/auth/campus/callback'])
    expect(archive.app.hasRoute({ method: 'GET', url }), url).toBe(false);
  expect(await device.code('GET /api/identity/campus')).toBe('not-found');
  expect(await device.code('GET /api/identity/campus/arrival')).toBe('not-found');
  expect(await device.code('POST /api/identity/campus')).toBe('not-found');
  expect(await device.call('GET /api/institution/privacy')).not.toHaveProperty('campusProvider');
});

describe('parallel use of one credential', () => {
  test('signs in only one of eight browsers that send the same authenticator code', async () => {
    const owner = await createMemberWithApp(archive);
    const devices = [];
    for (let count = 0; count < 8; count++) devices.push(await typePassword(archive, owner));
    const code = computeAppCode(owner.secret);
    const answers = await Promise.all(devices.map((device) => device.ask(complete, { body: { code } })));
    expect(countByStatus(answers.map(({ statusCode }) => statusCode))).toEqual({ 200: 1, 401: 7 });
    const inside = await Promise.all(devices.map(isIn));
    expect(inside.filter(Boolean)).toHaveLength(1);
  });

  test('signs in only one of eight browsers that send the same recovery code', { tags: ['asvs-6.5.1'] }, async () => {
    const owner = await createMemberWithApp(archive);
    const devices = [];
    for (let count = 0; count < 8; count++) devices.push(await typePassword(archive, owner));
    const [recoveryCode = ''] = owner.recoveryCodes;
    const answers = await Promise.all(devices.map((device) => device.ask(complete, { body: { recoveryCode } })));
    expect(countByStatus(answers.map(({ statusCode }) => statusCode))).toEqual({ 200: 1, 401: 7 });
    expect((await owner.device.call('GET /api/identity/second-factor')).recoveryCodes).toBe(9);
  });

  test('opens only one session for eight different recovery codes of one pending sign-in', async () => {
    const owner = await createMemberWithApp(archive);
    const device = await typePassword(archive, owner);
    const twins = owner.recoveryCodes.slice(0, 8).map((recoveryCode) => {
      const twin = new Device(archive.app, device.ip);
      for (const [name, value] of device.cookies) twin.cookies.set(name, value);
      return { twin, recoveryCode };
    });
    const answers = await Promise.all(
      twins.map(({ twin, recoveryCode }) => twin.ask(complete, { body: { recoveryCode } })),
    );
    expect(countByStatus(answers.map(({ statusCode }) => statusCode))).toEqual({ 200: 1, 401: 7 });
    // The refused requests have not used their codes.
    expect((await owner.device.call('GET /api/identity/second-factor')).recoveryCodes).toBe(9);
  });

  test('opens only one session for eight copies of one passkey response', async () => {
    const { passkey } = await createMemberWithPasskey(archive);
    const device = archive.openDevice();
    const body = { passkey: passkey.get(await device.call('POST /api/identity/sign-in/passkey/options')) };
    const twins = Array.from({ length: 8 }, () => {
      const twin = new Device(archive.app, device.ip);
      for (const [name, value] of device.cookies) twin.cookies.set(name, value);
      return twin;
    });
    const answers = await Promise.all(twins.map((twin) => twin.ask('POST /api/identity/sign-in/passkey', { body })));
    expect(countByStatus(answers.map(({ statusCode }) => statusCode))).toEqual({ 200: 1, 401: 7 });
  });

  test('confirms an authenticator app only once for eight parallel requests', async () => {
    const { device } = await archive.signUpVerified();
    const { decodeSecret: secretIn } = await import('#server/testing/second-factor.ts');
    const { secret } = await device.call('POST /api/identity/authenticator');
    const body = { code: computeAppCode(secretIn(secret)) };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => device.ask('POST /api/identity/authenticator/confirm', { body })),
    );
    expect(countByStatus(answers.map(({ statusCode }) => statusCode))).toEqual({ 200: 1, 409: 7 });
    expect((await device.call('GET /api/identity/second-factor')).recoveryCodes).toBe(10);
  });
});

describe('replay of a credential', () => {
  test('fails for a used authenticator code and for codes older than it', { tags: ['asvs-6.5.1'] }, async () => {
    const owner = await createMemberWithApp(archive);
    const next = computeAppCode(owner.secret, 1);
    const now = computeAppCode(owner.secret);
    await (await typePassword(archive, owner)).call(complete, { body: { code: next } });
    const attacker = await typePassword(archive, owner);
    expect(await attacker.code(complete, { body: { code: next } })).toBe('auth/invalid-verification-code');
    expect(await attacker.code(complete, { body: { code: now } })).toBe('auth/invalid-verification-code');
  });

  test('fails for the code that confirmed the authenticator app', async () => {
    const owner = await archive.signUpVerified();
    const { decodeSecret: secretIn } = await import('#server/testing/second-factor.ts');
    const secret = secretIn((await owner.device.call('POST /api/identity/authenticator')).secret);
    const code = computeAppCode(secret);
    await owner.device.call('POST /api/identity/authenticator/confirm', { body: { code } });
    const attacker = await typePassword(archive, owner);
    expect(await attacker.code(complete, { body: { code } })).toBe('auth/invalid-verification-code');
  });

  test('fails for a passkey response, even in another browser or for another purpose', async () => {
    const owner = await createMemberWithPasskey(archive);
    const { passkey } = owner;
    const mine = archive.openDevice();
    const options = await mine.call('POST /api/identity/sign-in/passkey/options');
    const answer = passkey.get(options);
    const other = archive.openDevice();
    await other.call('POST /api/identity/sign-in/passkey/options');
    const send = (device: Device, body: Assertion) =>
      device.ask('POST /api/identity/sign-in/passkey', { body: { passkey: body } });
    expect((await send(archive.openDevice(), answer)).json()).toMatchObject({ code: 'auth/invalid-passkey' });
    expect((await send(other, answer)).json()).toMatchObject({ code: 'auth/invalid-passkey' });
    const pending = await typePassword(archive, owner);
    expect(await pending.code(complete, { body: { passkey: answer } })).toBe('auth/invalid-verification-code');
    // A response for the second step is not a sign-in with a passkey alone, even in the same browser.
    const step = passkey.get(await pending.call('POST /api/identity/sign-in/second-factor/options'));
    pending.cookies.set('passkey', pending.cookies.get('pending') ?? '');
    expect((await send(pending, step)).json()).toMatchObject({ code: 'auth/invalid-passkey' });
    const cookies = [...mine.cookies];
    expect((await send(mine, answer)).statusCode).toBe(200);
    for (const [name, value] of cookies) mine.cookies.set(name, value);
    expect((await send(mine, answer)).json()).toMatchObject({ code: 'auth/invalid-passkey' });
  });

  test('fails for a passkey challenge that is five minutes old', async () => {
    const { passkey } = await createMemberWithPasskey(archive);
    const device = archive.openDevice();
    const options = await device.call('POST /api/identity/sign-in/passkey/options');
    await archive.advanceTime('5 minutes');
    expect(await device.code('POST /api/identity/sign-in/passkey', { body: { passkey: passkey.get(options) } })).toBe(
      'auth/invalid-passkey',
    );
  });
});

describe('a forged passkey response', () => {
  test.each([
    ['comes from another site', { origin: 'https://evil.example' }],
    ['is for another host name', { rpId: 'evil.example' }],
    ['lacks user verification', { verified: false }],
    ['signs another challenge', { challenge: 'AAAA' }],
  ])('is refused if it %s', async (_, faults) => {
    const { passkey } = await createMemberWithPasskey(archive);
    const device = archive.openDevice();
    const options = await device.call('POST /api/identity/sign-in/passkey/options');
    const body = { passkey: passkey.get(options, faults) };
    expect(await device.code('POST /api/identity/sign-in/passkey', { body })).toBe('auth/invalid-passkey');
    expect(await isIn(device)).toBe(false);
  });

  test.each([
    ['comes from another site', { origin: 'https://evil.example' }],
    ['lacks user verification', { verified: false }],
    ['signs another challenge', { challenge: 'AAAA' }],
  ])('is not accepted as a new passkey if it %s', async (_, faults) => {
    const { device } = await archive.signUpVerified();
    const options = await device.call('POST /api/identity/passkeys/options');
    const body = { name: 'Strange', passkey: new SoftPasskey().create(options, faults) };
    expect(await device.code('POST /api/identity/passkeys', { body })).toBe('auth/invalid-passkey');
  });

  test.each(['packed', 'android-key', 'tpm', 'apple', 'fido-u2f', 'android-safetynet'])(
    'cannot make the server send a request by including a %s attestation',
    { tags: ['asvs-1.3.6'] },
    async (attestation) => {
      const { device } = await archive.signUpVerified();
      const options = await device.call('POST /api/identity/passkeys/options');
      const passkey = new SoftPasskey().create(options, { attestation });
      const fetched = vi.spyOn(globalThis, 'fetch');
      await device.call('POST /api/identity/passkeys', { body: { name: 'Mine', passkey } });
      expect(fetched).not.toHaveBeenCalled();
      fetched.mockRestore();
    },
  );

  test('is refused if the signature counter has not increased', async () => {
    const { passkey } = await createMemberWithPasskey(archive);
    const enter = async (counter: number) => {
      const device = archive.openDevice();
      const options = await device.call('POST /api/identity/sign-in/passkey/options');
      return device.ask('POST /api/identity/sign-in/passkey', { body: { passkey: passkey.get(options, { counter }) } });
    };
    expect((await enter(7)).statusCode).toBe(200);
    expect((await enter(7)).statusCode).toBe(401);
    expect((await enter(3)).statusCode).toBe(401);
    expect((await enter(8)).statusCode).toBe(200);
  });

  test('is refused if it is from another account or its signature was changed', async () => {
    const owner = await createMemberWithPasskey(archive);
    const attacker = await createMemberWithPasskey(archive);
    const device = await typePassword(archive, owner);
    const ask = () => device.call('POST /api/identity/sign-in/second-factor/options');
    const foreign = attacker.passkey.get(await ask());
    expect(await device.code(complete, { body: { passkey: foreign } })).toBe('auth/invalid-verification-code');
    const right = owner.passkey.get(await ask());
    const renamed = { ...foreign, id: owner.passkey.id, rawId: owner.passkey.id };
    expect(await device.code(complete, { body: { passkey: renamed } })).toBe('auth/invalid-verification-code');
    const [first, ...rest] = right.response.signature;
    const signature = [first === 'A' ? 'B' : 'A', ...rest].join('');
    const changed = { ...right, response: { ...right.response, signature } };
    expect(await device.code(complete, { body: { passkey: changed } })).toBe('auth/invalid-verification-code');
  });

  test('is refused if its challenge belongs to another session', async () => {
    const owner = await archive.signUpVerified();
    const attacker = await archive.signUpVerified();
    const options = await owner.device.call('POST /api/identity/passkeys/options');
    const body = { name: 'Mine', passkey: new SoftPasskey().create(options) };
    expect(await attacker.device.code('POST /api/identity/passkeys', { body })).toBe('auth/invalid-passkey');
  });
});

describe('a sign-in cookie', () => {
  test('is not used for a new session if it was set by an attacker or belongs to an earlier session', async () => {
    const { email, password, device } = await archive.signUp();
    const planted = createHash('sha256').update('planted').digest('base64url');
    const victim = archive.openDevice();
    for (const name of ['sid', 'pending', 'passkey']) victim.cookies.set(name, planted);
    await victim.call(signIn, { body: { email, password } });
    const given = victim.cookies.get('sid');
    expect(given).toMatch(/^[\w-]{43}$/u);
    expect(given).not.toBe(planted);
    // A valid cookie of the previous user or of an attacker is replaced as well.
    const attacker = archive.openDevice();
    attacker.cookies.set('sid', planted);
    expect(await isIn(attacker)).toBe(false);
    const before = device.cookies.get('sid');
    await device.call(signIn, { body: { email, password } });
    expect(device.cookies.get('sid')).not.toBe(before);
  });

  test('is replaced by the second step of a sign-in', async () => {
    const owner = await createMemberWithApp(archive);
    const attacker = await createMemberWithApp(archive);
    const device = await typePassword(archive, owner);
    const pending = device.cookies.get('pending');
    device.cookies.set('sid', attacker.device.cookies.get('sid') ?? '');
    await device.call(complete, { body: { code: computeAppCode(owner.secret) } });
    expect(device.cookies.get('sid')).not.toBe(attacker.device.cookies.get('sid'));
    expect(device.cookies.get('sid')).not.toBe(pending);
    expect((await device.call('GET /api/identity/session')).user?.uid).toBe(owner.uid);
  });

  test('of a pending sign-in is refused as a session cookie, and vice versa', async () => {
    const owner = await createMemberWithApp(archive);
    const device = await typePassword(archive, owner);
    const pending = device.cookies.get('pending') ?? '';
    const attacker = archive.openDevice();
    attacker.cookies.set('sid', pending);
    expect(await isIn(attacker)).toBe(false);
    attacker.cookies.set('sid', owner.device.cookies.get('sid') ?? '');
    attacker.cookies.set('pending', owner.device.cookies.get('sid') ?? '');
    expect(await attacker.code(complete, { body: { code: computeAppCode(owner.secret) } })).toBe(
      'auth/sign-in-expired',
    );
  });

  test('of a pending sign-in is HttpOnly and SameSite, and stored as a hash', async () => {
    const owner = await createMemberWithApp(archive);
    const response = await archive.openDevice().ask(signIn, { body: { email: owner.email, password: owner.password } });
    const cookie = String(response.headers['set-cookie']);
    expect(cookie).toMatch(/^pending=[\w-]{43}; Max-Age=300; Path=\/; HttpOnly; SameSite=Lax$/u);
    expect(response.body).not.toContain(response.cookies[0]?.value);
    const { rows } = await archive.pool.query<{ token_hash: Buffer }>('select token_hash from pending_sign_ins');
    const digest = createHash('sha256')
      .update(response.cookies[0]?.value ?? '')
      .digest();
    expect(rows.some(({ token_hash }) => token_hash.equals(digest))).toBe(true);
  });

  test('gives no access if it is guessed, or to the passkeys and sessions of another account', async () => {
    const owner = await createMemberWithPasskey(archive);
    const attacker = await archive.signUpVerified();
    const { passkeys } = await owner.device.call('GET /api/identity/second-factor');
    const { sessions } = await owner.device.call('GET /api/identity/sessions');
    const id = passkeys[0]?.id ?? '';
    expect(await attacker.device.code('DELETE /api/identity/passkeys/{id}', { params: { id } })).toBe('not-found');
    expect(
      await attacker.device.code('DELETE /api/identity/sessions/{id}', { params: { id: sessions[0]?.id ?? '' } }),
    ).toBe('not-found');
    expect(await attacker.device.call('GET /api/identity/second-factor')).toMatchObject({ passkeys: [] });
    expect((await owner.device.call('GET /api/identity/second-factor')).passkeys).toHaveLength(1);
    expect(await isIn(owner.device)).toBe(true);
    for (const guess of ['', 'null', '0', 'x'.repeat(43), sessions[0]?.id ?? '']) {
      const guest = archive.openDevice();
      guest.cookies.set('sid', guess);
      expect(await isIn(guest), guess).toBe(false);
    }
  });
});

describe('account enumeration', () => {
  test('fails because all sign-ins with a wrong password get the same response', async () => {
    const plain = await archive.signUp();
    const careful = await createMemberWithApp(archive);
    const answers = [];
    for (const email of ['nobody@mail.example', plain.email, careful.email]) {
      const { statusCode, body, headers } = await archive
        .openDevice()
        .ask(signIn, { body: { email, password: 'wrong!' } });
      answers.push({ statusCode, body, cookies: headers['set-cookie'] });
    }
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  test('fails because all sign-ins with a wrong password cause the same amount of work', async () => {
    const plain = await archive.signUp();
    const careful = await createMemberWithApp(archive);
    const { passwordHasher } = archive.context;
    const verify = vi.spyOn(passwordHasher, 'verify');
    const query = vi.spyOn(archive.pool, 'query');
    const connect = vi.spyOn(archive.pool, 'connect');
    try {
      const work = [];
      for (const email of ['nobody2@mail.example', plain.email, careful.email]) {
        for (const spy of [verify, query, connect]) spy.mockClear();
        await archive.openDevice().ask(signIn, { body: { email, password: 'wrong!' } });
        work.push({
          hashes: verify.mock.calls.length,
          statements: query.mock.calls.length,
          connections: connect.mock.calls.length,
        });
      }
      expect(work[0]?.hashes).toBe(1);
      expect((work[0]?.statements ?? 0) + (work[0]?.connections ?? 0)).toBeGreaterThan(0);
      expect(work[1]).toEqual(work[0]);
      expect(work[2]).toEqual(work[0]);
    } finally {
      for (const spy of [verify, query, connect]) spy.mockRestore();
    }
  });

  test('fails because the options for signing in with a passkey are the same for everyone', async () => {
    await createMemberWithPasskey(archive);
    const { challenge, ...rest } = await archive.openDevice().call('POST /api/identity/sign-in/passkey/options');
    expect(challenge).toMatch(/^[\w-]{43}$/u);
    expect(rest).toEqual({ timeout: 300_000, rpId: 'localhost', allowCredentials: [], userVerification: 'required' });
    const unknown = new SoftPasskey();
    const device = archive.openDevice();
    const options = await device.call('POST /api/identity/sign-in/passkey/options');
    const body = {
      passkey: { ...unknown.get(options), response: { ...unknown.get(options).response, userHandle: 'AA' } },
    };
    expect(await device.code('POST /api/identity/sign-in/passkey', { body })).toBe('auth/invalid-passkey');
  });

  test('fails because second factors are revealed only to a pending sign-in', async () => {
    const device = archive.openDevice();
    expect(await device.code('GET /api/identity/sign-in/second-factor')).toBe('auth/sign-in-expired');
    expect(await device.code('POST /api/identity/sign-in/second-factor/options')).toBe('auth/sign-in-expired');
    expect(await device.code(complete, { body: { code: '123456' } })).toBe('auth/sign-in-expired');
  });
});

describe('brute force', () => {
  test('is limited to fifty passwords an hour from many IP addresses', async () => {
    const { email } = await archive.signUp();
    const codes = [];
    for (let attempt = 0; attempt < 52; attempt++)
      codes.push(await archive.openDevice().code(signIn, { body: { email, password: `guess ${attempt}` } }));
    expect(codes.indexOf('auth/too-many-requests')).toBe(50);
  });

  test(
    'is limited to ten authenticator codes an hour from any number of IP addresses',
    { tags: ['asvs-6.5.4'] },
    async () => {
      const owner = await createMemberWithApp(archive);
      const codes = [];
      for (let round = 0; round < 4; round++) {
        const device = await typePassword(archive, owner);
        for (let attempt = 0; attempt < 4; attempt++) {
          device.ip = `10.201.${round}.${attempt}`;
          codes.push(await device.code(complete, { body: { code: createWrongCode(owner.secret) } }));
        }
      }
      expect(codes.indexOf('auth/too-many-requests')).toBe(10);
      expect(new Set(codes.slice(10))).toEqual(new Set(['auth/too-many-requests']));
      // A correct code is refused above the limit, because success would confirm the guess.
      const device = await typePassword(archive, owner);
      expect(await device.code(complete, { body: { code: computeAppCode(owner.secret) } })).toBe(
        'auth/too-many-requests',
      );
    },
  );

  test('is limited to five checked codes when ten are sent in parallel', async () => {
    const owner = await createMemberWithApp(archive);
    const device = await typePassword(archive, owner);
    const code = createWrongCode(owner.secret);
    const look = vi.spyOn(archive.context.db, 'transaction');
    try {
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => {
          const twin = new Device(archive.app, device.ip);
          for (const [name, value] of device.cookies) twin.cookies.set(name, value);
          return twin.code(complete, { body: { code } });
        }),
      );
      expect(answers).not.toContain('auth/too-many-requests');
      // One transaction for each checked code, and one that ends the sign-in.
      expect(look).toHaveBeenCalledTimes(6);
    } finally {
      look.mockRestore();
    }
    expect(await device.code(complete, { body: { code: computeAppCode(owner.secret) } })).toBe('auth/sign-in-expired');
  });

  test('is limited for recovery codes as for authenticator codes', async () => {
    const owner = await createMemberWithApp(archive);
    const device = await typePassword(archive, owner);
    const codes = [];
    for (let attempt = 0; attempt < 5; attempt++)
      codes.push(await device.code(complete, { body: { recoveryCode: 'AAAA-BBBB-CCCC-DDDD' } }));
    expect(codes.at(-1)).toBe('auth/sign-in-expired');
  });

  test('does not prevent the owner from signing in with a known browser', async () => {
    const owner = await createMemberWithApp(archive);
    await owner.device.call('POST /api/identity/sign-out');
    for (let round = 0; round < 3; round++) {
      const attacker = await typePassword(archive, owner);
      for (let attempt = 0; attempt < 4; attempt++)
        await attacker.code(complete, { body: { code: createWrongCode(owner.secret) } });
    }
    const attacker = await typePassword(archive, owner);
    expect(await attacker.code(complete, { body: { code: computeAppCode(owner.secret) } })).toBe(
      'auth/too-many-requests',
    );
    await owner.device.code(signIn, { body: { email: owner.email, password: owner.password } });
    await owner.device.call(complete, { body: { code: computeAppCode(owner.secret) } });
  });

  test('does not flood the owner’s mailbox with warnings', async () => {
    const owner = await createMemberWithApp(archive);
    const guess = async () => {
      const device = await typePassword(archive, owner);
      for (let attempt = 0; attempt < 5; attempt++)
        await device.code(complete, { body: { code: createWrongCode(owner.secret) } });
    };
    for (let hour = 0; hour < 4; hour++) {
      await guess();
      await archive.pool.query(`delete from long_throttles where key like 'secondFactorByAccount:%'`);
    }
    await archive.runJobs();
    const mails = archive.inbox.to(owner.email).filter(({ subject }) => subject === 'Someone knows your password');
    expect(mails).toHaveLength(3);
  });
});

describe('header injection', () => {
  const evil = 'Key\r\nBcc: everybody@evil.example\r\n\r\nClick https://evil.example';

  test('fails because an address with a line break is refused', async () => {
    for (const email of [
      'a@mail.example\r\nBcc: b@evil.example',
      'a@mail.example\nb',
      '"a\r\nb"@mail.example',
      'a@b\0.example',
    ]) {
      const body = { email, password: 'a long enough word', terms: termsVersion };
      expect(await archive.openDevice().code('POST /api/identity/sign-up', { body }), email).toBe('validation-failed');
      expect(await archive.openDevice().code('POST /api/identity/password-reset', { body: { email } })).toBe(
        'validation-failed',
      );
    }
  });

  test('fails through the name of a passkey, which is escaped in emails', async () => {
    const { device, email } = await archive.signUpVerified();
    const options = await device.call('POST /api/identity/passkeys/options');
    const name = `${evil.slice(0, 40)}<b>x</b>`;
    await device.call('POST /api/identity/passkeys', { body: { name, passkey: new SoftPasskey().create(options) } });
    await archive.runJobs();
    const mail = await archive.inbox.next(email, 'A passkey was added');
    expect(mail.to).toBe(email);
    expect(mail.text).toContain('The passkey “Key Bcc: everybody@evil.example');
    expect(mail.text).not.toMatch(/^Bcc:/mu);
    expect(mail.html).not.toContain('<b>x');
    expect(archive.inbox.to('everybody@evil.example')).toEqual([]);
  });

  test('fails through the User-Agent header, which is not copied to emails', async () => {
    const { email, password } = await archive.signUpVerified();
    await archive
      .openDevice()
      .fetch(
        'POST',
        '/api/identity/sign-in',
        { email, password },
        { 'user-agent': 'Chrome; visit https://evil.example' },
      );
    await archive.runJobs();
    const mail = await archive.inbox.next(email, 'New sign-in to your account');
    expect(mail.text).toContain('Chrome');
    expect(mail.text).not.toContain('evil');
  });
});

describe('another site', () => {
  test('cannot make any call that changes data', async () => {
    const { device } = await archive.signUpVerified();
    const description = (await device.fetch('GET', '/api/openapi.json')).json<{
      paths: Record<string, Record<string, unknown>>;
    }>();
    const calls = Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.keys(methods)
        .filter((method) => method !== 'get')
        .map((method) => [method.toUpperCase(), path.replaceAll(/\{\w+\}/gu, crypto.randomUUID())] as const),
    );
    expect(calls.length).toBeGreaterThan(25);
    device.origin = undefined;
    for (const [method, path] of calls)
      for (const headers of [
        { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
        { origin: 'http://localhost:3000.evil.example' },
        { origin: 'null' },
        {},
      ]) {
        const response = await device.fetch(method, path, undefined, headers);
        expect(response.json(), `${method} ${path}`).toMatchObject({ code: 'origin-refused' });
      }
    device.origin = 'http://localhost:3000';
    expect(await isIn(device)).toBe(true);
  });

  test('cannot send JSON to the API with a form', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const body = '{"email":"form@mail.example","password":"a long enough word"}';
      const response = await archive
        .openDevice()
        .fetch('POST', '/api/identity/sign-up', body, { 'content-type': type });
      expect(response.statusCode, type).toBe(415);
    }
  });

  test('cannot show a page of the archive in a frame', async () => {
    const { device } = await archive.createMember();
    for (const path of ['/', '/login', '/settings?section=security', '/recover-email?actionCode=x', '/user/1']) {
      const { headers } = await device.fetch('GET', path);
      expect(headers['content-security-policy'], path).toContain("frame-ancestors 'none'");
      expect(headers['x-frame-options'], path).toBe('DENY');
    }
  });

  test('cannot be the target of the redirect after a sign-in', async () => {
    const { device } = await archive.createMember();
    for (const from of [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '/.//evil.example',
      '/%2e//evil.example',
      '/\t/evil.example',
      '/home/..//evil.example',
      'javascript:alert(1)',
      'http:evil.example',
      '/\r\nLocation: https://evil.example',
    ]) {
      const { statusCode, headers } = await device.fetch('GET', `/login?from=${encodeURIComponent(from)}`);
      expect(statusCode, from).toBe(302);
      const { origin, pathname } = new URL(headers.location ?? '', 'http://localhost:3000');
      expect([origin, pathname.startsWith('//')], from).toEqual(['http://localhost:3000', false]);
      expect(headers.location, from).not.toMatch(/[\r\n]/u);
    }
  });

  test('cannot show API responses in a frame or read them', async () => {
    const { device } = await archive.signUp();
    const answers = [
      await device.fetch('GET', '/api/identity/session'),
      await device.fetch('GET', '/api/identity/second-factor'),
      await device.fetch('POST', '/api/identity/sign-in', {}),
      await archive.openDevice().fetch('GET', '/api/identity/sessions'),
      await device.fetch('GET', '/api/nothing'),
      await device.fetch('GET', '/api/openapi.json'),
    ];
    for (const { headers } of answers) {
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(headers['x-frame-options']).toBe('DENY');
      expect(headers).not.toHaveProperty('access-control-allow-origin');
    }
  });
});

describe('a stolen password reset link', () => {
  test('opens no session and does not bypass the second factor', async () => {
    const owner = await createMemberWithApp(archive);
    await archive.advanceTime('8 days');
    await archive.openDevice().call('POST /api/identity/password-reset', { body: { email: owner.email } });
    await archive.runJobs();
    const code = findCode(await archive.inbox.next(owner.email, 'Choose a new password'));
    const attacker = archive.openDevice();
    await attacker.call('POST /api/identity/password-reset/confirm', {
      body: { code, password: 'a password of the attacker' },
    });
    expect([...attacker.cookies.keys()]).toEqual(['device']);
    const body = { email: owner.email, password: 'a password of the attacker' };
    expect(await attacker.code(signIn, { body })).toBe('auth/multi-factor-required');
    expect(await isIn(attacker)).toBe(false);
    expect(await attacker.code('DELETE /api/identity/authenticator')).toBe('auth/unauthenticated');
  });
});
