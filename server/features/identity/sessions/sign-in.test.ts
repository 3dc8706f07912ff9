import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { termsVersion as terms } from '#contract/terms.ts';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import { Device } from '#server/testing/device.ts';
import { oklchToHex } from '#contract/oklch.ts';
import { findCode } from '#server/testing/inbox.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(() => archive.close());

describe('POST /api/identity/sign-up (specification, sections 5 and 7)', () => {
  test(
    'signs in the user with an unverified address, and sends a link in HTML and text',
    { tags: ['spec-3.30', 'spec-4.1', 'spec-4.6', 'spec-6.1', 'spec-7.3'] },
    async () => {
      const { device, email, uid } = await archive.signUp('  Ada.OBI@Mail.Example ');
      expect(await device.call('GET /api/identity/session')).toEqual({
        user: {
          uid,
          email: 'ada.obi@mail.example',
          emailVerified: false,
          displayName: null,
          imgURL: null,
          department: null,
          yearGraduated: null,
          unread: 0,
          membership: null,
          isStaff: false,
        },
      });
      expect(await archive.openDevice().call('GET /api/identity/session')).toEqual({ user: null });
      await archive.runJobs();
      const mail = await archive.inbox.next('ada.obi@mail.example', 'Verify your email address');
      expect(mail.text).toMatch(/http:\/\/localhost:3000\/auth\/verify\?mode=verifyEmail&oobCode=[\w-]{43}/u);
      expect(mail.html).toContain('mode=verifyEmail&#38;oobCode=');
      const { hue, chroma } = archive.context.institution.brand;
      expect(mail.html).toContain(`background:${oklchToHex(0.42, chroma, hue)}`);
      expect(mail.html).toMatch(/>OUE<\/strong>&#160; alumni archive</u);
      expect(mail.html).toMatch(/<div style="display:none[^>]*>Open the link within three days\./u);
      expect(mail.html).not.toMatch(/<img|<link|url\(|src=/u);
      expect(mail.from).toBe('archive@test.example');
      expect(email).toContain('Ada');
    },
  );

  test('refuses an address that is already in use, in any spelling', async () => {
    const { email } = await archive.signUp();
    const body = { email: email.toUpperCase(), password: 'another long word', terms };
    expect(await archive.openDevice().code('POST /api/identity/sign-up', { body })).toBe('auth/email-already-in-use');
  });

  test('refuses a request with an unknown field', { tags: ['spec-6.2', 'asvs-15.3.3'] }, async () => {
    const body = { email: 'extra@mail.example', password: 'a long enough word', terms, role: 'admin' };
    expect((await archive.openDevice().fetch('POST', '/api/identity/sign-up', body)).json()).toMatchObject({
      code: 'validation-failed',
    });
  });

  test(
    'creates only one account for eight parallel sign-ups with the same address',
    { tags: ['asvs-2.3.4'] },
    async () => {
      const body = { email: 'race@mail.example', password: 'a long enough word', terms };
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => archive.openDevice().ask('POST /api/identity/sign-up', { body })),
      );
      expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([
        200, 409, 409, 409, 409, 409, 409, 409,
      ]);
    },
  );

  test.each([
    ['', 'Field cannot be empty'],
    ['12345', 'Password cannot be less than six characters'],
    ['é'.repeat(101), 'Password cannot be more than hundred character'],
  ])(
    'refuses the password %j with the message from the specification',
    { tags: ['spec-5.8', 'spec-5.9', 'spec-5.10'] },
    async (password, message) => {
      const problem = await archive
        .openDevice()
        .problem('POST /api/identity/sign-up', { body: { email: 'limits@mail.example', password, terms } });
      expect(problem).toMatchObject({ code: 'validation-failed', errors: [{ pointer: '/password', message }] });
    },
  );

  test(
    'counts the length of a password in code points, so that six emoji are enough',
    { tags: ['spec-5.8', 'spec-5.9', 'spec-9.1', 'asvs-6.2.1', 'asvs-6.2.5', 'asvs-6.2.9'] },
    async () => {
      for (const [index, count] of [6, 100].entries()) {
        const body = { email: `emoji${index}@mail.example`, password: '🌴'.repeat(count) };
        await archive.openDevice().call('POST /api/identity/sign-up', { body: { ...body, terms } });
        await archive.openDevice().call('POST /api/identity/sign-in', { body });
      }
      const five = { email: 'emoji5@mail.example', password: '🌴'.repeat(5), terms };
      expect(await archive.openDevice().code('POST /api/identity/sign-up', { body: five })).toBe('validation-failed');
    },
  );

  test.each([
    ['', 'Email is required'],
    ['not an address', 'Please enter a valid email address'],
    [`${'a'.repeat(250)}@mail.example`, 'Please enter a valid email address'],
  ])(
    'refuses the address %j with the message from the specification',
    { tags: ['spec-5.7', 'asvs-1.3.11'] },
    async (email, message) => {
      const problem = await archive
        .openDevice()
        .problem('POST /api/identity/sign-up', { body: { email, password: 'a long enough word', terms } });
      expect(problem.errors).toEqual([{ pointer: '/email', message }]);
    },
  );

  test(
    'refuses a common password or the user’s own address as the password, and names the broken rule',
    { tags: ['spec-5.34', 'asvs-6.2.4', 'asvs-6.2.11'] },
    async () => {
      const device = archive.openDevice();
      const email = 'policy.person@mail.example';
      for (const [password, rule] of [
        ['Password1', 'isNotCommon'],
        ['iloveyou', 'isNotCommon'],
        ['policy.person@mail.example', 'isNotOwnEmail'],
        ['POLICY.PERSON', 'isNotOwnEmail'],
      ] as const) {
        expect(await device.code('POST /api/identity/sign-up', { body: { email, password, terms } })).toBe(
          'auth/password-does-not-meet-requirements',
        );
        const status = await device.call('POST /api/identity/password-status', { body: { email, password } });
        expect(status, password).toMatchObject({ isValid: false, meetsMinPasswordLength: true, [rule]: false });
      }
      expect(await device.call('GET /api/identity/password-policy')).toMatchObject({
        minPasswordLength: 6,
        maxPasswordLength: 100,
      });
    },
  );
});

describe('POST /api/identity/sign-in', () => {
  test('gives the same response to a wrong password as to an unknown address', { tags: ['spec-8.24'] }, async () => {
    const { email } = await archive.signUp();
    const device = archive.openDevice();
    const wrong = await device.ask('POST /api/identity/sign-in', { body: { email, password: 'not this one' } });
    const unknown = await device.ask('POST /api/identity/sign-in', {
      body: { email: 'nobody@mail.example', password: 'not this one' },
    });
    expect(wrong.statusCode).toBe(401);
    expect(wrong.json()).toMatchObject({ code: 'auth/invalid-credential' });
    expect(unknown.statusCode).toBe(wrong.statusCode);
    expect(unknown.json()).toEqual(wrong.json());
    expect(unknown.headers['set-cookie']).toEqual(wrong.headers['set-cookie']);
  });

  test('accepts the password in another Unicode normalization form', { tags: ['asvs-6.2.8'] }, async () => {
    const { email } = await archive.signUp(undefined, 'pássẃord of ọla');
    await archive
      .openDevice()
      .call('POST /api/identity/sign-in', { body: { email, password: 'pássẃord of ọla'.normalize('NFD') } });
  });

  test('ends the previous session of the browser', { tags: ['asvs-7.2.2', 'asvs-7.2.4'] }, async () => {
    const { device, email, password } = await archive.signUp();
    const before = device.cookies.get('sid') ?? '';
    await device.call('POST /api/identity/sign-in', { body: { email, password } });
    device.cookies.set('sid', before);
    expect(await device.call('GET /api/identity/session')).toEqual({ user: null });
  });

  test(
    'opens a session, which ends immediately when the user signs out',
    { tags: ['spec-4.6', 'spec-7.13', 'asvs-7.2.1', 'asvs-7.4.1'] },
    async () => {
      const { device } = await archive.signUp();
      const cookie = device.cookies.get('sid') ?? '';
      await device.call('POST /api/identity/sign-out');
      expect(device.cookies.has('sid')).toBe(false);
      device.cookies.set('sid', cookie);
      expect(await device.call('GET /api/identity/session')).toEqual({ user: null });
    },
  );
});

describe('sessions (identity rule 5)', () => {
  test(
    'have a cookie that is HttpOnly and SameSite and, with TLS, bound to the host',
    { tags: ['asvs-3.3.1', 'asvs-3.3.2', 'asvs-3.3.3', 'asvs-3.3.4', 'asvs-12.2.1'] },
    async () => {
      const secure = await openArchive(inject('databases'), { PUBLIC_URL: 'https://alumni.example.edu' });
      try {
        const device = secure.openDevice();
        device.origin = 'https://alumni.example.edu';
        const body = { email: 'tls@mail.example', password: 'a long enough word', terms };
        const response = await device.ask('POST /api/identity/sign-up', { body });
        const [cookie] = [response.headers['set-cookie']].flat();
        expect(cookie).toMatch(/^__Host-sid=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/u);
      } finally {
        await secure.close();
      }
    },
  );

  test('are stored only as hashes of their tokens', { tags: ['asvs-6.5.3', 'asvs-7.2.3', 'asvs-11.2.3'] }, async () => {
    const { device } = await archive.signUp();
    const tokens = [...device.cookies.values()];
    expect(tokens).toHaveLength(2);
    const { rows } = await archive.pool.query<{ content: string }>(
      `select (select string_agg(s::text, '') from sessions s) || (select string_agg(d::text, '') from known_devices d) as content`,
    );
    for (const token of tokens) {
      expect(rows[0]?.content).not.toContain(token);
      for (const encoding of ['base64url', 'utf8'] as const)
        expect(rows[0]?.content).not.toContain(Buffer.from(token, encoding).toString('hex'));
    }
  });

  test('are listed for their owner without tokens, and can be ended', { tags: ['asvs-7.5.2'] }, async () => {
    const { device, email, password } = await archive.signUp();
    const phone = archive.openDevice();
    const laptop = archive.openDevice();
    for (const other of [phone, laptop]) await other.call('POST /api/identity/sign-in', { body: { email, password } });
    const { sessions } = await device.call('GET /api/identity/sessions');
    expect(sessions).toHaveLength(3);
    expect(sessions.filter(({ current }) => current)).toHaveLength(1);
    const text = JSON.stringify(sessions);
    for (const token of [device, phone, laptop].map(({ cookies }) => cookies.get('sid') ?? ''))
      expect(text).not.toContain(token);

    const other = sessions.find(({ current }) => !current);
    await device.call('DELETE /api/identity/sessions/{id}', { params: { id: other?.id ?? '' } });
    expect(await device.code('DELETE /api/identity/sessions/{id}', { params: { id: other?.id ?? '' } })).toBe(
      'not-found',
    );
    await device.call('DELETE /api/identity/sessions');
    const users = await Promise.all(
      [device, phone, laptop].map((browser) => browser.call('GET /api/identity/session')),
    );
    expect(users.map(({ user }) => user === null)).toEqual([false, true, true]);
  });

  test(
    'identify each of several concurrent callers, and no one else',
    { tags: ['asvs-7.2.1', 'asvs-8.2.2'] },
    async () => {
      const members = [await archive.signUp(), await archive.signUp(), await archive.signUp()];
      const signedOut = await archive.signUp();
      const cookies = new Map(signedOut.device.cookies);
      await signedOut.device.call('POST /api/identity/sign-out');
      const revoked = archive.openDevice();
      for (const [name, value] of cookies) revoked.cookies.set(name, value);
      const callers = [
        ...members.map(({ device }) => device),
        revoked,
        archive.openDevice(),
        members[0]?.device ?? revoked,
      ];
      const sessions = await Promise.all(callers.map((device) => device.call('GET /api/identity/session')));
      const emails = members.map(({ email }) => email);
      expect(sessions.map(({ user }) => user?.email)).toEqual([...emails, undefined, undefined, emails[0]]);
    },
  );

  test('cannot be ended by another account', { tags: ['asvs-7.5.2', 'asvs-8.2.2'] }, async () => {
    const [one, two] = [await archive.signUp(), await archive.signUp()];
    const { sessions } = await one.device.call('GET /api/identity/sessions');
    expect(await two.device.code('DELETE /api/identity/sessions/{id}', { params: { id: sessions[0]?.id ?? '' } })).toBe(
      'not-found',
    );
    expect((await one.device.call('GET /api/identity/session')).user).not.toBeNull();
  });

  test(
    'are renewed while they are used, and expire thirty days after the last use',
    { tags: ['asvs-7.3.1'] },
    async () => {
      const { device } = await archive.signUp();
      await archive.advanceTime('29 days');
      const rolled = await device.ask('GET /api/identity/session');
      expect(String(rolled.headers['set-cookie'])).toContain('Max-Age=2592000');
      await archive.advanceTime('29 days');
      expect((await device.call('GET /api/identity/session')).user).not.toBeNull();
      await archive.advanceTime('31 days');
      expect((await device.call('GET /api/identity/session')).user).toBeNull();
    },
  );

  test(
    'allow sensitive actions only within five minutes of entering the password',
    { tags: ['spec-7.10', 'asvs-6.2.3', 'asvs-7.5.1'] },
    async () => {
      const { device, password } = await archive.signUp();
      await archive.advanceTime('5 minutes 1 second');
      expect(await device.code('POST /api/identity/password', { body: { password: 'quite another word' } })).toBe(
        'auth/requires-recent-login',
      );
      expect(await device.code('POST /api/identity/email', { body: { email: 'elsewhere@mail.example' } })).toBe(
        'auth/requires-recent-login',
      );
      expect(await device.code('DELETE /api/identity/account')).toBe('auth/requires-recent-login');
      expect(await device.code('POST /api/identity/reauthenticate', { body: { password: 'not this one' } })).toBe(
        'auth/invalid-credential',
      );
      expect(await device.code('DELETE /api/identity/account')).toBe('auth/requires-recent-login');
      await device.call('POST /api/identity/reauthenticate', { body: { password } });
      await device.call('POST /api/identity/password', { body: { password: 'quite another word' } });
    },
  );
});

describe('sign-in limits (identity rule 6)', () => {
  test(
    'allow exactly five of fifteen parallel guesses from one IP address',
    { tags: ['asvs-2.3.4', 'asvs-2.4.1', 'asvs-6.3.1'] },
    async () => {
      const { email } = await archive.signUp();
      const device = archive.openDevice();
      const guess = () => device.ask('POST /api/identity/sign-in', { body: { email, password: 'guessing on' } });
      const answers = await Promise.all(Array.from({ length: 15 }, guess));
      expect(answers.filter(({ statusCode }) => statusCode === 401)).toHaveLength(5);
      const refused = answers.filter(({ statusCode }) => statusCode === 429);
      expect(refused).toHaveLength(10);
      expect(refused[0]?.json()).toMatchObject({
        code: 'auth/too-many-requests',
        retryAfter: expect.any(Number) as number,
      });
      expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0);
    },
  );

  test('count all IP addresses of one IPv6 network together', { tags: ['asvs-6.3.1'] }, async () => {
    const { email } = await archive.signUp();
    const device = archive.openDevice();
    const codes = [];
    for (let host = 1; host <= 6; host++) {
      device.ip = `2001:db8:1:2::${host}`;
      codes.push(await device.code('POST /api/identity/sign-in', { body: { email, password: 'guessing on' } }));
    }
    expect(codes.at(-1)).toBe('auth/too-many-requests');
    device.ip = '2001:db8:1:3::1';
    expect(await device.code('POST /api/identity/sign-in', { body: { email, password: 'guessing on' } })).toBe(
      'auth/invalid-credential',
    );
  });

  test('let a known device sign in while the account is locked', { tags: ['asvs-6.1.1'] }, async () => {
    const owner = await archive.signUp();
    await owner.device.call('POST /api/identity/sign-out');
    // Fifty guesses from ten IP addresses, five each, which is the limit per address.
    for (let address = 0; address < 10; address++) {
      const attacker = archive.openDevice();
      for (let attempt = 0; attempt < 5; attempt++) {
        await attacker.code('POST /api/identity/sign-in', {
          body: { email: owner.email, password: `guess ${attempt}` },
        });
      }
    }
    const body = { email: owner.email, password: owner.password };
    expect(await archive.openDevice().code('POST /api/identity/sign-in', { body })).toBe('auth/too-many-requests');
    await owner.device.call('POST /api/identity/sign-in', { body });
  });

  test('treat a browser as known after the user chooses a password in it', async () => {
    const { device } = await archive.signUp();
    device.cookies.delete('device');
    await device.call('POST /api/identity/password', { body: { password: 'quite another word' } });
    expect(device.cookies.get('device')).toMatch(/^[\w-]{43}$/u);
  });

  test('do not count correct passwords', { tags: ['spec-7.2'] }, async () => {
    const { uid, email, password } = await archive.signUp();
    for (let visit = 0; visit < 8; visit++) {
      const device = archive.openDevice();
      await device.call('POST /api/identity/sign-in', { body: { email, password } });
      expect((await device.call('GET /api/identity/session')).user?.uid).toBe(uid);
    }
    const wrong = { email, password: `${password}!` };
    expect(await archive.openDevice().code('POST /api/identity/sign-in', { body: wrong })).toBe(
      'auth/invalid-credential',
    );
  });

  test(
    'allow a known device fifty guesses an hour, from any number of IP addresses',
    { tags: ['asvs-6.3.1'] },
    async () => {
      const { device, email, password } = await archive.signUp();
      await device.call('POST /api/identity/sign-out');
      const codes = [];
      for (let attempt = 0; attempt < 51; attempt++) {
        device.ip = `10.200.${attempt}.1`;
        codes.push(await device.code('POST /api/identity/sign-in', { body: { email, password: `guess ${attempt}` } }));
      }
      expect(codes.indexOf('auth/too-many-requests')).toBe(50);
      // Other devices are not locked out.
      await archive.openDevice().call('POST /api/identity/sign-in', { body: { email, password } });
    },
  );

  test('allow an account only its fifty newest sessions and known devices', { tags: ['asvs-7.1.2'] }, async () => {
    const { device, email, password } = await archive.signUp();
    for (let visit = 0; visit < 52; visit++)
      await archive.openDevice().call('POST /api/identity/sign-in', { body: { email, password } });
    expect((await device.call('GET /api/identity/session')).user).toBeNull();
    await device.call('POST /api/identity/sign-in', { body: { email, password } });
    expect((await device.call('GET /api/identity/sessions')).sessions).toHaveLength(50);
    const { rows } = await archive.pool.query(
      'select from known_devices d join accounts a on a.id = d.account_id where a.email = $1',
      [email],
    );
    expect(rows).toHaveLength(50);
  });

  test('apply across server processes, without storing email or IP addresses', { tags: ['asvs-2.3.2'] }, async () => {
    const { email } = await archive.signUp();
    const second = await archive.startSecondServer();
    try {
      const device = archive.openDevice();
      const body = { email, password: 'guessing on' };
      const twin = new Device(second, device.ip);
      const codes = [];
      for (let attempt = 0; attempt < 3; attempt++)
        for (const browser of [device, twin]) codes.push(await browser.code('POST /api/identity/sign-in', { body }));
      expect(codes).toEqual([...Array<string>(5).fill('auth/invalid-credential'), 'auth/too-many-requests']);
      const { rows } = await archive.pool.query<{ key: string }>(
        'select key from throttles union all select key from long_throttles',
      );
      const keys = rows.map(({ key }) => key).join(' ');
      expect(keys).not.toContain(email);
      expect(keys).not.toContain(device.ip);
    } finally {
      await second.close();
    }
  });

  test(
    'allow one of five parallel changes of the password, which ends the sessions of the others',
    { tags: ['asvs-7.4.3'] },
    async () => {
      const { email, password } = await archive.signUp();
      const devices = Array.from({ length: 5 }, () => archive.openDevice());
      for (const device of devices) await device.call('POST /api/identity/sign-in', { body: { email, password } });
      const answers = await Promise.all(
        devices.map((device, index) =>
          device.ask('POST /api/identity/password', { body: { password: `a long word ${index}` } }),
        ),
      );
      expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([204, 401, 401, 401, 401]);
      const winner = answers.findIndex(({ statusCode }) => statusCode === 204);
      const users = await Promise.all(devices.map((device) => device.call('GET /api/identity/session')));
      expect(users.findIndex(({ user }) => user !== null)).toBe(winner);
      expect(users.filter(({ user }) => user !== null)).toHaveLength(1);
    },
  );
});

describe('write requests (identity rule 7)', () => {
  const body = { email: 'csrf@mail.example', password: 'a long enough word' };

  test.each([
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['a sibling domain', { origin: 'https://evil.localhost:3000', 'sec-fetch-site': 'same-site' }],
    ['a client without an Origin header', {}],
    ['a sandboxed frame', { origin: 'null' }],
  ])('are refused from %s', { tags: ['asvs-3.5.1'] }, async (_, headers) => {
    const device = archive.openDevice();
    device.origin = undefined;
    const response = await device.fetch('POST', '/api/identity/sign-up', { ...body, terms }, headers);
    expect(response.statusCode).toBe(403);
    expect(response.json()).toMatchObject({ code: 'origin-refused' });
    expect(await archive.openDevice().code('POST /api/identity/sign-in', { body })).toBe('auth/invalid-credential');
  });

  test('are refused from another origin in every call of the contract', { tags: ['asvs-3.5.1'] }, async () => {
    const { endpoints } = await import('#contract/endpoints.ts');
    for (const name of Object.keys(endpoints).filter((key) => !key.startsWith('GET '))) {
      const [method = '', path = ''] = name.split(' ');
      const device = archive.openDevice();
      device.origin = undefined;
      const response = await device.fetch(method, path.replaceAll(/\{\w+\}/gu, crypto.randomUUID()), undefined, {
        origin: 'https://evil.example',
      });
      expect(response.json(), name).toMatchObject({ code: 'origin-refused' });
    }
  });

  test('are accepted if the browser reports the same origin', async () => {
    const device = archive.openDevice();
    device.origin = undefined;
    const response = await device.fetch('POST', '/api/identity/sign-in', body, { 'sec-fetch-site': 'same-origin' });
    expect(response.json()).toMatchObject({ code: 'auth/invalid-credential' });
  });
});

describe('cookies, codes and passwords (identity rule 7)', () => {
  test('never appear in logs or responses', { tags: ['asvs-3.3.4', 'asvs-16.2.5'] }, async () => {
    const { device, email, password } = await archive.signUp();
    await archive.runJobs();
    const code = findCode(await archive.inbox.next(email, 'Verify your email address'));
    // Over a real connection, because in-process calls are not logged.
    const address = await archive.app.listen({ port: 0, host: '127.0.0.1' });
    for (const typed of [password, 'a wrong password']) {
      const { status } = await fetch(`${address}/api/identity/sign-in`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: 'http://localhost:3000' },
        body: JSON.stringify({ email, password: typed }),
      });
      expect(status).toBe(typed === password ? 200 : 401);
    }
    const cookie = [...device.cookies].map((pair) => pair.join('=')).join('; ');
    const session = await fetch(`${address}/api/identity/session?token=${code}`, { headers: { cookie } });
    await fetch(`${address}/api/nothing?oobCode=${code}`, { headers: { cookie } });
    const { user, ...rest } = (await session.json()) as { user: object };
    expect(user).toMatchObject({ email });
    const everything = archive.logged.join('\n') + JSON.stringify(rest);
    expect(archive.logged.join('\n')).toContain('/api/identity/session');
    expect(archive.logged.join('\n')).toContain('/api/identity/sign-in');
    for (const secret of [...device.cookies.values(), email, password, 'a wrong password', code])
      expect(everything).not.toContain(secret);
  });
});
