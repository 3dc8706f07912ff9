import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { termsVersion } from '#contract/terms.ts';
import { type TestArchive, type Visitor, openArchive } from '#server/testing/archive.ts';
import { findCode } from '#server/testing/inbox.ts';
import { SoftPasskey } from '#server/testing/passkey.ts';
import {
  addPasskey,
  computeAppCode,
  createMemberWithApp,
  createMemberWithPasskey,
  decodeSecret,
  typePassword,
  createWrongCode,
} from '#server/testing/second-factor.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(() => archive.close());

const complete = 'POST /api/identity/sign-in/second-factor' as const;

const nextMail = async (email: string, subject: string) => {
  await archive.runJobs();
  return archive.inbox.next(email, subject);
};

const userOf = async ({ device }: Pick<Visitor, 'device'>) => (await device.call('GET /api/identity/session')).user;

describe('the authenticator app', () => {
  test(
    'takes effect when a code confirms it, and comes with ten recovery codes',
    { tags: ['asvs-6.5.3'] },
    async () => {
      const { device, email, password } = await archive.signUpVerified();
      const { secret, uri } = await device.call('POST /api/identity/authenticator');
      expect(secret).toMatch(/^[A-Z2-7]{32}$/u);
      expect(new URL(uri).searchParams.get('secret')).toBe(secret);
      expect(decodeURIComponent(new URL(uri).pathname)).toContain(email);
      // Before the confirmation, the password alone is enough, so that an unfinished setup locks no one out.
      await archive.openDevice().call('POST /api/identity/sign-in', { body: { email, password } });
      expect(await device.call('GET /api/identity/second-factor')).toEqual({
        authenticator: null,
        passkeys: [],
        recoveryCodes: 0,
      });

      const { recoveryCodes } = await device.call('POST /api/identity/authenticator/confirm', {
        body: { code: computeAppCode(decodeSecret(secret)) },
      });
      expect(new Set(recoveryCodes)).toHaveProperty('size', 10);
      for (const code of recoveryCodes ?? []) expect(code).toMatch(/^[A-Z2-7]{4}(?:-[A-Z2-7]{4}){3}$/u);
      expect(await device.call('GET /api/identity/second-factor')).toMatchObject({
        authenticator: { addedAt: expect.any(String) },
        recoveryCodes: 10,
      });
      const mail = await nextMail(email, 'An authenticator app was added');
      expect(mail.text).toContain('Two-step sign-in is on');
    },
  );

  test('is not confirmed by a wrong code, and cannot be replaced once confirmed', async () => {
    const { device } = await archive.signUpVerified();
    expect(await device.code('POST /api/identity/authenticator/confirm', { body: { code: '123456' } })).toBe(
      'auth/invalid-verification-code',
    );
    const { secret } = await device.call('POST /api/identity/authenticator');
    const app = decodeSecret(secret);
    const confirm = (code: string) => device.ask('POST /api/identity/authenticator/confirm', { body: { code } });
    expect((await confirm(createWrongCode(app))).json()).toMatchObject({ code: 'auth/invalid-verification-code' });
    expect((await confirm(computeAppCode(app))).statusCode).toBe(200);
    expect((await confirm(computeAppCode(app, 1))).json()).toMatchObject({ code: 'auth/second-factor-already-in-use' });
    expect(await device.code('POST /api/identity/authenticator')).toBe('auth/second-factor-already-in-use');
  });

  test('completes a sign-in with a code that is typed with or without spaces', { tags: ['asvs-6.3.3'] }, async () => {
    const owner = await createMemberWithApp(archive);
    const device = await typePassword(archive, owner);
    expect(device.cookies.has('sid')).toBe(false);
    expect(await userOf({ device })).toBeNull();
    expect(await device.call('GET /api/identity/sign-in/second-factor')).toEqual({
      authenticator: true,
      passkey: false,
      recoveryCode: true,
    });
    const code = computeAppCode(owner.secret);
    const { user } = await device.call(complete, { body: { code: ` ${code.slice(0, 3)} ${code.slice(3)} ` } });
    expect(user).toMatchObject({ uid: owner.uid });
    expect(await userOf({ device })).toMatchObject({ uid: owner.uid });
    expect(device.cookies.has('pending')).toBe(false);
  });

  test('ends all other sessions when it is added as the first factor', { tags: ['asvs-7.4.3'] }, async () => {
    const owner = await archive.signUpVerified();
    const other = archive.openDevice();
    await other.call('POST /api/identity/sign-in', { body: { email: owner.email, password: owner.password } });
    const { secret } = await owner.device.call('POST /api/identity/authenticator');
    await owner.device.call('POST /api/identity/authenticator/confirm', {
      body: { code: computeAppCode(decodeSecret(secret)) },
    });
    expect(await userOf({ device: other })).toBeNull();
    expect(await userOf(owner)).not.toBeNull();
  });

  test('can be removed, which deletes the recovery codes and leaves only the password', async () => {
    const owner = await createMemberWithApp(archive);
    await owner.device.call('DELETE /api/identity/authenticator');
    expect(await owner.device.call('GET /api/identity/second-factor')).toMatchObject({ recoveryCodes: 0 });
    await archive
      .openDevice()
      .call('POST /api/identity/sign-in', { body: { email: owner.email, password: owner.password } });
    expect((await nextMail(owner.email, 'Your authenticator app was removed')).text).toContain(
      'Two-step sign-in is off',
    );
    expect(await owner.device.code('DELETE /api/identity/authenticator')).toBe('not-found');
  });

  test('has a secret that is stored only in encrypted form', async () => {
    const { secret, uid } = await createMemberWithApp(archive);
    const { rows } = await archive.pool.query<{ secret: Buffer }>(
      'select secret from authenticators where account_id = $1',
      [uid],
    );
    expect(rows[0]?.secret.includes(secret)).toBe(false);
    expect(rows[0]?.secret).toHaveLength(12 + 20 + 16);
  });
});

describe('recovery codes', () => {
  test(
    'work once, in any spelling, and the owner receives an email with the number of remaining codes',
    { tags: ['asvs-6.4.4'] },
    async () => {
      const owner = await createMemberWithApp(archive);
      const [code = ''] = owner.recoveryCodes;
      const first = await typePassword(archive, owner);
      await first.call(complete, { body: { recoveryCode: code.toLowerCase().replaceAll('-', ' ') } });
      expect((await first.call('GET /api/identity/second-factor')).recoveryCodes).toBe(9);
      expect((await nextMail(owner.email, 'A recovery code was used')).text).toContain('9 are left');
      const second = await typePassword(archive, owner);
      expect(await second.code(complete, { body: { recoveryCode: code } })).toBe('auth/invalid-verification-code');
    },
  );

  test('are replaced when new ones are created', async () => {
    const owner = await createMemberWithApp(archive);
    const { recoveryCodes } = await owner.device.call('POST /api/identity/recovery-codes');
    expect(recoveryCodes).toHaveLength(10);
    await nextMail(owner.email, 'Your recovery codes were renewed');
    const device = await typePassword(archive, owner);
    expect(await device.code(complete, { body: { recoveryCode: owner.recoveryCodes[0] ?? '' } })).toBe(
      'auth/invalid-verification-code',
    );
    await device.call(complete, { body: { recoveryCode: recoveryCodes[0] ?? '' } });
  });

  test('are stored only as hashes, and are not created without a second factor', { tags: ['asvs-6.5.2'] }, async () => {
    const { device } = await archive.signUpVerified();
    expect(await device.code('POST /api/identity/recovery-codes')).toBe('not-found');
    const { recoveryCodes } = await createMemberWithApp(archive);
    const { rows } = await archive.pool.query<{ code_hash: Buffer }>('select code_hash from recovery_codes');
    const stored = rows.map(({ code_hash }) => code_hash.toString('latin1')).join(' ');
    for (const code of recoveryCodes) expect(stored).not.toContain(code.replaceAll('-', ''));
  });
});

describe('a passkey', () => {
  test('is added with a name and completes a sign-in as the second factor', async () => {
    const owner = await createMemberWithPasskey(archive);
    expect(owner.recoveryCodes).toHaveLength(10);
    expect((await nextMail(owner.email, 'A passkey was added')).text).toContain('“My phone”');
    const device = await typePassword(archive, owner);
    expect(await device.call('GET /api/identity/sign-in/second-factor')).toEqual({
      authenticator: false,
      passkey: true,
      recoveryCode: true,
    });
    const options = await device.call('POST /api/identity/sign-in/second-factor/options');
    expect(options.allowCredentials).toMatchObject([{ id: owner.passkey.id, transports: ['internal'] }]);
    const { user } = await device.call(complete, { body: { passkey: owner.passkey.get(options) } });
    expect(user.uid).toBe(owner.uid);
    const { passkeys } = await device.call('GET /api/identity/second-factor');
    expect(passkeys).toMatchObject([{ name: 'My phone', usedAt: expect.any(String) }]);
  });

  test('signs in without a password in a new browser', { tags: ['asvs-6.3.3'] }, async () => {
    const { passkey, uid, email } = await createMemberWithPasskey(archive);
    const device = archive.openDevice();
    const options = await device.call('POST /api/identity/sign-in/passkey/options');
    expect(options).toMatchObject({ allowCredentials: [], userVerification: 'required', rpId: 'localhost' });
    const { user } = await device.call('POST /api/identity/sign-in/passkey', {
      body: { passkey: passkey.get(options) },
    });
    expect(user.uid).toBe(uid);
    expect((await nextMail(email, 'New sign-in to your account')).text).toContain('Unknown browser');
    // A sign-in with a passkey allows sensitive actions, like one with a password.
    await device.call('POST /api/identity/recovery-codes');
  });

  test('creates no recovery codes if the account has some, and deletes them when it is removed as the last factor', async () => {
    const owner = await createMemberWithApp(archive);
    expect(await addPasskey(owner.device, new SoftPasskey(), 'Key')).toBeNull();
    await owner.device.call('DELETE /api/identity/authenticator');
    const { passkeys, recoveryCodes } = await owner.device.call('GET /api/identity/second-factor');
    expect(recoveryCodes).toBe(10);
    const [passkey] = passkeys;
    await owner.device.call('DELETE /api/identity/passkeys/{id}', { params: { id: passkey?.id ?? '' } });
    expect((await nextMail(owner.email, 'A passkey was removed')).text).toContain('Two-step sign-in is off');
    expect(await owner.device.call('GET /api/identity/second-factor')).toEqual({
      authenticator: null,
      passkeys: [],
      recoveryCodes: 0,
    });
  });

  test('is refused after it has been removed', async () => {
    const { device, passkey } = await createMemberWithPasskey(archive);
    const { passkeys } = await device.call('GET /api/identity/second-factor');
    const guest = archive.openDevice();
    const options = await guest.call('POST /api/identity/sign-in/passkey/options');
    await device.call('DELETE /api/identity/passkeys/{id}', { params: { id: passkeys[0]?.id ?? '' } });
    expect(await guest.code('POST /api/identity/sign-in/passkey', { body: { passkey: passkey.get(options) } })).toBe(
      'auth/invalid-passkey',
    );
  });

  test('can be added to only one account, which can have at most twenty', async () => {
    const { passkey } = await createMemberWithPasskey(archive);
    const { device } = await archive.signUpVerified();
    const options = await device.call('POST /api/identity/passkeys/options');
    expect(
      await device.code('POST /api/identity/passkeys', {
        body: { name: 'Mine too', passkey: passkey.create(options) },
      }),
    ).toBe('auth/second-factor-already-in-use');
    for (let count = 0; count < 20; count++) await addPasskey(device, new SoftPasskey());
    const further = await device.call('POST /api/identity/passkeys/options');
    expect(further.excludeCredentials).toHaveLength(20);
    expect(
      await device.problem('POST /api/identity/passkeys', {
        body: { name: 'One more', passkey: new SoftPasskey().create(further) },
      }),
    ).toMatchObject({ code: 'validation-failed', errors: [{ pointer: '/name' }] });
  });
});

describe('a pending sign-in', () => {
  test('ends after five minutes', async () => {
    const owner = await createMemberWithApp(archive);
    const device = await typePassword(archive, owner);
    await archive.advanceTime('5 minutes');
    expect(await device.code(complete, { body: { code: computeAppCode(owner.secret) } })).toBe('auth/sign-in-expired');
    expect(device.cookies.has('pending')).toBe(false);
  });

  test('ends when the password changes', async () => {
    const owner = await createMemberWithApp(archive);
    const device = await typePassword(archive, owner);
    await owner.device.call('POST /api/identity/password', { body: { password: 'quite another word' } });
    expect(await device.code(complete, { body: { code: computeAppCode(owner.secret) } })).toBe('auth/sign-in-expired');
  });

  test('ends after the fifth wrong code, and the owner receives an email', async () => {
    const owner = await createMemberWithApp(archive);
    const device = await typePassword(archive, owner);
    const codes = [];
    for (let attempt = 0; attempt < 5; attempt++)
      codes.push(await device.code(complete, { body: { code: createWrongCode(owner.secret) } }));
    expect(codes).toEqual([...Array<string>(4).fill('auth/invalid-verification-code'), 'auth/sign-in-expired']);
    expect(await device.code(complete, { body: { code: computeAppCode(owner.secret) } })).toBe('auth/sign-in-expired');
    expect((await nextMail(owner.email, 'Someone knows your password')).text).toContain('They did not get in');
  });

  test('can be completed in another server process', async () => {
    const owner = await createMemberWithApp(archive);
    const device = await typePassword(archive, owner);
    const second = await archive.startSecondServer();
    try {
      const { Device } = await import('#server/testing/device.ts');
      const twin = new Device(second, device.ip);
      for (const [name, value] of device.cookies) twin.cookies.set(name, value);
      const { user } = await twin.call(complete, { body: { code: computeAppCode(owner.secret) } });
      expect(user.uid).toBe(owner.uid);
    } finally {
      await second.close();
    }
  });

  test(
    'causes an email about a new browser only when it is completed, and none about a known browser',
    { tags: ['asvs-16.3.1'] },
    async () => {
      const owner = await createMemberWithApp(archive);
      const device = await typePassword(archive, owner);
      await archive.runJobs();
      const subjects = () => archive.inbox.to(owner.email).map(({ subject }) => subject);
      expect(subjects()).not.toContain('New sign-in to your account');
      await device.call(complete, { body: { code: computeAppCode(owner.secret) } });
      await nextMail(owner.email, 'New sign-in to your account');
      await device.call('POST /api/identity/sign-out');
      await device.code('POST /api/identity/sign-in', { body: { email: owner.email, password: owner.password } });
      await device.call(complete, { body: { code: computeAppCode(owner.secret, 1) } });
      await archive.runJobs();
      expect(subjects()).not.toContain('New sign-in to your account');
    },
  );
});

describe('a second factor', () => {
  test(
    'remains after a password reset if it is more than a week old',
    { tags: ['asvs-6.3.4', 'asvs-6.4.3'] },
    async () => {
      const owner = await createMemberWithApp(archive);
      await archive.advanceTime('8 days');
      await archive.openDevice().call('POST /api/identity/password-reset', { body: { email: owner.email } });
      const code = findCode(await nextMail(owner.email, 'Choose a new password'));
      const device = archive.openDevice();
      const password = 'a word of my own';
      await device.call('POST /api/identity/password-reset/confirm', { body: { code, password } });
      expect(device.cookies.has('sid')).toBe(false);
      expect(await device.code('POST /api/identity/sign-in', { body: { email: owner.email, password } })).toBe(
        'auth/multi-factor-required',
      );
      await device.call(complete, { body: { code: computeAppCode(owner.secret) } });
    },
  );

  test('is removed by a password reset if it is less than a week old, because it may be an attacker’s', async () => {
    const owner = await archive.signUpVerified();
    const attacker = archive.openDevice();
    const { email, password } = owner;
    await attacker.call('POST /api/identity/sign-in', { body: { email, password } });
    await addPasskey(attacker, new SoftPasskey(), 'The key of the attacker');
    expect((await userOf(owner))?.uid).toBeUndefined();
    await archive.advanceTime('6 days');
    await archive.openDevice().call('POST /api/identity/password-reset', { body: { email } });
    const code = findCode(await nextMail(email, 'Choose a new password'));
    const device = archive.openDevice();
    const own = 'a word of my own';
    await device.call('POST /api/identity/password-reset/confirm', { body: { code, password: own } });
    await device.call('POST /api/identity/sign-in', { body: { email, password: own } });
    expect(await device.call('GET /api/identity/second-factor')).toEqual({
      authenticator: null,
      passkeys: [],
      recoveryCodes: 0,
    });
    expect((await nextMail(email, 'A second sign-in step was removed')).text).toContain('was not yours');
  });

  test('can be changed only within five minutes of entering the password', { tags: ['asvs-7.5.1'] }, async () => {
    const owner = await createMemberWithApp(archive);
    const { passkeys } = await owner.device.call('GET /api/identity/second-factor');
    expect(passkeys).toEqual([]);
    await archive.advanceTime('6 minutes');
    const passkey = new SoftPasskey().create({
      challenge: 'x',
      rp: { id: 'x', name: 'x' },
      user: { id: 'x' },
    } as never);
    const { device } = owner;
    const codes = [
      await device.code('POST /api/identity/authenticator'),
      await device.code('POST /api/identity/authenticator/confirm', { body: { code: '123456' } }),
      await device.code('DELETE /api/identity/authenticator'),
      await device.code('POST /api/identity/recovery-codes'),
      await device.code('POST /api/identity/passkeys/options'),
      await device.code('POST /api/identity/passkeys', { body: { name: 'x', passkey } }),
      await device.code('DELETE /api/identity/passkeys/{id}', { params: { id: crypto.randomUUID() } }),
    ];
    expect(new Set(codes)).toEqual(new Set(['auth/requires-recent-login']));
    await device.call('POST /api/identity/reauthenticate', { body: { password: owner.password } });
    await device.call('DELETE /api/identity/authenticator');
  });

  test('does not let an attacker who has the password use up the owner’s sign-ins', async () => {
    const owner = await createMemberWithPasskey(archive);
    const { email, password } = owner;
    for (let time = 0; time < 60; time++) await typePassword(archive, owner);
    const body = { email, password };
    expect(await archive.openDevice().code('POST /api/identity/sign-in', { body })).toBe('auth/too-many-requests');
    expect(await owner.device.code('POST /api/identity/sign-in', { body })).toBe('auth/multi-factor-required');
    const elsewhere = archive.openDevice();
    const options = await elsewhere.call('POST /api/identity/sign-in/passkey/options');
    await elsewhere.call('POST /api/identity/sign-in/passkey', { body: { passkey: owner.passkey.get(options) } });
  });

  test('requires a verified address', async () => {
    const { device } = await archive.signUp();
    expect(await device.code('POST /api/identity/authenticator')).toBe('auth/unverified-email');
    expect(await device.code('POST /api/identity/passkeys/options')).toBe('auth/unverified-email');
  });

  test('is removed when the owner recovers the address, if an attacker added it', async () => {
    const owner = await createMemberWithPasskey(archive);
    await archive.advanceTime('8 days');
    const { device, email, password } = owner;
    // The attacker first adds a factor and then requests an email change.
    await device.call('POST /api/identity/reauthenticate', { body: { password } });
    await addPasskey(device, new SoftPasskey(), 'An earlier key of the attacker');
    await archive.advanceTime('1 hour');
    await device.call('POST /api/identity/reauthenticate', { body: { password } });
    await device.call('POST /api/identity/email', { body: { email: `thief-of-${email}` } });
    const change = findCode(await nextMail(`thief-of-${email}`, 'Confirm your new email address'));
    await device.call('POST /api/identity/action-code/apply', { body: { code: change } });
    await archive.advanceTime('1 minute');
    await addPasskey(device, new SoftPasskey(), 'The key of the attacker');
    const { secret } = await device.call('POST /api/identity/authenticator');
    await device.call('POST /api/identity/authenticator/confirm', {
      body: { code: computeAppCode(decodeSecret(secret)) },
    });
    await device.call('POST /api/identity/recovery-codes');
    const recover = findCode(await nextMail(email, 'Your email address was changed'));
    await archive.openDevice().call('POST /api/identity/action-code/apply', { body: { code: recover } });
    const codes = await archive.pool.query('select from recovery_codes where account_id = $1', [owner.uid]);
    expect(codes.rows).toEqual([]);
    const { rows } = await archive.pool.query<{ name: string }>('select name from passkeys where account_id = $1', [
      owner.uid,
    ]);
    expect(rows).toEqual([{ name: 'My phone' }]);
    const left = await archive.pool.query('select from authenticators where account_id = $1', [owner.uid]);
    expect(left.rows).toEqual([]);
  });

  test('is deleted with the account', async () => {
    const owner = await createMemberWithApp(archive);
    await addPasskey(owner.device, new SoftPasskey());
    await owner.device.call('POST /api/identity/passkeys/options');
    await typePassword(archive, owner);
    await owner.device.call('DELETE /api/identity/account');
    for (const table of ['authenticators', 'recovery_codes', 'passkeys', 'challenges', 'pending_sign_ins']) {
      const { rows } = await archive.pool.query(`select from ${table} where account_id = $1`, [owner.uid]);
      expect(rows, table).toEqual([]);
    }
  });

  test('leaves no expired pending sign-ins or challenges after the hourly clean-up', async () => {
    await typePassword(archive, await createMemberWithApp(archive));
    await archive.openDevice().call('POST /api/identity/sign-in/passkey/options');
    await archive.advanceTime('6 minutes');
    const { hourlyCleanUpJob } = await import('../jobs.ts');
    await hourlyCleanUpJob.queue(archive.context.db, {});
    await archive.runJobs();
    for (const table of ['challenges', 'pending_sign_ins'])
      expect((await archive.pool.query(`select from ${table}`)).rows, table).toEqual([]);
  });
});

describe('PASSWORD_MIN', () => {
  test(
    'sets the minimum length of new passwords, and existing shorter passwords remain valid',
    { tags: ['asvs-6.2.1'] },
    async () => {
      const strict = await openArchive(inject('databases'), { PASSWORD_MIN: '10' });
      try {
        const device = strict.openDevice();
        expect(await device.call('GET /api/identity/password-policy')).toMatchObject({ minPasswordLength: 10 });
        const status = (password: string) => device.call('POST /api/identity/password-status', { body: { password } });
        expect(await status('nine char')).toMatchObject({ isValid: false, meetsMinPasswordLength: false });
        expect(await status('ten  chars')).toMatchObject({ isValid: true, meetsMinPasswordLength: true });
        const signUp = (password: string) =>
          device.ask('POST /api/identity/sign-up', {
            body: { email: 'min@mail.example', password, terms: termsVersion },
          });
        expect((await signUp('nine char')).json()).toMatchObject({ code: 'auth/password-does-not-meet-requirements' });
        // The limit and the text of the specification do not change.
        expect((await signUp('five5')).json()).toMatchObject({
          code: 'validation-failed',
          errors: [{ pointer: '/password', message: 'Password cannot be less than six characters' }],
        });
        expect((await signUp('ten  chars')).statusCode).toBe(200);
        expect(await device.code('POST /api/identity/password', { body: { password: 'nine char' } })).toBe(
          'auth/password-does-not-meet-requirements',
        );
        const hash = await strict.context.passwordHasher.hash('old one');
        await strict.pool.query('update accounts set password_hash = $1', [hash]);
        await device.call('POST /api/identity/sign-in', { body: { email: 'min@mail.example', password: 'old one' } });
      } finally {
        await strict.close();
      }
    },
  );
});
