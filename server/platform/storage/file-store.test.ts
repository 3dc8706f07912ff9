import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type FakeS3, startFakeS3 } from '#server/testing/fake-s3.ts';
import { inParts, testFileStore } from '#server/testing/file-store-suite.ts';
import { readObjectStore } from '../config/media-url.ts';
import { createFileBucket } from './file-bucket.ts';
import { createFileFolder } from './file-folder.ts';
import { createObjectClient } from './object-client.ts';
import { deleteUnusedFiles } from './open-file-stores.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'files-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const insufficient = { code: 'insufficient-storage', status: 507 };

describe('createFileFolder', () => {
  testFileStore(async () => createFileFolder(join(folder, 'roster'), 0));

  test('refuses files if less than the reserve is free', async () => {
    const store = createFileFolder(folder, Number.MAX_SAFE_INTEGER);
    await expect(store.write(inParts('text'), async () => 'one')).rejects.toMatchObject(insufficient);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('createFileBucket', () => {
  let fake: FakeS3;
  beforeAll(async () => {
    fake = await startFakeS3();
  });
  afterAll(() => fake.close());

  let count = 0;
  const openStore = (reserveBytes = 0, timeoutMs = 5_000) => {
    count++;
    const settings = readObjectStore(`s3://pictures/files/${count}?endpoint=${fake.origin}`, fake.environment);
    return createFileBucket(createObjectClient(settings, { timeoutMs, pauseMs: 0 }), '.roster', folder, reserveBytes);
  };
  testFileStore(async () => openStore());

  test('leaves nothing on the local disk, also while it writes and reads', async () => {
    const store = openStore();
    const content = async function* () {
      yield 'text';
      expect(readdirSync(folder)).toEqual([]);
    };
    await store.write(content(), async () => 'one');
    await using _ = await store.openLocally('one');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('refuses temporary files if less than the reserve is free', async () => {
    const store = openStore(Number.MAX_SAFE_INTEGER);
    await expect(store.write(inParts('text'), async () => 'one')).rejects.toMatchObject(insufficient);
  });

  test.each(['503', 'half', 'slow'] as const)(
    'throws ProblemError unavailable if the store fails: %s',
    async (fault) => {
      const store = openStore(0, fault === 'slow' ? 100 : 60_000);
      await store.write(inParts('text'), async () => 'one');
      fake.fault = fault;
      const unavailable = { code: 'unavailable', status: 503 };
      await expect(store.write(inParts('text'), async () => 'two')).rejects.toMatchObject(unavailable);
      await expect(store.openLocally('one')).rejects.toMatchObject(unavailable);
      fake.fault = 'none';
      expect(await store.open('two')).toBeNull();
    },
  );
});

test('deleteUnusedFiles deletes the files of the data folder only if there is an object store', async () => {
  const store = createFileFolder(join(folder, 'exports'), 0);
  await store.write(inParts('text'), async () => 'one');
  const config = { dataDir: folder, diskReserveBytes: 0 };
  await deleteUnusedFiles({ ...config, objectStore: null });
  expect(existsSync(join(folder, 'exports', 'one'))).toBe(true);
  const environment = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };
  const objectStore = readObjectStore('s3://pictures?endpoint=http://127.0.0.1:1', environment);
  await deleteUnusedFiles({ ...config, objectStore });
  expect(existsSync(join(folder, 'exports', 'one'))).toBe(false);
});
