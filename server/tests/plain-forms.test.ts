import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { formPages } from '#contract/page.ts';
import { termsVersion } from '#contract/terms.ts';
import { openArchive, type TestArchive } from '#server/testing/archive.ts';
import type { Device } from '#server/testing/device.ts';
import { findCode } from '#server/testing/inbox.ts';
import { createTestWeb } from '#server/testing/pages.ts';
import { computeAppCode, createMemberWithApp, createWrongCode } from '#server/testing/second-factor.ts';

/*
 * Forms without JavaScript: the browser sends a POST to the page's own URL. The user journey is in
 * `e2e/without-javascript.spec.ts`.
 */

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'), {}, createTestWeb());
});
afterAll(() => archive.close());

const formType = 'application/x-www-form-urlencoded';

const submit = (device: Device, path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  device.fetch('POST', path, String(new URLSearchParams(fields)), { 'content-type': formType, ...headers });

describe('POST /login', () => {
  test(
    'signs in and redirects to the page from which the visitor came',
    { tags: ['spec-1.2', 'spec-2.8', 'spec-2.10'] },
    async () => {
      const { email, password } = await archive.createMember();
      const device = archive.openDevice();
      const response = await submit(device, '/login?from=/gallery', { email, password });
      expect([response.statusCode, response.headers.location]).toEqual([303, '/gallery']);
      const { user } = await device.call('GET /api/identity/session');
      expect(user?.email).toBe(email);
    },
  );

  test('never redirects to another site, and sends users without a profile to the next step', async () => {
    const { email, password } = await archive.signUp();
    const response = await submit(archive.openDevice(), '/login?from=//evil.example', { email, password });
    expect([response.statusCode, response.headers.location]).toEqual([303, '/send-verification-email']);
  });

  test('sends staff without a profile to the staff console, and to the next step from other pages', async () => {
    const { email, password, uid } = await archive.signUp();
    await archive.pool.query('update accounts set email_verified = true where id = $1', [uid]);
    const signIn = async (path: string) =>
      (await submit(archive.openDevice(), path, { email, password })).headers.location;
    expect(await signIn('/login')).toBe('/onboarding');
    expect(await signIn('/login?from=/account')).toBe('/account');
    await archive.pool.query(`insert into staff_roles (account_id, role) values ($1, 'moderator')`, [uid]);
    expect(await signIn('/login?from=/staff/reports')).toBe('/staff/reports');
    expect(await signIn('/login')).toBe('/staff');
    expect(await signIn('/login?from=/gallery')).toBe('/onboarding');
  });

  test('returns the page with the error and the email address, but without the password', async () => {
    const { email } = await archive.signUp();
    const password = 'not the "right" <word>';
    const response = await submit(archive.openDevice(), '/login?from=/gallery', { email, password });
    expect(response.statusCode).toBe(401);
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(response.body).toContain('Wrong email or password (auth/invalid-credential)');
    expect(response.body).toContain(`value="${email}"`);
    expect(response.body).not.toMatch(/not the .{1,8}right/u);
  });

  test.each([
    ['disabled', 'disabled_at = now()'],
    ['suspended', `suspended_until = now() + interval '7 days'`],
  ])('shows the code when the account is %s', { tags: ['spec-8.1'] }, async (state, change) => {
    const { email, password } = await archive.createMember();
    await archive.pool.query(`update accounts set ${change} where email = $1`, [email]);
    const response = await submit(archive.openDevice(), '/login', { email, password });
    expect(response.statusCode).toBe(403);
    expect(response.body).toMatch(new RegExp(`This account is ${state}[^<]* \\(auth/user-disabled\\)<`, 'u'));
  });

  test('returns the specified message for each invalid field', { tags: ['spec-5.4'] }, async () => {
    const response = await submit(archive.openDevice(), '/login', { email: 'nonsense' });
    expect(response.statusCode).toBe(422);
    expect(response.body).toContain('Please enter a valid email address');
    expect(response.body).toContain('Field cannot be empty');
    expect(response.body).toContain('value="nonsense"');
  });

  test('counts against the same limits as the JSON call', { tags: ['spec-8.1'] }, async () => {
    const { email } = await archive.signUp();
    const device = archive.openDevice();
    const body = { email, password: 'wrong word' };
    for (let attempt = 0; attempt < 100; attempt++) {
      if ((await device.ask('POST /api/identity/sign-in', { body })).statusCode === 429) break;
    }
    const response = await submit(device, '/login', body);
    expect(response.statusCode).toBe(429);
    expect(response.body).toContain('(auth/too-many-requests)');
  });

  test('asks for the second factor and completes the sign-in with a code or a recovery code', async () => {
    const { email, password, secret, recoveryCodes } = await createMemberWithApp(archive);
    for (const { way, typed, wrong } of [
      { way: 'authenticator', typed: computeAppCode(secret), wrong: createWrongCode(secret) },
      { way: 'recoveryCode', typed: recoveryCodes[0] ?? '', wrong: 'A'.repeat(16) },
    ]) {
      const device = archive.openDevice();
      const asked = await submit(device, '/login', { email, password });
      expect(asked.statusCode).toBe(401);
      expect(asked.body).toContain('One more step');
      expect(asked.body).toContain('name="way" value="recoveryCode"');
      expect((await device.call('GET /api/identity/session')).user).toBeNull();
      const refused = await submit(device, '/login', { way, typed: wrong });
      expect(refused.statusCode).toBe(401);
      expect(refused.body).toContain('(auth/invalid-verification-code)');
      const entered = await submit(device, '/login', { way, typed });
      expect([entered.statusCode, entered.headers.location]).toEqual([303, '/onboarding']);
      expect((await device.call('GET /api/identity/session')).user?.email).toBe(email);
    }
    const late = await submit(archive.openDevice(), '/login', { way: 'authenticator', typed: '123456' });
    expect(late.statusCode).toBe(401);
    expect(late.body).toContain('(auth/sign-in-expired)');
  });

  test('signs out when the form of the Logout button is sent', async () => {
    const { device } = await archive.signUp();
    const response = await submit(device, '/login', { intent: 'sign-out' });
    expect([response.statusCode, response.headers.location]).toEqual([303, '/login']);
    expect((await device.call('GET /api/identity/session')).user).toBeNull();
  });
});

describe('POST /signup', () => {
  const fields = { password: 'a long enough word', confirmPassword: 'a long enough word', terms: termsVersion };

  test('creates the account, signs in, and mails a link that works without JavaScript', async () => {
    const device = archive.openDevice();
    const email = 'plain@mail.example';
    const response = await submit(device, '/signup', { email, ...fields });
    expect([response.statusCode, response.headers.location]).toEqual([303, '/send-verification-email']);
    await archive.runJobs();
    const code = findCode(await archive.inbox.next(email, 'Verify your email address'));
    const verified = await submit(device, `/verify-email-address?actionCode=${code}`, {});
    expect([verified.statusCode, verified.headers.location]).toEqual([303, '/onboarding']);
    expect((await device.call('GET /api/identity/session')).user).toMatchObject({ email, emailVerified: true });
  });

  test('returns the same help for a refused address as the page with JavaScript', async () => {
    const { email } = await archive.signUp();
    const response = await submit(archive.openDevice(), '/signup', { email, ...fields });
    expect(response.statusCode).toBe(409);
    expect(response.body).toContain('Sign up failed');
    expect(response.body).toContain('This email address cannot be used (auth/email-already-in-use)');
    expect(response.body).toContain('reset your password');
    expect(response.body).not.toContain(fields.password);
  });

  test('refuses common passwords and outdated terms', async () => {
    const common = { password: 'password', confirmPassword: 'password' };
    const weak = await submit(archive.openDevice(), '/signup', { ...fields, ...common, email: 'weak@mail.example' });
    expect(weak.statusCode).toBe(422);
    expect(weak.body).toContain('This is a common password');
    const stale = await submit(archive.openDevice(), '/signup', {
      ...fields,
      email: 'a@mail.example',
      terms: '2001-01-01',
    });
    expect(stale.statusCode).toBe(409);
    expect(stale.body).toContain('(terms-changed)');
  });
});

test(
  'POST /reset-password responds identically to known and unknown addresses, and mails a link',
  { tags: ['spec-1.3', 'spec-2.22', 'spec-2.24', 'spec-8.10'] },
  async () => {
    // An address that was never verified is enough.
    const { email } = await archive.signUp();
    const pages = await Promise.all(
      [email, 'nobody@mail.example'].map(async (address) => {
        const response = await submit(archive.openDevice(), '/reset-password', { email: address });
        expect(response.statusCode).toBe(200);
        return response.body.replaceAll(address, '');
      }),
    );
    expect(pages[0]).toContain('you will receive a link');
    expect(pages[0]).toBe(pages[1]);

    await archive.runJobs();
    const code = findCode(await archive.inbox.next(email, 'Choose a new password'));
    const address = `/new-password?actionCode=${code}`;
    const device = archive.openDevice();
    const differing = await submit(device, address, {
      password: 'another long word',
      confirmPassword: 'something else',
    });
    expect(differing.statusCode).toBe(422);
    expect(differing.body).toContain('Passwords does not match');
    const word = { password: 'another long word', confirmPassword: 'another long word' };
    const changed = await submit(device, address, word);
    expect(changed.statusCode).toBe(200);
    expect(changed.body).toContain('Password changed successfully');
    expect(changed.body).toMatch(/href="\/login"[^>]*>Sign in</u);
    const used = await submit(device, address, word);
    expect([used.statusCode, used.headers.location]).toEqual([303, '/reset-password?toast=verification-failed']);
    expect((await submit(device, '/login', { email, password: word.password })).statusCode).toBe(303);
  },
);

test.each([
  ['', 'Email is required'],
  ['nonsense', 'Please enter a valid email address'],
])(
  'POST /reset-password refuses the address %j with the specified message',
  { tags: ['spec-5.13'] },
  async (email, message) => {
    const response = await submit(archive.openDevice(), '/reset-password', { email });
    expect(response.statusCode).toBe(422);
    expect(response.body).toContain(message);
  },
);

test('POST /report sends the report of a message, and keeps the text when the link is invalid', async () => {
  const [ada, ben] = [await archive.createMember(), await archive.createMember()];
  const body = { text: 'Send me your password', shareEmail: false };
  await ada.device.call('POST /api/users/{id}/messages', { params: { id: ben.uid }, body });
  await archive.runJobs();
  const mail = await archive.inbox.next(ben.email, 'A member wrote to you in the alumni archive');
  const link = /\/report\?code=\S+/u.exec(mail.text)?.[0] ?? '';
  const fields = { reason: 'phishing', text: 'It asks for my password' };
  const invalid = await submit(archive.openDevice(), '/report?code=unknown', fields);
  expect(invalid.statusCode).toBe(404);
  expect(invalid.body).toContain('It is incomplete, not valid or has expired.');
  expect(invalid.body).toContain('It asks for my password</textarea>');
  const sent = await submit(archive.openDevice(), link, fields);
  expect(sent.statusCode).toBe(200);
  expect(sent.body).toContain('Your report was sent.');
  const { rows } = await archive.pool.query('select reason, text from reports where subject_id = $1', [ada.uid]);
  expect(rows).toEqual([fields]);
});

test('POST /send-verification-email sends a new verification mail', { tags: ['spec-2.18', 'spec-8.17'] }, async () => {
  const { device, email } = await archive.signUp();
  const response = await submit(device, '/send-verification-email', { intent: 'resend' });
  expect(response.statusCode).toBe(200);
  expect(response.body).toContain('Verification email sent successfully');
  await archive.runJobs();
  await archive.inbox.next(email, 'Verify your email address');
  await archive.inbox.next(email, 'Verify your email address');
});

describe('POST to a page', () => {
  test.each(formPages)(
    'refuses requests from another site, with another content type or with a large body at %s',
    async (path) => {
      const { email, password } = await archive.signUp();
      const device = archive.openDevice();
      device.origin = undefined;
      const fields = { email, password };
      for (const headers of [
        {},
        { origin: 'https://evil.example' },
        { 'sec-fetch-site': 'cross-site' },
        { origin: 'null' },
      ]) {
        const response = await submit(device, path, fields, headers);
        expect(response.statusCode).toBe(403);
        expect(response.headers['set-cookie']).toBeUndefined();
      }
      const own = { 'sec-fetch-site': 'same-origin' };
      for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
        const response = await device.fetch('POST', path, JSON.stringify(fields), { ...own, 'content-type': type });
        // Guests send no file to the page that takes one.
        expect(response.statusCode).toBe(path === '/confirm' && type.startsWith('multipart/') ? 404 : 415);
      }
      const large = await submit(device, path, { email: 'x'.repeat(20_000) }, own);
      expect(large.statusCode).toBe(413);
      expect(large.headers['content-type']).toBe('text/html; charset=utf-8');
    },
  );

  test('is accepted by pages with a plain form only, and not by the API', async () => {
    const { device, email, password } = await archive.signUp();
    for (const path of ['/', '/settings', '/login/x', '/nowhere'])
      expect((await submit(device, path, { email })).statusCode, path).toBe(404);
    expect((await submit(device, '/api/identity/sign-in', { email, password })).statusCode).toBe(415);
  });

  test.each(['%', 'email=%ff%00&email=x&email[]=y', '__proto__=x&constructor=y', '=&=&&&', 'a=b&'.repeat(2000), ''])(
    'returns the page with error messages for the body %j',
    async (body) => {
      for (const path of ['/login', '/signup', '/reset-password']) {
        const response = await archive.openDevice().fetch('POST', path, body, { 'content-type': formType });
        expect(response.statusCode, path).toBe(422);
        expect(response.body).toContain('<h1');
      }
    },
  );
});

test('pages and JSON have a charset, and are not stored', { tags: ['asvs-4.1.1', 'asvs-14.3.2'] }, async () => {
  const { device } = await archive.createMember();
  for (const [path, type] of [
    ['/settings', 'text/html; charset=utf-8'],
    ['/api/institution', 'application/json; charset=utf-8'],
  ] as const)
    expect((await device.fetch('GET', path)).headers, path).toMatchObject({
      'content-type': type,
      'cache-control': 'no-store',
    });
});

test('password fields are masked, and known to password managers', { tags: ['asvs-6.2.6', 'asvs-6.2.7'] }, async () => {
  for (const [path, kinds] of [
    ['/login', ['current-password']],
    ['/signup', ['new-password', 'new-password']],
  ] as const) {
    const { body } = await archive.openDevice().fetch('GET', path);
    const fields = body.match(/<input[^>]*type="password"[^>]*>/gu) ?? [];
    expect(fields.map((field) => /autocomplete="([^"]*)"/iu.exec(field)?.[1])).toEqual(kinds);
  }
});
