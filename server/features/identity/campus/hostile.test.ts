import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import {
  type Faults,
  type TestIssuer,
  comeFromCampus,
  createPerson,
  openIssuer,
  readArrival,
  startCampus,
  writeCampusSettings,
} from '#server/testing/campus.ts';
import { Device } from '#server/testing/device.ts';

/* Answers of a hostile or broken provider. None opens a session, even for a person whose account is connected. */

let archive: TestArchive;
let issuer: TestIssuer;
let removeSettings: () => void;
const person = createPerson({ sub: 'owner' });
beforeAll(async () => {
  issuer = await openIssuer();
  const { environment, remove } = writeCampusSettings(issuer.issuer);
  removeSettings = remove;
  archive = await openArchive(inject('databases'), environment);
  const { uid } = await archive.signUpVerified();
  await archive.pool.query(
    'insert into campus_identities (account_id, issuer, subject, email) values ($1, $2, $3, $4)',
    [uid, issuer.issuer, person.sub, person['email']],
  );
});
afterAll(async () => {
  await archive.close();
  await issuer.close();
  removeSettings();
});

const isIn = async (device: Device) => (await device.call('GET /api/identity/session')).user !== null;

async function requireRefused(device: Device, next = 'refused'): Promise<void> {
  expect(await isIn(device)).toBe(false);
  if (next === 'expired') expect(await device.code('GET /api/identity/campus/arrival')).toBe('auth/sign-in-expired');
  else expect(await readArrival(device)).toMatchObject({ next, name: '', email: null });
}

const call = async (device: Device, params: URLSearchParams) => {
  const response = await device.fetch('GET', `/auth/campus/callback?${params}`);
  expect(response.headers.location).toBe('/campus');
  return response;
};

test('GET /auth/campus/callback signs in to the connected account with a right answer', async () => {
  const device = archive.openDevice();
  expect(await comeFromCampus(device, issuer, person)).toBe('/login');
  expect(await isIn(device)).toBe(true);
});

const minutes = (count: number) => Math.floor(Date.now() / 1000) + count * 60;

test.each<[string, Faults]>([
  ['has no signature (alg none)', { header: { alg: 'none' } }],
  ['is signed with the client secret (HS256)', { header: { alg: 'HS256' } }],
  ['is signed with another key', { isOtherKey: true }],
  ['names an unknown key', { header: { kid: 'unknown' } }],
  ['is for another client', { claims: { aud: 'another' } }],
  ['is for several clients and names none as the authorized one', { claims: { aud: ['archive', 'another'] } }],
  ['is of another issuer', { claims: { iss: 'https://evil.example' } }],
  ['has expired', { claims: { exp: minutes(-2) } }],
  ['is of the future', { claims: { iat: minutes(2) } }],
  ['has no nonce', { claims: { nonce: undefined } }],
  ['has another nonce', { claims: { nonce: 'another' } }],
  ['has an empty subject', { claims: { sub: '' } }],
  ['has a number as subject', { claims: { sub: 4711 } }],
  ['has a long subject', { claims: { sub: 'x'.repeat(256) } }],
  ['disagrees with UserInfo about the person', { claims: { email: undefined }, userInfo: { sub: 'another' } }],
  ['is right but too large', { paddingBytes: 1_000_000 }],
])(
  'GET /auth/campus/callback refuses an answer that %s',
  { tags: ['asvs-6.8.2', 'asvs-10.5.1'] },
  async (_, faults) => {
    const device = archive.openDevice();
    expect(await comeFromCampus(device, issuer, person, { faults })).toBe('/campus');
    await requireRefused(device);
  },
);

test('GET /auth/campus/callback refuses another state', async () => {
  const device = archive.openDevice();
  const params = issuer.authorize(await startCampus(device), person);
  params.set('state', 'another');
  await call(device, params);
  await requireRefused(device);
});

test('GET /auth/campus/callback refuses an answer for another browser', { tags: ['asvs-10.1.2'] }, async () => {
  const params = issuer.authorize(await startCampus(archive.openDevice()), person);
  const without = archive.openDevice();
  await call(without, params);
  await requireRefused(without, 'expired');
  const own = archive.openDevice();
  await startCampus(own);
  await call(own, params);
  await requireRefused(own);
});

test('GET /auth/campus/callback refuses a repeated callback and a repeated code', async () => {
  const device = archive.openDevice();
  const params = issuer.authorize(await startCampus(device), person);
  const twin = new Device(archive.app, device.ip);
  for (const [name, value] of device.cookies) twin.cookies.set(name, value);
  await device.fetch('GET', `/auth/campus/callback?${params}`);
  expect(await isIn(device)).toBe(true);
  await device.call('POST /api/identity/sign-out');
  await call(device, params);
  await requireRefused(device, 'expired');
  // The copy of the cookie passes, so the provider has to refuse the code.
  await call(twin, params);
  await requireRefused(twin);
});

test(
  'GET /auth/campus/callback refuses a response of another issuer, and one without the announced issuer',
  { tags: ['asvs-10.2.2'] },
  async () => {
    for (const change of [
      (params: URLSearchParams) => params.set('iss', 'https://evil.example'),
      (params: URLSearchParams) => params.delete('iss'),
    ]) {
      const device = archive.openDevice();
      const params = issuer.authorize(await startCampus(device), person);
      change(params);
      await call(device, params);
      await requireRefused(device);
    }
  },
);

test('GET /auth/campus/callback reports an unavailable provider if its keys (JWKS) cannot be loaded', async () => {
  // Another process has no keys yet.
  const device = new Device(await archive.startSecondServer(), '10.9.9.9');
  issuer.isDown = (path) => path === '/jwks';
  expect(await comeFromCampus(device, issuer, person)).toBe('/campus');
  await requireRefused(device, 'unavailable');
  issuer.isDown = () => false;
  expect(await comeFromCampus(device, issuer, person)).toBe('/login');
});

test.each([
  ['access_denied', 'cancelled'],
  ['temporarily_unavailable', 'unavailable'],
  ['<b>ada@oue.edu.ng</b>', 'refused'],
])('GET /auth/campus/callback shows and logs nothing of the text of the error %s', async (error, next) => {
  const device = archive.openDevice();
  const params = issuer.authorize(await startCampus(device), person);
  params.delete('code');
  params.set('error', error);
  params.set('error_description', '<script>alert(1)</script>');
  const response = await call(device, params);
  await requireRefused(device, next);
  expect(`${response.body} ${JSON.stringify(await readArrival(device))}`).not.toMatch(/script|<b>/u);
  expect(archive.logged.join('')).not.toMatch(/script|<b>|ada@oue/u);
});

test('GET /auth/campus/callback logs a wrong secret with what to do, and shows the reference of the line', async () => {
  const device = archive.openDevice();
  issuer.clientSecret = 'renewed';
  await comeFromCampus(device, issuer, person);
  issuer.clientSecret = 'a secret of the archive';
  await requireRefused(device);
  const { detail } = await readArrival(device);
  const line = archive.logged.find((text) => text.includes('Renew CAMPUS_CLIENT_SECRET'));
  expect(line).toContain(`"requestId":"${detail}"`);
});

test.each([
  ['of all tenants', () => 'http://127.0.0.1/{tenantid}/v2.0'],
  ['with another final slash', () => `${issuer.issuer}/`],
])('GET /auth/campus does not redirect to a provider with an issuer %s', async (_, other) => {
  const device = new Device(await archive.startSecondServer(), '10.9.9.8');
  issuer.metadata = { issuer: other() };
  expect(await startCampus(device)).toBe('/campus');
  issuer.metadata = {};
  await requireRefused(device, 'unavailable');
});

test(
  'GET /auth/campus/callback writes no code, token, name or address to the log and the metrics',
  { tags: ['asvs-10.1.1'] },
  async () => {
    const device = archive.openDevice();
    const stranger = createPerson({ sub: 'subject-of-stranger', family_name: 'Brillig', email: 'jubjub@oue.edu.ng' });
    const params = issuer.authorize(await startCampus(device), stranger);
    await device.fetch('GET', `/auth/campus/callback?${params}`);
    expect(await readArrival(device)).toMatchObject({ next: 'sign-up' });
    const written = archive.logged.join('') + (await archive.context.metrics.text());
    expect(written).not.toMatch(/Brillig|jubjub|subject-of-stranger|eyJ/u);
    expect(written).not.toContain(params.get('code'));
    const { rows } = await archive.pool.query<{ data: string }>(`select data::text from pgboss.job`);
    expect(JSON.stringify(rows)).not.toMatch(/Brillig|jubjub|subject-of-stranger|eyJ/u);
  },
);
