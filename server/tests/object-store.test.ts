import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import { cleanUpPictures } from '#server/domain/people/clean-up-pictures.ts';
import { checkPictures } from '#server/startup/check-pictures.ts';
import { createLog } from '#server/platform/log/log.ts';
import { isPublicPicture } from '#server/platform/media/media.ts';
import { createFolderStore } from '#server/platform/media/folder-store.ts';
import { type Member, type TestArchive, openArchive, smallPicture } from '#server/testing/archive.ts';
import { type FakeS3, startFakeS3 } from '#server/testing/fake-s3.ts';

/* What members do with pictures in an object store. `picture-store.test.ts` tests the store itself. */

let fake: FakeS3;
let archive: TestArchive;
let member: Member;
beforeAll(async () => {
  fake = await startFakeS3();
  archive = await openArchive(inject('databases'), {
    MEDIA_URL: `s3://pictures/archive?endpoint=${fake.origin}`,
    ...fake.environment,
  });
});
afterAll(async () => {
  await archive.close();
  await fake.close();
});
beforeEach(async () => {
  member = await archive.createMember();
});

const own = () => ({ params: { id: member.uid } });
const readPicture = async () => (await member.device.call('GET /api/users/{id}/document', own())).profile.imgURL ?? '';
const fetchStatus = async (path: string) => (await archive.openDevice().fetch('GET', path)).statusCode;
const countObjects = (name: string) => [...fake.objects.keys()].filter((key) => key.includes(name)).length;
const nameOf = (path: string) => path.split('/')[2] ?? '';
const photo = async () => ({
  album: 'Convocation',
  title: 'Caps',
  audience: 'members' as const,
  image: await smallPicture('#335577'),
});

const fail = (fault: FakeS3['fault'], failAfter = 0) => {
  Object.assign(fake, { fault, failAfter });
  onTestFinished(async () => {
    fake.fault = 'none';
    // The store is tried again after a few seconds.
    await expect.poll(() => archive.context.media.listTrash().catch(() => 'fails')).not.toBe('fails');
  });
};

describe('pictures in an object store', () => {
  test('are served with the headers of the folder, and not written to the data folder', async () => {
    const path = await readPicture();
    const { statusCode, headers, rawPayload } = await archive.openDevice().fetch('GET', path);
    expect([statusCode, headers['content-type'], rawPayload.subarray(8, 12).toString()]).toEqual([
      200,
      'image/webp',
      'WEBP',
    ]);
    const scope = isPublicPicture(nameOf(path)) ? 'public' : 'private';
    expect(headers['cache-control']).toBe(`${scope}, max-age=31536000, immutable`);
    expect(countObjects(nameOf(path))).toBe(3);
    expect(existsSync(join(archive.context.config.dataDir, 'media'))).toBe(false);
    for (const hidden of [`/media/.removed/${nameOf(path)}/384.webp`, '/media/.check', `/media/${nameOf(path)}/1.webp`])
      expect([hidden, await fetchStatus(hidden)]).toEqual([hidden, 404]);
  });

  test('get a new address when fewer people may see them, and are deleted at the old one', async () => {
    const before = await readPicture();
    await member.device.call('PUT /api/users/{id}/privacy', { ...own(), body: { isHidden: true, version: 'any' } });
    const after = await readPicture();
    expect([after !== before, await fetchStatus(before), await fetchStatus(after)]).toEqual([true, 404, 200]);
    expect([countObjects(nameOf(before)), countObjects(nameOf(after))]).toEqual([0, 3]);
  });

  test('are deleted with the photo', async () => {
    const { id, src } = await member.device.call('POST /api/gallery/photos', { body: await photo() });
    expect(countObjects(nameOf(src))).toBe(2);
    await member.device.call('DELETE /api/gallery/photos/{id}', { params: { id } });
    expect([countObjects(nameOf(src)), await fetchStatus(src)]).toEqual([0, 404]);
  });

  test('are cleaned up if no row refers to them', async () => {
    const image = Buffer.from((await smallPicture()).split(',')[1] ?? '', 'base64');
    const left = await archive.context.media.storePortrait(image);
    const path = await readPicture();
    await cleanUpPictures(archive.context, { isForced: true, minAgeMs: -60_000 });
    expect([countObjects(left), countObjects(nameOf(path))]).toEqual([0, 3]);
  });
});

describe('an object store that fails', () => {
  test.each(['503', 'half'] as const)(
    'refuses uploads with advice, and keeps the saved picture: %s',
    { tags: ['release'] },
    async (fault) => {
      const path = await readPicture();
      fail(fault);
      const advice = {
        code: 'unavailable',
        status: 503,
        detail:
          'The storage for pictures and other files is not available, so nothing was changed. Try again in a few minutes.',
      };
      expect(await member.device.problem('POST /api/gallery/photos', { body: await photo() })).toMatchObject(advice);
      const body = { ...member.document, imgURL: await smallPicture('#113355') };
      expect(await member.device.problem('PUT /api/users/{id}', { ...own(), body })).toMatchObject(advice);
      const response = await archive.openDevice().fetch('GET', path);
      expect([response.statusCode, response.headers['cache-control']]).toEqual([503, 'no-store']);
      const saved = await member.device.call('PUT /api/users/{id}', {
        ...own(),
        body: { ...member.document, imgURL: path, bio: 'Words only' },
      });
      expect(saved).toMatchObject({ bio: 'Words only', imgURL: path });
      expect((await archive.openDevice().fetch('GET', '/api/users')).statusCode).toBe(200);
    },
  );

  test('leaves no row without its picture if the second file cannot be written', async () => {
    const path = await readPicture();
    fail('503', 1);
    const body = { ...member.document, imgURL: await smallPicture('#553311') };
    expect((await member.device.problem('PUT /api/users/{id}', { ...own(), body })).code).toBe('unavailable');
    fake.fault = 'none';
    expect(await readPicture()).toBe(path);
    await expect.poll(() => fetchStatus(path)).toBe(200);
  });

  test('does not keep members from deleting a photo, whose files are deleted later', async () => {
    const { id, src } = await member.device.call('POST /api/gallery/photos', { body: await photo() });
    fail('503');
    await member.device.call('DELETE /api/gallery/photos/{id}', { params: { id } });
    fake.fault = 'none';
    await expect.poll(() => fetchStatus(src)).toBe(200);
    await cleanUpPictures(archive.context, { isForced: true, minAgeMs: -60_000 });
    expect([countObjects(nameOf(src)), await fetchStatus(src)]).toEqual([0, 404]);
  });
});

describe('the deletion journal in an object store', () => {
  test('has an entry for a deleted account, and the data folder has none', async () => {
    const before = countObjects('/.deletions/');
    await member.device.call('DELETE /api/identity/account');
    await archive.runJobs();
    expect(countObjects('/.deletions/')).toBeGreaterThan(before);
    expect(readdirSync(archive.context.config.dataDir)).not.toContain('deletions.jsonl');
  });
});

describe('the start', () => {
  const logged: string[] = [];
  const log = createLog('info', { write: (line: string) => void logged.push(line) });

  test('refuses an empty store while the data folder has pictures', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'archive-mixed-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true }));
    await createFolderStore(join(dataDir, 'media'), 0).write('one', new Map([['96.webp', Buffer.from('one')]]));
    const context = { ...archive.context, config: { ...archive.context.config, dataDir } };
    await checkPictures(context, log);
    const kept = [...fake.objects];
    fake.objects.clear();
    onTestFinished(() => kept.forEach(([key, object]) => fake.objects.set(key, object)));
    await expect(checkPictures(context, log)).rejects.toThrow(
      `s3://pictures/archive has no pictures, but ${join(dataDir, 'media')} does. Unset MEDIA_URL and run "npm run archive -- media copy --to URL" with its value, or delete the folder.`,
    );
  });

  test('continues without a store that does not respond, and logs it', async () => {
    fail('503');
    await checkPictures(archive.context, log);
    expect(logged.join('')).toContain(
      'The object store of MEDIA_URL is unavailable. Picture requests get 503 until it recovers. To find the cause, run: npm run archive -- doctor',
    );
    expect(logged.join('')).toContain('answered PUT with 503 SlowDown');
  });
});
