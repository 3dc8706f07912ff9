import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type FakeS3, startFakeS3 } from '#server/testing/fake-s3.ts';
import { suiteFiles, testPictureStore } from '#server/testing/picture-store-suite.ts';
import { readObjectStore } from '../config/media-url.ts';
import { createFolderStore } from './folder-store.ts';
import { createObjectStore } from './object-store.ts';

describe('createFolderStore', () => {
  const folders: string[] = [];
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true });
  });
  testPictureStore(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pictures-'));
    folders.push(folder);
    return createFolderStore(join(folder, 'media'), 0);
  });
});

describe('createObjectStore', () => {
  let fake: FakeS3;
  beforeAll(async () => {
    fake = await startFakeS3();
  });
  afterAll(() => fake.close());

  let count = 0;
  const urlOf = (bucket = 'pictures') => `s3://${bucket}/archive/${count}?endpoint=${fake.origin}`;
  const openStore = (environment: NodeJS.ProcessEnv = fake.environment, bucket?: string, limits = {}) => {
    count++;
    return createObjectStore(readObjectStore(urlOf(bucket), environment), suiteFiles, limits);
  };
  testPictureStore(async () => openStore());

  const fail = (fault: FakeS3['fault'], failAfter = 0) => {
    Object.assign(fake, { fault, failAfter });
    onTestFinished(() => void Object.assign(fake, { fault: 'none', failAfter: 0 }));
  };
  const unavailable = { code: 'unavailable', status: 503 };
  const files = new Map([['96.webp', Buffer.from('a picture')]]);

  test.each(['503', 'half', 'slow'] as const)(
    'throws ProblemError unavailable if the store fails: %s',
    async (fault) => {
      const store = openStore(fake.environment, undefined, { timeoutMs: fault === 'slow' ? 100 : 60_000, pauseMs: 0 });
      await store.write('one', files);
      fail(fault);
      await expect(store.read('one', '96.webp')).rejects.toMatchObject(unavailable);
      await expect(store.write('two', files)).rejects.toMatchObject(unavailable);
      await expect(store.listNames()).rejects.toThrow(/^The storage for pictures and other files is not available/u);
      fake.fault = 'none';
      expect((await store.read('one', '96.webp'))?.toString()).toBe('a picture');
    },
  );

  test('fails at once after three failures in succession, and tries again later', async () => {
    const store = openStore();
    await store.write('one', files);
    fail('503');
    const before = fake.failAfter;
    for (let attempt = 0; attempt < 20; attempt++)
      await expect(store.read('one', '96.webp')).rejects.toMatchObject(unavailable);
    expect(before - fake.failAfter).toBe(9);
  });

  test('tries again after a single failure', async () => {
    const store = openStore();
    await store.write('one', files);
    fail('503 once');
    expect((await store.read('one', '96.webp'))?.toString()).toBe('a picture');
  });

  test.for<[string, () => NodeJS.ProcessEnv, string | undefined, RegExp]>([
    [
      'a wrong secret',
      () => ({ ...fake.environment, AWS_SECRET_ACCESS_KEY: 'wrong' }),
      undefined,
      /^s3:\/\/pictures\/archive\/\d+ answered PUT with 403 SignatureDoesNotMatch\. Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, the clock, and that the key may list, read, write and delete\.$/u,
    ],
    [
      'an unknown key',
      () => ({ ...fake.environment, AWS_ACCESS_KEY_ID: 'other' }),
      undefined,
      /403 InvalidAccessKeyId/u,
    ],
    [
      'a missing bucket',
      () => fake.environment,
      'others',
      /^The bucket of s3:\/\/others\/archive\/\d+ does not exist at http:\/\/127\.0\.0\.1:\d+\. Create it, or correct MEDIA_URL\.$/u,
    ],
  ])('check names %s', async ([, environment, bucket, message]) => {
    await expect(openStore(environment(), bucket).check()).rejects.toThrow(message);
  });

  test('refuses to read with wrong credentials, instead of reporting a missing picture', async () => {
    await expect(
      openStore({ ...fake.environment, AWS_SECRET_ACCESS_KEY: 'wrong' }).read('one', '96.webp'),
    ).rejects.toMatchObject(unavailable);
    await expect(openStore(fake.environment, 'others').read('one', '96.webp')).rejects.toMatchObject(unavailable);
  });

  test('check says that the store is unreachable', async () => {
    const gone = await startFakeS3();
    await gone.close();
    const store = createObjectStore(
      readObjectStore(`s3://pictures?endpoint=${gone.origin}`, fake.environment),
      suiteFiles,
    );
    await expect(store.check()).rejects.toMatchObject({
      ...unavailable,
      cause: { message: 's3://pictures/ cannot be reached (ECONNREFUSED).' },
    });
  });
});
