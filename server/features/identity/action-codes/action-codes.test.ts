import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { termsVersion as terms } from '#contract/terms.ts';
import { openArchive, type TestArchive, type Visitor } from '#server/testing/archive.ts';
import { findQueued } from '#server/testing/jobs.ts';
import { findCode } from '#server/testing/inbox.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(() => archive.close());

const subjects = {
  verify: 'Verify your email address',
  reset: 'Choose a new password',
  change: 'Confirm your new email address',
  recover: 'Your email address was changed',
} as const;

async function nextCode(address: string, subject: string): Promise<string> {
  await archive.runJobs();
  return findCode(await archive.inbox.next(address, subject));
}

const apply = (code: string) => archive.openDevice().ask('POST /api/identity/action-code/apply', { body: { code } });
const applied = (code: string) => archive.openDevice().call('POST /api/identity/action-code/apply', { body: { code } });
const applyFails = (code: string) =>
  archive.openDevice().code('POST /api/identity/action-code/apply', { body: { code } });
const check = (code: string) => archive.openDevice().call('POST /api/identity/action-code/check', { body: { code } });
const checkFails = (code: string) =>
  archive.openDevice().code('POST /api/identity/action-code/check', { body: { code } });
const confirm = (code: string, password: string) =>
  archive.openDevice().ask('POST /api/identity/password-reset/confirm', { body: { code, password } });
const userOf = async ({ device }: Visitor) => (await device.call('GET /api/identity/session')).user;
const isIn = async (visitor: Visitor) => (await userOf(visitor)) !== null;
const canSignIn = async (email: string, password: string) =>
  (await archive.openDevice().ask('POST /api/identity/sign-in', { body: { email, password } })).statusCode === 200;

async function askForReset(email: string): Promise<string> {
  await archive.openDevice().call('POST /api/identity/password-reset', { body: { email } });
  return nextCode(email, subjects.reset);
}

async function moveTo({ device }: Visitor, email: string): Promise<void> {
  const { pending } = await device.call('POST /api/identity/email', { body: { email } });
  expect(pending).toBe(true);
  await applied(await nextCode(email, subjects.change));
}

describe('action codes (identity rule 1)', () => {
  test('are stored only as hashes and never appear in the queue', { tags: ['asvs-6.5.2', 'asvs-11.5.1'] }, async () => {
    const { email } = await archive.signUp();
    const jobs = JSON.stringify(await findQueued(archive.context.db));
    expect(jobs).toContain(email);
    const code = await nextCode(email, subjects.verify);
    expect(code).toMatch(/^[\w-]{43}$/u);
    expect(jobs).not.toContain(code);
    const { rows } = await archive.pool.query<{ content: string }>(
      `select string_agg(c::text, '') as content from action_codes c`,
    );
    expect(rows[0]?.content).not.toContain(code);
    expect(rows[0]?.content).not.toContain(Buffer.from(code).toString('hex'));
    expect(rows[0]?.content).not.toContain(Buffer.from(code, 'base64url').toString('hex'));
  });

  test(
    'can be checked repeatedly without being used up',
    { tags: ['spec-2.25', 'spec-4.2', 'spec-7.5', 'spec-7.9'] },
    async () => {
      const visitor = await archive.signUp();
      const code = await nextCode(visitor.email, subjects.verify);
      for (let look = 0; look < 3; look++)
        expect(await check(code)).toMatchObject({ mode: 'verifyEmail', email: visitor.email });
      expect(await userOf(visitor)).toMatchObject({ emailVerified: false });
      expect(await applied(code)).toEqual({ mode: 'verifyEmail', email: visitor.email });
      expect(await userOf(visitor)).toMatchObject({ emailVerified: true });
    },
  );

  test('cause no error when they verify an address that is already verified', async () => {
    const visitor = await archive.signUp();
    const code = await nextCode(visitor.email, subjects.verify);
    const answers = await Promise.all(Array.from({ length: 8 }, () => apply(code)));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(200));
    expect(await check(code)).toMatchObject({ mode: 'verifyEmail' });
  });

  test(
    'allow only one of eight parallel password resets, and its password is stored',
    { tags: ['spec-7.7', 'asvs-2.3.4', 'asvs-6.5.1'] },
    async () => {
      const { email } = await archive.signUp();
      const code = await askForReset(email);
      const passwords = Array.from({ length: 8 }, (_, index) => `my word number ${index}`);
      const answers = await Promise.all(passwords.map((password) => confirm(code, password)));
      const winners = passwords.filter((_, index) => answers[index]?.statusCode === 204);
      expect(winners).toHaveLength(1);
      expect(await canSignIn(email, winners[0] ?? '')).toBe(true);
      for (const answer of answers.filter(({ statusCode }) => statusCode !== 204)) {
        expect(answer.json()).toMatchObject({ code: 'auth/invalid-action-code' });
      }
    },
  );

  test('allow only one of eight parallel changes of address', async () => {
    const visitor = await archive.signUpVerified();
    await visitor.device.call('POST /api/identity/email', { body: { email: 'parallel@mail.example' } });
    const code = await nextCode('parallel@mail.example', subjects.change);
    const answers = await Promise.all(Array.from({ length: 8 }, () => apply(code)));
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    await archive.runJobs();
    expect(archive.inbox.to(visitor.email).filter(({ subject }) => subject === subjects.recover)).toHaveLength(1);
  });

  test('are replaced by a newer code of the same mode', { tags: ['asvs-6.6.2'] }, async () => {
    const visitor = await archive.signUp();
    const older = await nextCode(visitor.email, subjects.verify);
    await visitor.device.call('POST /api/identity/verification');
    const newer = await nextCode(visitor.email, subjects.verify);
    expect(await checkFails(older)).toBe('auth/invalid-action-code');
    expect(await check(newer)).toMatchObject({ mode: 'verifyEmail' });
  });

  test.each([
    ['verifyEmail', '3 days'],
    ['resetPassword', '1 hour'],
    ['recoverEmail', '30 days'],
    ['verifyAndChangeEmail', '3 days'],
  ] as const)('of the mode %s expire after %s', { tags: ['asvs-6.4.1', 'asvs-6.5.5'] }, async (mode, lifetime) => {
    const visitor = mode === 'verifyEmail' ? await archive.signUp() : await archive.signUpVerified();
    let code = '';
    if (mode === 'verifyEmail') code = await nextCode(visitor.email, subjects.verify);
    if (mode === 'resetPassword') code = await askForReset(visitor.email);
    if (mode === 'recoverEmail') {
      await moveTo(visitor, `moved-${visitor.email}`);
      code = await nextCode(visitor.email, subjects.recover);
    }
    if (mode === 'verifyAndChangeEmail') {
      await visitor.device.call('POST /api/identity/email', { body: { email: `moved-${visitor.email}` } });
      code = await nextCode(`moved-${visitor.email}`, subjects.change);
    }
    await archive.advanceTime(lifetime);
    await archive.advanceTime('-1 minute');
    expect(await check(code)).toMatchObject({ mode });
    await archive.advanceTime('2 minutes');
    expect(await checkFails(code)).toBe('auth/expired-action-code');
    if (mode === 'resetPassword')
      expect((await confirm(code, 'a word after its time')).json()).toMatchObject({
        code: 'auth/expired-action-code',
      });
    else expect(await applyFails(code)).toBe('auth/expired-action-code');
  });

  test('are invalid if unknown, malformed or already used', { tags: ['asvs-6.4.1', 'asvs-6.5.1'] }, async () => {
    expect(await checkFails('x'.repeat(43))).toBe('auth/invalid-action-code');
    expect(await checkFails("'; drop table accounts; --")).toBe('auth/invalid-action-code');
    const { email } = await archive.signUp();
    const code = await askForReset(email);
    expect((await confirm(code, 'a first new word')).statusCode).toBe(204);
    expect((await confirm(code, 'a second new word')).json()).toMatchObject({ code: 'auth/invalid-action-code' });
    expect(await checkFails(code)).toBe('auth/invalid-action-code');
  });

  test('perform only the action of their mode', { tags: ['spec-4.26', 'spec-7.6', 'asvs-6.6.2'] }, async () => {
    const visitor = await archive.signUp();
    const verification = await nextCode(visitor.email, subjects.verify);
    const reset = await askForReset(visitor.email);
    expect((await confirm(verification, 'not with this one')).json()).toMatchObject({
      code: 'auth/invalid-action-code',
    });
    expect(await applyFails(reset)).toBe('auth/invalid-action-code');
    expect(await check(verification)).toMatchObject({ mode: 'verifyEmail' });
    for (let look = 0; look < 3; look++) expect(await check(reset)).toMatchObject({ mode: 'resetPassword' });
    expect((await confirm(reset, 'chosen by the owner')).statusCode).toBe(204);
  });

  test('become invalid when the account changes to another address', { tags: ['asvs-6.6.2'] }, async () => {
    const visitor = await archive.signUp();
    const verification = await nextCode(visitor.email, subjects.verify);
    const reset = await askForReset(visitor.email);
    await visitor.device.call('POST /api/identity/email', { body: { email: 'right-address@mail.example' } });
    expect(await checkFails(verification)).toBe('auth/invalid-action-code');
    expect((await confirm(reset, 'typed by a stranger')).json()).toMatchObject({ code: 'auth/invalid-action-code' });
  });
});

describe('GET requests (identity rule 2)', () => {
  test('only read data, according to the contract', { tags: ['asvs-3.5.3'] }, async () => {
    const { identityEndpoints } = await import('#contract/identity.ts');
    const reading = Object.keys(identityEndpoints).filter((name) => name.startsWith('GET '));
    expect(reading.toSorted()).toEqual([
      'GET /api/identity/password-policy',
      'GET /api/identity/session',
      'GET /api/identity/sessions',
      'GET /api/identity/terms',
      'GET /api/identity/verification',
    ]);
  });
});

describe('the password reset (identity rule 3)', () => {
  test(
    'ends all sessions, verifies the address and notifies the owner',
    { tags: ['spec-7.4', 'spec-7.7', 'asvs-6.4.3', 'asvs-7.4.3'] },
    async () => {
      const visitor = await archive.signUp();
      const other = archive.openDevice();
      await other.call('POST /api/identity/sign-in', { body: { email: visitor.email, password: visitor.password } });
      const code = await askForReset(visitor.email);
      expect((await confirm(code, 'the new word of it')).statusCode).toBe(204);
      expect(await isIn(visitor)).toBe(false);
      expect((await other.call('GET /api/identity/session')).user).toBeNull();
      expect(await canSignIn(visitor.email, visitor.password)).toBe(false);
      const { user } = await visitor.device.call('POST /api/identity/sign-in', {
        body: { email: visitor.email, password: 'the new word of it' },
      });
      expect(user.emailVerified).toBe(true);
      await archive.runJobs();
      await archive.inbox.next(visitor.email, 'Your password was changed');
    },
  );

  test('does not use up the code if the password is refused', { tags: ['spec-5.14', 'spec-5.34'] }, async () => {
    const { email } = await archive.signUp();
    const code = await askForReset(email);
    expect((await confirm(code, 'password1')).json()).toMatchObject({
      code: 'auth/password-does-not-meet-requirements',
    });
    expect((await confirm(code, '12345')).json()).toMatchObject({ code: 'validation-failed' });
    expect((await confirm(code, 'a much better word')).statusCode).toBe(204);
  });

  test('invalidates all other reset links, and so does a change of the password', async () => {
    const visitor = await archive.signUp();
    const first = await askForReset(visitor.email);
    await visitor.device.call('POST /api/identity/password', { body: { password: 'changed from inside' } });
    expect(await checkFails(first)).toBe('auth/invalid-action-code');
  });

  test('responds to an unknown address as to a known one, but sends no email', { tags: ['asvs-6.4.3'] }, async () => {
    const { email } = await archive.signUp();
    await archive.runJobs();
    const statementsOf = async (address: string) => {
      const statements: string[] = [];
      const listen = (client: { query: (...args: unknown[]) => unknown }) => {
        const { query } = client;
        client.query = (...args: unknown[]) => {
          const [first] = args as [string | { text: string }];
          statements.push(typeof first === 'string' ? first : first.text);
          return query.apply(client, args);
        };
      };
      archive.pool.on('acquire', listen);
      const response = await archive
        .openDevice()
        .ask('POST /api/identity/password-reset', { body: { email: address } });
      archive.pool.off('acquire', listen as never);
      return {
        statements: [...new Set(statements)].toSorted(),
        status: response.statusCode,
        body: response.body,
        cookies: response.cookies,
      };
    };
    const known = await statementsOf(email);
    const unknown = await statementsOf('stranger@mail.example');
    expect(unknown).toEqual(known);
    expect(known.statements.length).toBeGreaterThan(0);
    await archive.runJobs();
    await archive.inbox.next(email, subjects.reset);
    expect(archive.inbox.to('stranger@mail.example')).toEqual([]);
  });

  test('sends at most five emails an hour, without revealing that it sent none', async () => {
    const { email } = await archive.signUp();
    const answers = [];
    for (let request = 0; request < 7; request++)
      answers.push(await archive.openDevice().ask('POST /api/identity/password-reset', { body: { email } }));
    expect(new Set(answers.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1);
    await archive.runJobs();
    expect(archive.inbox.to(email).filter(({ subject }) => subject === subjects.reset)).toHaveLength(5);
  });

  test('delivers its emails after a long outage of the mail server', async () => {
    const { email } = await archive.signUpVerified();
    await archive.openDevice().call('POST /api/identity/password-reset', { body: { email } });
    archive.inbox.refuse(true);
    for (let attempt = 0; attempt < 7; attempt++) {
      await archive.runJobs();
      await archive.advanceTime('5 minutes');
    }
    archive.inbox.refuse(false);
    await confirm(await nextCode(email, subjects.reset), 'late but here it is');
    expect(await canSignIn(email, 'late but here it is')).toBe(true);
  });

  test('ends a parallel sign-in with the old password', { tags: ['asvs-16.5.3'] }, async () => {
    for (let round = 0; round < 4; round++) {
      const visitor = await archive.signUp();
      const code = await askForReset(visitor.email);
      const late = archive.openDevice();
      const body = { email: visitor.email, password: visitor.password };
      await Promise.all([late.ask('POST /api/identity/sign-in', { body }), confirm(code, 'nobody knows this')]);
      expect((await late.call('GET /api/identity/session')).user).toBeNull();
    }
  });

  test('clears the sign-in limits and forgets known browsers', async () => {
    const { email, device: before } = await archive.signUp();
    await before.call('POST /api/identity/sign-out');
    const guess = async (address: number) => {
      const attacker = archive.openDevice();
      for (let attempt = 0; attempt < 5; attempt++)
        await attacker.code('POST /api/identity/sign-in', { body: { email, password: `${address} ${attempt}` } });
    };
    for (let address = 0; address < 10; address++) await guess(address);
    const password = 'the owner’s new word';
    const owner = archive.openDevice();
    await owner.call('POST /api/identity/password-reset', { body: { email } });
    const code = await nextCode(email, subjects.reset);
    await owner.call('POST /api/identity/password-reset/confirm', { body: { code, password } });
    expect(await canSignIn(email, password)).toBe(true);

    for (let address = 0; address < 10; address++) await guess(address);
    expect(await before.code('POST /api/identity/sign-in', { body: { email, password } })).toBe(
      'auth/too-many-requests',
    );
    await owner.call('POST /api/identity/sign-in', { body: { email, password } });
  });
});

describe('a change of address (identity rule 4)', () => {
  test('replaces an unverified address immediately and invalidates its codes', async () => {
    const visitor = await archive.signUp('typo@mail.example');
    const old = await nextCode('typo@mail.example', subjects.verify);
    const { pending, user } = await visitor.device.call('POST /api/identity/email', {
      body: { email: 'typed-right@mail.example' },
    });
    expect({ pending, email: user.email }).toEqual({ pending: false, email: 'typed-right@mail.example' });
    expect(await applyFails(old)).toBe('auth/invalid-action-code');
    await applied(await nextCode('typed-right@mail.example', subjects.verify));
    expect(await userOf(visitor)).toMatchObject({ email: 'typed-right@mail.example', emailVerified: true });
    // The first address was never verified, so it gets no recovery link and is free again.
    expect(archive.inbox.to('typo@mail.example')).toEqual([]);
    await archive.signUp('typo@mail.example');
  });

  test(
    'keeps the verified address until the new one is verified, then sends a recovery link to the old one',
    { tags: ['spec-3.30', 'spec-7.11'] },
    async () => {
      const visitor = await archive.signUpVerified('before@mail.example');
      for (const email of ['mistyped@mail.example', 'after@mail.example'])
        await visitor.device.call('POST /api/identity/email', { body: { email } });
      expect(await userOf(visitor)).toMatchObject({ email: 'before@mail.example', emailVerified: true });
      const code = await nextCode('after@mail.example', subjects.change);
      expect(archive.inbox.to('before@mail.example')).toEqual([]);
      expect(await applied(code)).toEqual({ mode: 'verifyAndChangeEmail', email: 'after@mail.example' });
      expect(await userOf(visitor)).toMatchObject({ email: 'after@mail.example', emailVerified: true });
      const way = await nextCode('before@mail.example', subjects.recover);
      expect(await check(way)).toMatchObject({ mode: 'recoverEmail', email: 'before@mail.example' });
    },
  );

  test('reserves the previous address for thirty days', async () => {
    const visitor = await archive.signUpVerified('held@mail.example');
    await moveTo(visitor, 'held-new@mail.example');
    const body = { email: 'held@mail.example', password: 'a long enough word' };
    expect(await archive.openDevice().code('POST /api/identity/sign-up', { body: { ...body, terms } })).toBe(
      'auth/email-already-in-use',
    );
    const other = await archive.signUpVerified();
    expect(await other.device.code('POST /api/identity/email', { body: { email: 'held@mail.example' } })).toBe(
      'auth/email-already-in-use',
    );
    await archive.advanceTime('30 days 1 minute');
    await archive.openDevice().call('POST /api/identity/sign-up', { body: { ...body, terms } });
  });

  test(
    'can be undone, which ends all sessions, invalidates all codes and sends a password reset link',
    { tags: ['spec-2.29'] },
    async () => {
      const owner = await archive.signUpVerified('owner@mail.example');
      // An attacker with the password, in another browser.
      const attacker: Visitor = { ...owner, device: archive.openDevice() };
      await attacker.device.call('POST /api/identity/sign-in', {
        body: { email: owner.email, password: owner.password },
      });
      await moveTo(attacker, 'thief@mail.example');
      const way = await nextCode('owner@mail.example', subjects.recover);
      const reset = await askForReset('thief@mail.example');
      await attacker.device.call('POST /api/identity/email', { body: { email: 'thief-two@mail.example' } });
      const further = await nextCode('thief-two@mail.example', subjects.change);

      expect(await applied(way)).toEqual({ mode: 'recoverEmail', email: 'owner@mail.example' });
      expect([await isIn(owner), await isIn(attacker)]).toEqual([false, false]);
      // The attacker has the old password, which no longer works with either address.
      expect(await canSignIn('owner@mail.example', owner.password)).toBe(false);
      expect(await canSignIn('thief@mail.example', owner.password)).toBe(false);
      await archive.runJobs();
      await archive.inbox.next('thief@mail.example', 'Your address was removed from an account');
      for (const code of [reset, further, way]) expect(await checkFails(code)).toBe('auth/invalid-action-code');
      const password = 'the owner is back';
      expect((await confirm(await nextCode('owner@mail.example', subjects.reset), password)).statusCode).toBe(204);
      const { user } = await owner.device.call('POST /api/identity/sign-in', {
        body: { email: 'owner@mail.example', password },
      });
      expect(user).toMatchObject({ uid: owner.uid, email: 'owner@mail.example', emailVerified: true });
      const { notifications } = await owner.device.call('GET /api/notifications', { query: {} });
      const changes = notifications.filter(({ kind }) => kind === 'email-changed').map(({ detail }) => detail);
      expect(changes).toEqual(['owner@mail.example', 'thief@mail.example']);
    },
  );

  test('can be undone even if an attacker changes the address twice', async () => {
    const owner = await archive.signUpVerified('first@mail.example');
    await moveTo(owner, 'second@mail.example');
    const wayToFirst = await nextCode('first@mail.example', subjects.recover);
    await moveTo(owner, 'third@mail.example');
    const wayToSecond = await nextCode('second@mail.example', subjects.recover);
    expect(await check(wayToFirst)).toMatchObject({ mode: 'recoverEmail', email: 'first@mail.example' });
    await applied(wayToSecond);
    expect(await check(wayToFirst)).toMatchObject({ mode: 'recoverEmail', email: 'first@mail.example' });
    await applied(wayToFirst);
    const reset = await nextCode('first@mail.example', subjects.reset);
    expect((await confirm(reset, 'first and last')).statusCode).toBe(204);
    expect(await canSignIn('first@mail.example', 'first and last')).toBe(true);
    expect(await canSignIn('second@mail.example', 'first and last')).toBe(false);
  });

  test('can be undone by an older recovery link, which invalidates newer ones', async () => {
    const owner = await archive.signUpVerified('elder@mail.example');
    await moveTo(owner, 'middle@mail.example');
    const wayToElder = await nextCode('elder@mail.example', subjects.recover);
    await moveTo(owner, 'younger@mail.example');
    const wayToMiddle = await nextCode('middle@mail.example', subjects.recover);
    await applied(wayToElder);
    expect(await checkFails(wayToMiddle)).toBe('auth/invalid-action-code');
    // The attacker's address is free again.
    await archive.signUp('middle@mail.example');
  });

  test('sends the recovery link even if the address changes again before it is sent', async () => {
    const owner = await archive.signUpVerified('slow-mail@mail.example');
    await owner.device.call('POST /api/identity/email', { body: { email: 'fast-thief@mail.example' } });
    const code = await nextCode('fast-thief@mail.example', subjects.change);
    await applied(code);
    await owner.device.call('POST /api/identity/email', { body: { email: 'fast-thief-two@mail.example' } });
    await applied(await nextCode('fast-thief-two@mail.example', subjects.change));
    const way = await nextCode('slow-mail@mail.example', subjects.recover);
    expect(await applied(way)).toMatchObject({ email: 'slow-mail@mail.example' });
  });

  test('is cancelled by a change of the password', async () => {
    const visitor = await archive.signUpVerified();
    await visitor.device.call('POST /api/identity/email', { body: { email: 'wished@mail.example' } });
    const wished = await nextCode('wished@mail.example', subjects.change);
    const reset = await askForReset(visitor.email);
    expect((await confirm(reset, 'taken back in time')).statusCode).toBe(204);
    expect(await applyFails(wished)).toBe('auth/invalid-action-code');
    // The same applies if the mail was not sent yet.
    await visitor.device.call('POST /api/identity/sign-in', {
      body: { email: visitor.email, password: 'taken back in time' },
    });
    await visitor.device.call('POST /api/identity/email', { body: { email: 'wished-two@mail.example' } });
    await visitor.device.call('POST /api/identity/password', { body: { password: 'and taken back again' } });
    await archive.runJobs();
    expect(archive.inbox.to('wished-two@mail.example')).toEqual([]);
  });

  test('is refused if another account has taken the address in the meantime', async () => {
    const visitor = await archive.signUpVerified();
    await visitor.device.call('POST /api/identity/email', { body: { email: 'contested@mail.example' } });
    const code = await nextCode('contested@mail.example', subjects.change);
    await archive.signUp('contested@mail.example');
    expect(await applyFails(code)).toBe('auth/email-already-in-use');
    expect(await userOf(visitor)).toMatchObject({ email: visitor.email });
  });
});

describe('the verification email (identity rule 6)', () => {
  test(
    'can be resent immediately after the sign-up, and then every 179 seconds',
    { tags: ['spec-4.29', 'spec-7.8', 'spec-9.8'] },
    async () => {
      const { device, email } = await archive.signUp();
      await nextCode(email, subjects.verify);
      expect(await device.call('GET /api/identity/verification')).toEqual({ retryAfter: 0, undelivered: null });
      expect(await device.call('POST /api/identity/verification')).toEqual({ retryAfter: 179 });
      await nextCode(email, subjects.verify);
      const problem = await device.problem('POST /api/identity/verification');
      expect(problem.code).toBe('auth/too-many-requests');
      expect(problem.retryAfter).toBeGreaterThan(170);
      // A reload requests the remaining time from the server, which continues the countdown.
      const { retryAfter } = await device.call('GET /api/identity/verification');
      expect(retryAfter).toBeGreaterThan(170);
      expect(retryAfter).toBeLessThanOrEqual(179);
      await archive.advanceTime('178 seconds');
      expect(await device.code('POST /api/identity/verification')).toBe('auth/too-many-requests');
      await archive.advanceTime('2 seconds');
      expect(await device.call('POST /api/identity/verification')).toEqual({ retryAfter: 179 });
      expect(await check(await nextCode(email, subjects.verify))).toMatchObject({ mode: 'verifyEmail', email });
    },
  );

  test('is sent only once for eight parallel requests', async () => {
    const { device, email } = await archive.signUp();
    await archive.runJobs();
    await archive.inbox.next(email, subjects.verify);
    const answers = await Promise.all(Array.from({ length: 8 }, () => device.ask('POST /api/identity/verification')));
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    await archive.runJobs();
    expect(archive.inbox.to(email)).toHaveLength(1);
  });

  test('is not sent to a verified account', async () => {
    const { device, email } = await archive.signUpVerified();
    expect(await device.call('POST /api/identity/verification')).toEqual({ retryAfter: 0 });
    await archive.runJobs();
    expect(archive.inbox.to(email)).toEqual([]);
  });
});

describe('email limits (identity rule 6)', () => {
  test('keep repeated sign-ups from flooding a mailbox', async () => {
    const email = 'victim@mail.example';
    for (let account = 0; account < 10; account++) {
      const { device } = await archive.signUp(email);
      await device.call('DELETE /api/identity/account');
    }
    const body = { email, password: 'a long enough word' };
    expect(await archive.openDevice().code('POST /api/identity/sign-up', { body: { ...body, terms } })).toBe(
      'auth/too-many-requests',
    );
    await archive.advanceTime('1 hour');
    await archive.signUp(email);
  });

  test('allow only verification emails to an unverified address', async () => {
    const { device, email } = await archive.signUp();
    await device.call('POST /api/identity/password', { body: { password: 'another long word' } });
    await device.call('DELETE /api/identity/account');
    await archive.runJobs();
    expect(archive.inbox.to(email)).toEqual([]);
  });

  test('allow five password changes an hour, without counting refused ones', { tags: ['spec-5.34'] }, async () => {
    const { device } = await archive.signUpVerified();
    for (let change = 0; change < 5; change++) {
      expect(await device.code('POST /api/identity/password', { body: { password: 'password1' } })).toBe(
        'auth/password-does-not-meet-requirements',
      );
      await device.call('POST /api/identity/password', { body: { password: `a long word ${change}` } });
    }
    expect(await device.code('POST /api/identity/password', { body: { password: 'and another one' } })).toBe(
      'auth/too-many-requests',
    );
  });

  test('keep the recipient of a failed email out of the log', { tags: ['asvs-16.2.5'] }, async () => {
    archive.inbox.refuse(true);
    const { email } = await archive.signUp();
    const { length } = archive.logged;
    await archive.runJobs();
    archive.inbox.refuse(false);
    const lines = archive.logged.slice(length).join('\n');
    expect(lines).toContain('identity:verification-mail');
    expect(lines).toContain('come back later');
    expect(lines).not.toContain(email);
  });
});

describe('email jobs', () => {
  test('are not queued if the sign-up fails', { tags: ['asvs-2.3.3', 'asvs-16.5.3'] }, async () => {
    const { email } = await archive.signUp();
    await archive.runJobs();
    await archive.inbox.next(email, subjects.verify);
    await archive
      .openDevice()
      .ask('POST /api/identity/sign-up', { body: { email, password: 'a long enough word', terms } });
    await archive.runJobs();
    expect(archive.inbox.to(email)).toEqual([]);
  });

  test('are retried while the mail server is unavailable', { tags: ['asvs-16.5.2'] }, async () => {
    archive.inbox.refuse(true);
    const { email } = await archive.signUp();
    await archive.runJobs();
    expect(archive.inbox.to(email)).toEqual([]);
    archive.inbox.refuse(false);
    await archive.advanceTime('1 minute');
    await applied(await nextCode(email, subjects.verify));
  });
});

describe('DELETE /api/identity/account', () => {
  test(
    'deletes the sign-in data, sessions, codes, profile, listings and picture of the account',
    { tags: ['asvs-7.4.2'] },
    async () => {
      const member = await archive.createMember();
      const { imgURL } = await member.device.call('GET /api/users/{id}', { params: { id: member.uid }, query: {} });
      expect((await archive.openDevice().fetch('GET', imgURL ?? '')).statusCode).toBe(200);
      const reset = await askForReset(member.email);
      await member.device.call('DELETE /api/identity/account');
      expect(await isIn(member)).toBe(false);
      expect(await canSignIn(member.email, member.password)).toBe(false);
      expect(await checkFails(reset)).toBe('auth/invalid-action-code');
      expect(await archive.openDevice().code('GET /api/users/{id}', { params: { id: member.uid }, query: {} })).toBe(
        'not-found',
      );
      const { rows } = await archive.pool.query<{ left: number }>(
        `select (select count(*) from listings where account_id = $1) + (select count(*) from profiles where account_id = $1)
            + (select count(*) from sessions where account_id = $1) as left`,
        [member.uid],
      );
      expect(Number(rows[0]?.left)).toBe(0);
      await archive.runJobs();
      await archive.inbox.next(member.email, 'Your account was deleted');
      await archive.signUp(member.email);
    },
  );
});
