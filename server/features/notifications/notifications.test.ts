import { type IncomingMessage, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { UnreadCount } from '#contract/notifications.ts';
import { writeCursor } from '#server/platform/http/cursor.ts';
import { type Member, openArchive, smallPicture, type TestArchive, type Visitor } from '#server/testing/archive.ts';
import { deleteOldNotificationsJob } from './jobs.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(() => archive.close());

const fetchPage = ({ device }: Visitor, after?: string) => device.call('GET /api/notifications', { query: { after } });
const fetchNotifications = async (visitor: Visitor) => (await fetchPage(visitor)).notifications;
const fetchUnread = async ({ device }: Visitor) => (await device.call('GET /api/identity/session')).user?.unread;

test(
  'GET /api/notifications lists a verified address, a first profile, a new device and a new password',
  { tags: ['asvs-16.3.1'] },
  async () => {
    const member = await archive.createMember();
    expect((await fetchNotifications(member)).map(({ kind, detail }) => [kind, detail])).toEqual([
      ['welcome', ''],
      ['email-verified', member.email],
    ]);
    await archive
      .openDevice()
      .call('POST /api/identity/sign-in', { body: { email: member.email, password: member.password } });
    // A known device causes no notification.
    await member.device.call('POST /api/identity/sign-in', {
      body: { email: member.email, password: member.password },
    });
    await member.device.call('POST /api/identity/password', { body: { password: 'quite another word' } });
    expect((await fetchNotifications(member)).map(({ kind, read }) => [kind, read])).toEqual([
      ['password-changed', false],
      ['new-device', false],
      ['welcome', false],
      ['email-verified', false],
    ]);
  },
);

test('GET /api/notifications lists unread notifications first', { tags: ['spec-2.56'] }, async () => {
  const member = await archive.createMember();
  const [newest, oldest] = await fetchNotifications(member);
  expect(await fetchUnread(member)).toBe(2);
  await member.device.call('POST /api/notifications/read', { body: { ids: [newest?.id ?? ''] } });
  expect((await fetchNotifications(member)).map(({ id, read }) => [id, read])).toEqual([
    [oldest?.id, false],
    [newest?.id, true],
  ]);
  await member.device.call('POST /api/notifications/read', { body: { ids: [] } });
  expect(await fetchUnread(member)).toBe(1);
  await member.device.call('POST /api/notifications/read', { body: {} });
  expect(await fetchUnread(member)).toBe(0);
});

test('GET /api/notifications responds with 400 to a cursor with an impossible time', async () => {
  const { device, uid } = await archive.createMember();
  for (const age of ['9'.repeat(30), '9223372036854775807', '99999999999999999']) {
    const query = { after: writeCursor([true, age, uid]) };
    expect(await device.code('GET /api/notifications', { query }), age).toBe('malformed-request');
  }
});

test('the notifications of a user cannot be read or marked as read by others', { tags: ['asvs-8.2.2'] }, async () => {
  const [one, two] = [await archive.createMember(), await archive.createMember()];
  const [notification] = await fetchNotifications(one);
  await two.device.call('POST /api/notifications/read', { body: { ids: [notification?.id ?? ''] } });
  expect(await fetchUnread(one)).toBe(2);
  expect((await fetchNotifications(two)).map(({ id }) => id)).not.toContain(notification?.id);
  expect(await archive.openDevice().code('GET /api/notifications', { query: {} })).toBe('auth/unauthenticated');
});

test('GET /api/notifications returns each notification on exactly one page', async () => {
  const member = await archive.createMember();
  await archive.context.db
    .insertInto('notifications')
    .values(
      Array.from({ length: 43 }, (_, index) => ({
        account_id: member.uid,
        kind: 'new-device' as const,
        detail: `Browser ${index}`,
        // Many with the same time, as after one transaction.
        created_at: new Date(Date.UTC(2026, 0, 1 + Math.floor(index / 10))),
        read_at: index % 3 === 0 ? new Date() : null,
      })),
    )
    .execute();
  const seen: string[] = [];
  const reads: boolean[] = [];
  let after: string | undefined;
  do {
    const page = await fetchPage(member, after);
    seen.push(...page.notifications.map(({ id }) => id));
    reads.push(...page.notifications.map(({ read }) => read));
    expect(page.notifications.length).toBeLessThanOrEqual(20);
    after = page.next ?? undefined;
  } while (after !== undefined);
  expect(new Set(seen).size).toBe(45);
  expect(seen).toHaveLength(45);
  expect(reads).toEqual([...reads].toSorted((a, b) => Number(a) - Number(b)));
  expect(await member.device.code('GET /api/notifications', { query: { after: 'nonsense' } })).toBe(
    'malformed-request',
  );
});

test('the nightly job deletes notifications after a year', async () => {
  const member = await archive.createMember();
  const old = (await fetchNotifications(member)).map(({ id }) => id);
  await archive.advanceTime('366 days');
  await deleteOldNotificationsJob.queue(archive.context.db, {});
  await archive.runJobs();
  const { rows } = await archive.pool.query('select from notifications where id = any($1)', [old]);
  expect([old.length, rows]).toEqual([2, []]);
});

describe('the department digest', () => {
  const inDepartment = (department: string, more = {}) =>
    archive.createMember({ college: 'COSIT', department }, { visibility: more });
  const listDigests = async (visitor: Visitor) =>
    (await fetchNotifications(visitor))
      .filter(({ kind }) => kind === 'joined' || kind === 'photos-added')
      .map(({ kind, detail, count, read }) => ({ kind, detail, count, read }));
  const runDigest = async () => {
    await archive.advanceTime('11 minutes');
    await archive.runJobs();
  };
  // Counts the members of earlier tests, who could be in the same department.
  beforeEach(runDigest);

  test('counts the people who joined, except the reader', async () => {
    const first = await inDepartment('Botany');
    const elsewhere = await inDepartment('Zoology');
    await runDigest();
    expect(await listDigests(first)).toEqual([]);
    const second = await inDepartment('Botany');
    await inDepartment('Botany');
    await archive.runJobs();
    expect(await listDigests(first), 'nothing before the digest').toEqual([]);
    await runDigest();
    expect(await listDigests(first)).toEqual([{ kind: 'joined', detail: 'Botany', count: 2, read: false }]);
    expect(await listDigests(second)).toEqual([{ kind: 'joined', detail: 'Botany', count: 1, read: false }]);
    expect(await listDigests(elsewhere)).toEqual([]);

    await inDepartment('Botany');
    await runDigest();
    expect(await listDigests(first), 'the unread digest counts up').toEqual([
      { kind: 'joined', detail: 'Botany', count: 3, read: false },
    ]);
    await first.device.call('POST /api/notifications/read', { body: {} });
    await inDepartment('Botany');
    await runDigest();
    expect(await listDigests(first)).toEqual([
      { kind: 'joined', detail: 'Botany', count: 1, read: false },
      { kind: 'joined', detail: 'Botany', count: 3, read: true },
    ]);
  });

  test('does not count people who hide their name or department', async () => {
    const watcher = await inDepartment('Physics');
    await runDigest();
    await inDepartment('Physics', { department: 'me' });
    await inDepartment('Physics', { name: 'me' });
    await runDigest();
    expect(await listDigests(watcher)).toEqual([]);
  });

  test('shows the people whom it is about, if the reader may see them now', { tags: ['asvs-8.2.2'] }, async () => {
    const facesOf = async (visitor: Visitor, kind = 'joined') =>
      (await fetchNotifications(visitor))
        .filter((one) => one.kind === kind)
        .map(({ faces }) => faces.map(({ id }) => id));
    const setVisibility = ({ uid, device, document }: Member, visibility: object) =>
      device.call('PUT /api/users/{id}', {
        params: { id: uid },
        body: { ...document, visibility, version: 'any' },
      });
    const before = await inDepartment('Music');
    const reader = await inDepartment('Music');
    await runDigest();
    const [ada, ben, eve] = [await inDepartment('Music'), await inDepartment('Music'), await inDepartment('Music')];
    await runDigest();
    expect(await facesOf(reader)).toEqual([[eve.uid, ben.uid, ada.uid]]);
    expect(await facesOf(before)).toEqual([[eve.uid, ben.uid, ada.uid, reader.uid]]);
    const [latest] = await fetchNotifications(reader);
    expect(latest?.faces[0]).toEqual({
      id: eve.uid,
      name: expect.stringContaining(eve.document.name.last) as string,
      thumb: expect.stringMatching(/^\/media\/.+\/192\.webp$/u) as string,
    });
    // Later digests do not show the same people again.
    await reader.device.call('POST /api/notifications/read', { body: {} });
    const dan = await inDepartment('Music');
    await runDigest();
    expect(await facesOf(reader)).toEqual([[dan.uid], [eve.uid, ben.uid, ada.uid]]);
    await setVisibility(eve, { name: 'me' });
    await setVisibility(ben, { picture: 'me' });
    await archive.pool.query('delete from accounts where id = $1', [ada.uid]);
    const [, digest] = await fetchNotifications(reader);
    expect(digest?.faces).toEqual([
      { id: ben.uid, name: expect.stringContaining(ben.document.name.last) as string, thumb: null },
    ]);
    await setVisibility(ben, { name: 'members' });
    expect(await facesOf(reader)).toEqual([[dan.uid], [ben.uid]]);
    // No longer a member: sees what guests see.
    await archive.pool.query('update accounts set email_verified = false where id = $1', [reader.uid]);
    expect(await facesOf(reader)).toEqual([[dan.uid], []]);
  });

  test('shows who added photos that the reader may see', async () => {
    const [reader, ada, ben] = [await inDepartment('Drama'), await inDepartment('Drama'), await inDepartment('Drama')];
    await runDigest();
    const addPhoto = async ({ device }: Visitor) =>
      device.call('POST /api/gallery/photos', {
        body: { album: 'Stage', title: 'Premiere', audience: 'members', image: await smallPicture() },
      });
    await addPhoto(ada);
    await addPhoto(ada);
    const { id } = await addPhoto(ben);
    await runDigest();
    const facesOf = async () => (await fetchNotifications(reader))[0]?.faces.map((face) => face.id);
    expect(await facesOf()).toEqual([ben.uid, ada.uid]);
    await archive.pool.query(`update photos set moderation = 'hidden' where id = $1`, [id]);
    expect(await facesOf()).toEqual([ada.uid]);
  });

  test('counts people who join while the digest is created', async () => {
    const watcher = await inDepartment('Geology');
    await runDigest();
    await Promise.all([
      inDepartment('Geology'),
      runDigest(),
      inDepartment('Geology').then(async () => runDigest()),
      inDepartment('Geology'),
    ]);
    await runDigest();
    const [digest, ...more] = await listDigests(watcher);
    expect([digest?.count, more]).toEqual([3, []]);
  });

  test('can be turned off for each kind of event, unlike notifications about the account', async () => {
    const member = await inDepartment('Chemistry');
    expect(await member.device.call('GET /api/notifications/choices')).toEqual({ joined: true, 'photos-added': true });
    await runDigest();
    await member.device.call('PUT /api/notifications/choices', { body: { joined: false, 'photos-added': true } });
    expect(await member.device.call('GET /api/notifications/choices')).toEqual({ joined: false, 'photos-added': true });
    // A page sends only the changed kind, so it cannot revert the other one.
    await member.device.call('PUT /api/notifications/choices', { body: { 'photos-added': false } });
    const both = { joined: false, 'photos-added': false };
    expect(await member.device.call('GET /api/notifications/choices')).toEqual(both);
    await inDepartment('Chemistry');
    await runDigest();
    expect(await listDigests(member)).toEqual([]);
    const refused = { joined: true, 'photos-added': true, 'password-changed': false };
    expect(await member.device.code('PUT /api/notifications/choices', { body: refused })).toBe('validation-failed');
    expect(await archive.openDevice().code('GET /api/notifications/choices')).toBe('auth/unauthenticated');
  });
});

describe('GET /api/notifications/stream', () => {
  let servers: FastifyInstance[] = [];
  let ports: number[] = [];
  beforeAll(async () => {
    // They behave like two processes: each has its own connection to the database.
    servers = [await archive.startSecondServer(), await archive.startSecondServer()];
    for (const server of servers) await server.listen({ port: 0, host: '127.0.0.1' });
    ports = servers.map((server) => (server.server.address() as AddressInfo).port);
  });
  afterAll(async () => {
    for (const server of servers) await server.close();
  });

  async function listen({ device }: Visitor, port = ports[0]) {
    const cookie = [...device.cookies].map((pair) => pair.join('=')).join('; ');
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const path = '/api/notifications/stream';
      httpRequest({ host: '127.0.0.1', port, path, headers: { cookie } }, resolve).once('error', reject).end();
    });
    let text = '';
    let wake: () => void = () => undefined;
    let isOver = false;
    response.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      wake();
    });
    response.once('close', () => {
      isOver = true;
      wake();
    });
    const events = () => [...text.matchAll(/^data: (.*)$/gmu)].map(([, json]) => JSON.parse(json ?? '') as UnreadCount);
    const until = async (isMet: () => boolean) => {
      while (!isMet()) await new Promise<void>((resolve) => (wake = resolve));
    };
    return {
      response,
      until: (unread: number) => until(() => events().at(-1)?.unread === unread),
      ended: () => until(() => isOver),
      close: () => response.destroy(),
    };
  }

  test('sends the number of unread notifications after each change, from any server', async () => {
    const member = await archive.createMember();
    const other = await archive.createMember();
    const [here, there, others] = [await listen(member), await listen(member, ports[1]), await listen(other)];
    expect(here.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    });
    await Promise.all([here.until(2), there.until(2), others.until(2)]);
    await member.device.call('POST /api/identity/password', { body: { password: 'quite another word' } });
    await Promise.all([here.until(3), there.until(3)]);
    await member.device.call('POST /api/notifications/read', { body: {} });
    await Promise.all([here.until(0), there.until(0)]);
    await other.device.call('POST /api/notifications/read', { body: {} });
    await others.until(0);
    for (const stream of [here, there, others]) stream.close();
  });

  test('continues after the connection to the database is lost', async () => {
    const member = await archive.createMember();
    const stream = await listen(member);
    await stream.until(2);
    await archive.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where query ilike 'listen "news"%' and datname = current_database()`,
    );
    await member.device.call('POST /api/notifications/read', { body: {} });
    await stream.until(0);
    stream.close();
  });

  test('requires a session and ends with the session', { tags: ['asvs-7.4.1'] }, async () => {
    const member = await archive.createMember();
    expect((await listen({ ...member, device: archive.openDevice() })).response.statusCode).toBe(401);
    const stream = await listen(member);
    await stream.until(2);
    await member.device.call('POST /api/identity/sign-out');
    await stream.ended();
  });

  test('responds with 429 to the eleventh stream of an account', { tags: ['asvs-15.2.2'] }, async () => {
    const member = await archive.createMember();
    const streams = [];
    for (let index = 0; index < 10; index++) streams.push(await listen(member));
    expect((await listen(member)).response.statusCode).toBe(429);
    streams.pop()?.close();
    while ((await listen(member)).response.statusCode === 429);
    for (const stream of streams) stream.close();
  });

  test('ends when the server shuts down', async () => {
    const server = await archive.startSecondServer();
    await server.listen({ port: 0, host: '127.0.0.1' });
    const stream = await listen(await archive.createMember(), (server.server.address() as AddressInfo).port);
    await stream.until(2);
    await server.close();
    await stream.ended();
  });
});
