import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { type Member, type TestArchive, openArchive, smallPicture } from '#server/testing/archive.ts';

/* Limits of the writes of one account: per hour, and at the same time. */

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'), { SAVES_PER_HOUR: '4' });
});
afterAll(() => archive.close());

const savePrivacy = ({ device, uid }: Member) =>
  device.ask('PUT /api/users/{id}/privacy', {
    params: { id: uid },
    body: { visibility: {}, version: 'any' },
  });
const saveProfile = ({ device, uid, document }: Member) =>
  device.ask('PUT /api/users/{id}', { params: { id: uid }, body: { ...document, version: 'any' } });

describe('the hourly save limit', () => {
  test('counts profile and privacy saves of an account together, and returns 429 with Retry-After', async () => {
    // Creating the profile is the first save.
    const member = await archive.createMember();
    const statuses = [];
    for (let time = 0; time < 3; time++) statuses.push((await savePrivacy(member)).statusCode);
    const refused = await saveProfile(member);
    expect([...statuses, refused.statusCode]).toEqual([200, 200, 200, 429]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_500);
    expect((await savePrivacy(await archive.createMember())).statusCode).toBe(200);
    await archive.advanceTime('1 hour 1 second');
    expect((await saveProfile(member)).statusCode).toBe(200);
  });

  test('allows at most half of the saves to change the profile picture', async () => {
    const member = await archive.createMember();
    expect((await saveProfile(member)).statusCode).toBe(200);
    expect((await saveProfile(member)).statusCode).toBe(429);
    expect((await savePrivacy(member)).statusCode).toBe(200);
  });
});

describe('concurrent writes of an account', () => {
  test('wait without a database connection, and are refused above the limit', async () => {
    const [busy, other] = [await archive.createMember(), await archive.createMember()];
    const client = new pg.Client(archive.pool.options);
    await client.connect();
    const waiting = async () => {
      const { rows } = await client.query<{ waiting: number }>(
        `select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows[0]?.waiting;
    };
    try {
      // Simulates a slow write that has locked the account's row.
      await client.query('begin');
      await client.query('select from accounts where id = $1 for update', [busy.uid]);
      const block = () =>
        busy.device.ask('PUT /api/notifications/choices', { body: { joined: true, 'photos-added': false } });
      const writes = Array.from({ length: 12 }, block);
      await expect.poll(waiting).toBeGreaterThan(0);
      for (let time = 0; time < 5; time++) expect((await savePrivacy(other)).statusCode).not.toBe(503);
      expect(await waiting()).toBe(1);
      await client.query('rollback');
      const answers = await Promise.all(writes);
      expect(answers.filter(({ statusCode }) => statusCode === 204)).toHaveLength(11);
      const refused = answers.find(({ statusCode }) => statusCode !== 204);
      expect(refused?.statusCode).toBe(429);
      expect(refused?.json()).toMatchObject({
        detail: expect.stringContaining('Try again in a few seconds') as string,
      });
    } finally {
      await client.end();
    }
  });

  test('resize one picture at a time', async () => {
    const { device } = await archive.createMember();
    const { media } = archive.context;
    const storePhoto = media.storePhoto.bind(media);
    let [running, maxRunning] = [0, 0];
    const spy = vi.spyOn(media, 'storePhoto').mockImplementation(async (...photo) => {
      maxRunning = Math.max(maxRunning, ++running);
      return storePhoto(...photo).finally(() => running--);
    });
    try {
      const image = await smallPicture();
      const add = (title: string) =>
        device.call('POST /api/gallery/photos', { body: { album: 'At once', title, audience: 'members', image } });
      await Promise.all(['one', 'two', 'three'].map(add));
      expect(maxRunning).toBe(1);
    } finally {
      spy.mockRestore();
    }
  });
});
