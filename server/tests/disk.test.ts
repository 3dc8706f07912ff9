import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { createApp } from '#server/app/app.ts';
import { copyDatabase } from '#server/testing/databases.ts';
import { urlOf } from '#server/db/url.ts';
import {
  readDiskSpace,
  isDiskError,
  convertDiskErrors,
  requireDiskReserve,
} from '#server/platform/storage/disk-reserve.ts';
import { createLog } from '#server/platform/log/log.ts';
import { createMetrics } from '#server/platform/metrics/metrics.ts';
import { pictureSizes } from '#server/domain/people/picture-sizes.ts';
import { createFolderStore } from '#server/platform/media/folder-store.ts';
import { createMedia } from '#server/platform/media/media.ts';
import { type Member, type TestArchive, openArchive, smallPicture } from '#server/testing/archive.ts';
import { Device } from '#server/testing/device.ts';
import { freePort } from '#server/testing/free-port.ts';
import { signUpAt } from '#server/testing/person.ts';
import { cleanUp, end, newDataFolder, newFolder, run, serverCommand } from '#server/testing/server-process.ts';

/*
 * Short tests of a full disk: free space below the reserve, and a file size limit that interrupts writes. A disk that
 * fills up is tested in `faults/disk.test.ts`.
 */

const sentence =
  'The server is out of disk space for pictures and other files. Everything else still works, and what you have typed is kept.';
const refused = { status: 507, code: 'insufficient-storage', detail: sentence };

afterEach(cleanUp);

async function noisyPicture(): Promise<string> {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 60 };
  const jpeg = await sharp({ create: { width: 768, height: 960, channels: 3, background: '#777777', noise } })
    .jpeg()
    .toBuffer();
  return `data:image/jpeg;base64,${jpeg.toString('base64')}`;
}

const listPictures = (dataDir: string) => readdirSync(join(dataDir, 'media')).filter((name) => !name.startsWith('.'));

const createPhoto = (image: string) => ({ album: 'Convocation', title: 'Caps', audience: 'members' as const, image });

describe('a disk with less free space than the reserve', () => {
  let archive: TestArchive;
  let app: FastifyInstance;
  const logged: string[] = [];
  let browser: Device;
  let member: Member;

  beforeAll(async () => {
    archive = await openArchive(inject('databases'));
    member = await archive.createMember();
    const media = createMedia(
      createFolderStore(archive.context.media.store.location, Number.MAX_SAFE_INTEGER),
      pictureSizes,
    );
    const log = createLog('info', { write: (line) => void logged.push(line) });
    app = await createApp({ ...archive.context, media, metrics: createMetrics() }, log, null);
    browser = new Device(app, '10.200.0.1');
    for (const [name, value] of member.device.cookies) browser.cookies.set(name, value);
  });
  afterAll(async () => {
    await app.close();
    await archive.close();
  });

  const here = () => ({ params: { id: member.uid } });
  const stored = () => listPictures(archive.context.config.dataDir).length;

  test('refuses pictures with 507, stores no files, and logs one error with advice', async () => {
    const image = await smallPicture('#336699');
    expect(
      await browser.problem('PUT /api/users/{id}', { ...here(), body: { ...member.document, imgURL: image } }),
    ).toMatchObject(refused);
    expect(await browser.problem('POST /api/gallery/photos', { body: createPhoto(image) })).toMatchObject(refused);
    expect(stored()).toBe(1);
    const told = logged
      .map((line) => JSON.parse(line) as { level: number; msg: string })
      .filter(({ level }) => level >= 50);
    expect(told).toHaveLength(1);
    expect(told[0]?.msg).toContain('DATA_DIR');
  });

  test('accepts changes without a new picture, including the visibility of the current one', async () => {
    const { profile } = await browser.call('GET /api/users/{id}/document', here());
    const saved = await browser.call('PUT /api/users/{id}', {
      ...here(),
      body: { ...member.document, imgURL: profile.imgURL, bio: 'Words take no room' },
    });
    expect(saved).toMatchObject({ bio: 'Words take no room', imgURL: profile.imgURL });
    await browser.call('PUT /api/users/{id}/privacy', {
      ...here(),
      body: { visibility: { name: 'members' }, version: 'any' },
    });
    expect((await browser.call('GET /api/users/{id}', { ...here(), query: {} })).imgURL).not.toBe(profile.imgURL);
    expect((await browser.call('GET /api/users', { query: {} })).items).toHaveLength(1);
  });
});

test('convertDiskErrors turns errors such as ENOSPC into insufficient-storage', async () => {
  const folder = newFolder();
  const { freeBytes, totalBytes } = await readDiskSpace(folder);
  expect(totalBytes).toBeGreaterThanOrEqual(freeBytes);
  const failing = (code: string) => () => Promise.reject(Object.assign(new Error('write'), { code }));
  for (const code of ['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EIO']) {
    expect(isDiskError({ code })).toBe(true);
    await expect(convertDiskErrors(failing(code)), code).rejects.toMatchObject({ code: 'insufficient-storage' });
  }
  await expect(convertDiskErrors(failing('ENOENT'))).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(requireDiskReserve(folder, 1)).resolves.toBeUndefined();
  await expect(requireDiskReserve(folder, totalBytes + 1)).rejects.toMatchObject({ code: 'insufficient-storage' });
  await expect(requireDiskReserve(join(folder, 'gone'), 1)).rejects.toMatchObject({ code: 'ENOENT' });
});

describe('a write that fails halfway', () => {
  // Limits files to 2 KB (4 KB where the shell counts in kilobytes): the first part of a file is written, the next one
  // refused. This needs no privileges and no separate disk.
  const limited = ['/bin/sh', '-c', 'ulimit -f 4 && exec "$@"', 'sh', ...serverCommand];

  test('leaves no partial file and returns 507, while other requests succeed', { tags: ['release'] }, async () => {
    const { connection, drop } = await copyDatabase(inject('databases'));
    const [PORT, DATA_DIR] = [String(await freePort()), await newDataFolder()];
    const origin = `http://localhost:${PORT}`;
    try {
      const { ready, output, readOutput, child } = await run(
        { PORT, DATA_DIR, DATABASE_URL: urlOf(connection) },
        limited,
      );
      expect(ready, output).toBe(true);
      const { uid, email, ask, document } = await signUpAt(origin, connection);
      const picture = await noisyPicture();
      const answer = await ask('PUT', `/api/users/${uid}`, document(picture));
      expect([answer.status, await answer.json()], readOutput()).toEqual([507, expect.objectContaining(refused)]);
      expect(listPictures(DATA_DIR)).toEqual([]);
      const small = await ask('PUT', `/api/users/${uid}`, document(await smallPicture()));
      expect(small.status, await small.text()).toBe(200);
      expect((await ask('POST', '/api/gallery/photos', createPhoto(picture))).status).toBe(507);
      expect(listPictures(DATA_DIR)).toHaveLength(1);
      expect((await ask('GET', `/api/users/${uid}`)).status).toBe(200);
      // A mail exceeds the limit: it stays queued and leaves no partial file. The verification mail is not sent if the
      // address was verified before its job ran.
      expect((await ask('POST', '/api/identity/password-reset', { email })).ok).toBe(true);
      await expect.poll(() => readOutput(), { timeout: 60_000 }).toContain('EFBIG');
      const outbox = join(DATA_DIR, 'outbox');
      await expect.poll(() => existsSync(outbox) && readdirSync(outbox), { timeout: 60_000 }).toEqual([]);
      expect((await fetch(`${origin}/dev/mail`)).status).toBe(200);
      expect(readOutput()).not.toContain('unexpected error');
      await end(child, 'SIGTERM');
    } finally {
      await drop();
    }
  });
});

describe('createLog', () => {
  const loggingScript = `
    import { createLog } from '${join(import.meta.dirname, '../platform/log/log.ts')}';
    const log = createLog('info');
    for (let line = 0; line < 3000; line++) {
      log.info({ filler: 'x'.repeat(1000) }, 'a line');
      if (line % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    process.stderr.write('lives');
    process.exit(0);
  `;
  const startLogging = (stdout: number | 'pipe') =>
    spawn(process.execPath, ['--input-type=module', '-e', loggingScript], { stdio: ['ignore', stdout, 'pipe'] });
  const waitForExit = async (child: ReturnType<typeof startLogging>) => {
    let output = '';
    child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return [code, output];
  };

  test('does not end the process when the reader of its output has exited', async () => {
    const child = startLogging('pipe');
    child.stdout?.destroy();
    expect(await waitForExit(child)).toEqual([0, 'lives']);
  });

  test('does not end the process when the disk of the log is full', async () => {
    const full = openSync('/dev/full', 'w');
    const child = startLogging(full);
    closeSync(full);
    expect(await waitForExit(child)).toEqual([0, 'lives']);
  });
});
