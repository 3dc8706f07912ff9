import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type JSONWebKeySet, createLocalJWKSet, jwtVerify } from 'jose';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { setMembershipStatus } from '#server/domain/membership/membership.ts';
import { openArchive, type TestArchive, type Visitor } from '#server/testing/archive.ts';
import { confirmMember, enterConfirmedMode } from '#server/testing/membership.ts';

const portal = 'https://portal.example.edu';
let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'), {
    AUTH_TOKEN_SYNC_URL: `${portal}/session`,
    AUTH_TOKEN_SYNC_ALLOW: portal,
  });
});
afterEach(() => archive.pool.query(`update membership_mode set mode = 'open'`));
afterAll(() => archive.close());

const ask = ({ device }: Pick<Visitor, 'device'>) => device.ask('POST /api/identity/token');

test(
  'POST /api/identity/token returns a token that identifies the user to one audience for five minutes',
  { tags: ['spec-7.19', 'spec-7.21', 'asvs-7.6.1', 'asvs-9.1.1', 'asvs-9.2.1', 'asvs-9.2.3', 'asvs-11.4.3'] },
  async () => {
    const member = await archive.createMember();
    const response = await ask(member);
    expect([response.statusCode, response.body]).toEqual([204, '']);
    const token = String(response.headers['x-auth-token']);
    const keys = (await archive.openDevice().fetch('GET', '/.well-known/jwks.json')).json<JSONWebKeySet>();
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
      issuer: 'http://localhost:3000',
      audience: portal,
      algorithms: ['EdDSA'],
    });
    const { user } = await member.device.call('GET /api/identity/session');
    expect(payload).toMatchObject({
      sub: member.uid,
      email: member.email,
      email_verified: true,
      name: user?.displayName,
      jti: expect.any(String),
    });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(300);
    expect(archive.logged.join('\n')).not.toContain(token.split('.')[2]);
    expect(archive.logged.join('\n')).not.toContain(token.split('.')[1]);
  },
);

test('POST /api/identity/token is rate limited and requires a verified user', { tags: ['asvs-7.4.5'] }, async () => {
  const { code } = (await ask({ device: archive.openDevice() })).json<{ code: string }>();
  expect(code).toBe('auth/unauthenticated');
  expect(await (await archive.signUp()).device.code('POST /api/identity/token')).toBe('auth/unverified-email');
  const member = await archive.signUpVerified();
  const ended = await archive.createMember();
  await archive.pool.query('delete from sessions where account_id = $1', [ended.uid]);
  expect(await ended.device.code('POST /api/identity/token')).toBe('auth/unauthenticated');
  for (let asked = 0; asked < 120; asked++) expect((await ask(member)).statusCode).toBe(204);
  expect(await member.device.code('POST /api/identity/token')).toBe('auth/too-many-requests');
});

test(
  'POST /api/identity/token returns a token that cannot be used to sign in to the archive',
  { tags: ['asvs-6.3.4', 'asvs-7.6.2', 'asvs-9.1.1', 'asvs-9.2.2'] },
  async () => {
    const token = String((await ask(await archive.createMember())).headers['x-auth-token']);
    const device = archive.openDevice();
    const response = await device.fetch('GET', '/api/identity/session', undefined, {
      authorization: `Bearer ${token}`,
      cookie: `sid=${token}`,
    });
    expect(response.json()).toEqual({ user: null });
  },
);

test(
  'the signing key is created once per data folder and readable only by its owner',
  { tags: ['asvs-11.6.1', 'asvs-13.3.1', 'asvs-13.3.2'] },
  async () => {
    const second = await archive.startSecondServer();
    const keysOf = async (server: typeof second) =>
      (await server.inject('/.well-known/jwks.json')).json<JSONWebKeySet>();
    const [one, two] = [await keysOf(archive.app), await keysOf(second)];
    await second.close();
    expect(one).toEqual(two);
    expect(one.keys[0]).not.toHaveProperty('d');
    const { mode } = await stat(join(archive.context.config.dataDir, 'token-key.json'));
    expect(mode & 0o777).toBe(0o600);
  },
);

test('POST /api/identity/token responds with 404 if no audience is configured', async () => {
  const plain = await openArchive(inject('databases'));
  try {
    const member = await plain.signUpVerified();
    expect(await member.device.code('POST /api/identity/token')).toBe('not-found');
    expect((await plain.openDevice().fetch('GET', '/.well-known/jwks.json')).statusCode).toBe(404);
  } finally {
    await plain.close();
  }
});

test('POST /api/identity/token is refused to an unconfirmed or disputed account in an archive that requires confirmation', async () => {
  const member = await archive.createMember();
  await enterConfirmedMode(archive);
  const response = await ask(member);
  expect([response.statusCode, response.headers['x-auth-token']]).toEqual([403, undefined]);
  await confirmMember(archive, member);
  expect((await ask(member)).statusCode).toBe(204);
  await archive.context.db.transaction().execute((tx) => setMembershipStatus(tx, member.uid, 'disputed'));
  expect((await ask(member)).statusCode).toBe(403);
});
