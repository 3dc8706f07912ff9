import { tmpdir } from 'node:os';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readObjectStore } from '#server/platform/config/media-url.ts';
import { createObjectStore } from '#server/platform/media/object-store.ts';
import { createFileBucket } from '#server/platform/storage/file-bucket.ts';
import { createObjectClient } from '#server/platform/storage/object-client.ts';
import { startCrowd } from '#server/testing/crowd.ts';
import { testFileStore } from '#server/testing/file-store-suite.ts';
import { suiteFiles, testPictureStore } from '#server/testing/picture-store-suite.ts';
import { cleanUp, end, findConnection, prepareServer, run } from '#server/testing/server-process.ts';
import { type Swift, startSwift } from './swift.ts';

/*
 * Pictures in OpenStack Swift, with the same suite as the folder and the fake store, and a server whose members write
 * while Swift fails.
 */

const fileNames = [...suiteFiles, '480.webp', '1440.webp'];

describe('a bucket of Swift', () => {
  let swift: Swift;
  beforeAll(async () => {
    swift = await startSwift();
  });
  afterAll(cleanUp);

  let count = 0;
  const openBucket = (bucket = 'pictures', secret = swift.environment.AWS_SECRET_ACCESS_KEY) => {
    count++;
    const url = `s3://${bucket}/suite/${count}?endpoint=${swift.origin}`;
    return readObjectStore(url, { ...swift.environment, AWS_SECRET_ACCESS_KEY: secret });
  };
  const open = (...settings: Parameters<typeof openBucket>) => createObjectStore(openBucket(...settings), suiteFiles);
  testPictureStore(async () => open());
  testFileStore(async () => createFileBucket(createObjectClient(openBucket()), '.roster', tmpdir(), 0));

  test('lists more pictures than one page has', async () => {
    const store = open();
    for (let from = 0; from < 350; from += 10)
      await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          store.write(`picture-${from + index}`, new Map(suiteFiles.map((file) => [file, Buffer.from(file)]))),
        ),
      );
    expect(await store.listNames()).toHaveLength(350);
  });

  test('names wrong credentials and a missing bucket', async () => {
    await expect(open('pictures', 'wrong').check()).rejects.toThrow(
      'answered PUT with 403 SignatureDoesNotMatch. Check',
    );
    await expect(open('other').check()).rejects.toThrow(/^The bucket of s3:\/\/other\/suite\/\d+ does not exist at/u);
  });
});

describe('a server with pictures in Swift', () => {
  afterEach(cleanUp);

  const pollOptions = { timeout: 120_000, interval: 50 };

  test.each(['unreachable', 'slow', '503', 'killed during uploads'] as const)(
    'loses no acknowledged picture, and serves pages, while the store is %s',
    async (fault) => {
      const swift = await startSwift();
      const { environment, dataDir, inbox, origin } = await prepareServer();
      const settings = { ...environment, ...swift.environment, MEDIA_URL: swift.mediaUrl };
      const product = await run(settings);
      expect(product.ready, product.output).toBe(true);
      const crowd = await startCrowd({ origin, inbox }, 3);
      const write = async (count: number) => {
        const before = crowd.acknowledged;
        await expect.poll(() => crowd.acknowledged - before, pollOptions).toBeGreaterThan(count);
      };
      const failed = () => crowd.statuses.get(503) ?? 0;
      const breakStore = async () => {
        const before = failed();
        if (fault === 'unreachable') await swift.kill('proxy');
        else if (fault === 'slow') swift.signal('proxy', 'SIGSTOP');
        else await swift.kill('object');
        await expect.poll(() => failed() - before, pollOptions).toBeGreaterThan(3);
        for (const path of ['/api/institution', '/api/users', '/readyz']) {
          const { status, headers } = await fetch(`${origin}${path}`, { headers: { 'x-forwarded-for': '10.8.0.1' } });
          expect([path, status, headers.get('retry-after')]).toEqual([path, 200, null]);
        }
        // Words are saved meanwhile: every third save has no new picture.
        await write(2);
      };
      const repairStore = async () => {
        if (fault === 'unreachable') await swift.start('proxy');
        else if (fault === 'slow') swift.signal('proxy', 'SIGCONT');
        else await swift.start('object');
      };
      await write(10);
      for (let round = 0; round < (fault === 'killed during uploads' ? 6 : 2); round++) {
        await breakStore();
        await repairStore();
        await write(15);
      }
      await crowd.stop();
      console.log(fault, 'responses', Object.fromEntries(crowd.statuses), 'acknowledged', crowd.acknowledged);
      expect([...crowd.statuses.keys()].filter((status) => ![200, 503].includes(status))).toEqual([]);
      expect(crowd.missingRetryAfter).toBe(0);
      const store = createObjectStore(readObjectStore(swift.mediaUrl, swift.environment), fileNames);
      await crowd.verify(await findConnection(dataDir), dataDir, store);
      await end(product.child, 'SIGTERM');
      expect(product.child.exitCode).toBe(0);
    },
  );

  test('does not start with wrong credentials or without the bucket, and starts while Swift is down', async () => {
    const swift = await startSwift();
    const { environment } = await prepareServer();
    const settings = { ...environment, ...swift.environment, MEDIA_URL: swift.mediaUrl };
    const wrong = await run({ ...settings, AWS_SECRET_ACCESS_KEY: 'wrong' });
    expect([wrong.ready, wrong.output]).toEqual([
      false,
      expect.stringContaining('403 SignatureDoesNotMatch. Check AWS_ACCESS_KEY_ID') as string,
    ]);
    const missing = await run({ ...settings, MEDIA_URL: swift.mediaUrl.replace('pictures', 'others') });
    expect([missing.ready, missing.output]).toEqual([
      false,
      expect.stringContaining('The bucket of s3://others/archive does not exist') as string,
    ]);
    await swift.kill('proxy');
    const product = await run(settings);
    expect(product.ready, product.output).toBe(true);
    expect(product.readOutput()).toContain('Picture requests get 503 until it recovers');
  });
});
