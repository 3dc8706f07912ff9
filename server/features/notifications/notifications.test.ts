import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openArchive, type TestArchive, type Visitor } from '../../testing/archive.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(() => archive.close());

const listOf = async ({ device }: Visitor) => (await device.call('GET /api/notifications')).notifications;
const hasNews = async ({ device }: Visitor) => (await device.call('GET /api/identity/session')).user?.hasNews;

test('somebody is told what concerns their account: a new device, a new password, and the first profile', async () => {
  const member = await archive.join();
  expect((await listOf(member)).map(({ kind }) => kind)).toEqual(['welcome']);
  await archive
    .device()
    .call('POST /api/identity/sign-in', { body: { email: member.email, password: member.password } });
  // The device that has been there before is no news.
  await member.device.call('POST /api/identity/sign-in', { body: { email: member.email, password: member.password } });
  await member.device.call('POST /api/identity/password', { body: { password: 'quite another word' } });
  expect((await listOf(member)).map(({ kind, read }) => [kind, read])).toEqual([
    ['password-changed', false],
    ['new-device', false],
    ['welcome', false],
  ]);
});

test('unread ones come first; reading one, or all, is kept, and the bell knows', async () => {
  const member = await archive.join();
  await member.device.call('POST /api/identity/password', { body: { password: 'quite another word' } });
  const [newest, oldest] = await listOf(member);
  expect(await hasNews(member)).toBe(true);
  await member.device.call('POST /api/notifications/read', { body: { ids: [newest?.id ?? ''] } });
  expect((await listOf(member)).map(({ id, read }) => [id, read])).toEqual([
    [oldest?.id, false],
    [newest?.id, true],
  ]);
  await member.device.call('POST /api/notifications/read', { body: { ids: [] } });
  expect(await hasNews(member)).toBe(true);
  await member.device.call('POST /api/notifications/read', { body: {} });
  expect(await hasNews(member)).toBe(false);
});

test('nobody reads, or marks, what somebody else was told', async () => {
  const [one, two] = [await archive.join(), await archive.join()];
  const [told] = await listOf(one);
  await two.device.call('POST /api/notifications/read', { body: { ids: [told?.id ?? ''] } });
  expect(await hasNews(one)).toBe(true);
  expect((await listOf(two)).map(({ id }) => id)).not.toContain(told?.id);
  expect(await archive.device().code('GET /api/notifications')).toBe('auth/unauthenticated');
});
