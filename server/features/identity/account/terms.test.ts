import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { termsVersion } from '#contract/terms.ts';
import { type TestArchive, type Visitor, openArchive } from '#server/testing/archive.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(() => archive.close());

const accepted = ({ device }: Visitor) => device.call('GET /api/identity/terms');

const acceptedBefore = ({ uid }: Visitor, version: string | null) =>
  archive.pool.query(
    `update accounts set terms_version = $2, terms_accepted_at = case when $2::text is null then null else now() end where id = $1`,
    [uid, version],
  );

test('POST /api/identity/sign-up records which terms were accepted, and when', async () => {
  const { version, acceptedAt } = await accepted(await archive.signUp());
  expect(version).toBe(termsVersion);
  expect(Math.abs(Date.now() - Date.parse(acceptedAt ?? ''))).toBeLessThan(60_000);
});

test('POST /api/identity/sign-up refuses an old version of the terms', async () => {
  const body = { email: 'late@mail.example', password: 'a long enough word' };
  const problem = await archive
    .openDevice()
    .problem('POST /api/identity/sign-up', { body: { ...body, terms: '2025-01-01' } });
  expect(problem).toMatchObject({
    code: 'terms-changed',
    status: 409,
    title: 'The terms have changed. Reload this page and read them',
  });
  expect(await archive.openDevice().code('POST /api/identity/sign-in', { body })).toBe('auth/invalid-credential');
  const silent = await archive.openDevice().fetch('POST', '/api/identity/sign-up', body);
  expect(silent.json()).toMatchObject({ code: 'validation-failed', errors: [{ pointer: '/terms' }] });
});

test.each([['2025-01-01'], [null]])(
  'POST /api/identity/terms replaces the accepted version %s, and changes nothing when repeated',
  async (old) => {
    const visitor = await archive.signUp();
    await acceptedBefore(visitor, old);
    expect((await accepted(visitor)).version).toBe(old);
    const now = await visitor.device.call('POST /api/identity/terms', { body: { terms: termsVersion } });
    expect(now.version).toBe(termsVersion);
    await archive.advanceTime('1 day');
    const since = await accepted(visitor);
    const again = await visitor.device.call('POST /api/identity/terms', { body: { terms: termsVersion } });
    expect(again).toEqual(since);
  },
);

test('POST /api/identity/terms refuses an unknown version of the terms, and refuses guests', async () => {
  const visitor = await archive.signUp();
  const body = { terms: '2099-01-01' };
  expect(await visitor.device.code('POST /api/identity/terms', { body })).toBe('terms-changed');
  expect((await accepted(visitor)).version).toBe(termsVersion);
  const guest = archive.openDevice();
  expect(await guest.code('POST /api/identity/terms', { body: { terms: termsVersion } })).toBe('auth/unauthenticated');
  expect(await guest.code('GET /api/identity/terms')).toBe('auth/unauthenticated');
});
