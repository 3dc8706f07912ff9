import { buffer } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { strFromU8, unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { type ZipFile, createZip } from './zip.ts';

async function* files(...all: ZipFile[]) {
  yield* all;
}

test('what goes in comes out, texts packed, pictures as they are', async () => {
  const picture = new Uint8Array(100_000).fill(7);
  const zip = await buffer(
    createZip(files({ path: 'a.txt', content: 'Ọ'.repeat(50_000) }, { path: 'pictures/b.webp', content: picture })),
  );
  const out = unzipSync(zip);
  expect(strFromU8(out['a.txt'] ?? new Uint8Array())).toBe('Ọ'.repeat(50_000));
  expect(out['pictures/b.webp']).toEqual(picture);
  expect(zip.length).toBeGreaterThan(100_000);
  expect(zip.length).toBeLessThan(102_000);
});

test('nothing is made before it is asked for: of a hundred pictures, few wait while nobody reads', async () => {
  let made = 0;
  async function* pictures(): AsyncGenerator<ZipFile> {
    for (let index = 0; index < 100; index++) {
      made++;
      yield { path: `${index}.webp`, content: new Uint8Array(50_000) };
    }
  }
  const zip = createZip(pictures());
  zip.once('readable', () => undefined);
  await expect.poll(() => made).toBeGreaterThan(0);
  // Whatever else was on its way has had its turn by then.
  for (let time = 0; time < 1_000; time++) await turn();
  expect(made).toBeLessThan(5);
  expect(Object.keys(unzipSync(await buffer(zip)))).toHaveLength(100);
});

test('whoever stops reading stops the making, and a failure ends the file', async () => {
  let isOver = false;
  async function* pictures(): AsyncGenerator<ZipFile> {
    try {
      for (;;) yield { path: 'x.webp', content: new Uint8Array(50_000) };
    } finally {
      isOver = true;
    }
  }
  const zip = createZip(pictures());
  await new Promise((resolve) => zip.once('data', resolve));
  zip.destroy();
  await expect.poll(() => isOver).toBe(true);

  async function* broken(): AsyncGenerator<ZipFile> {
    yield { path: 'a.txt', content: 'a' };
    throw new Error('The disk is gone.');
  }
  await expect(buffer(createZip(broken()))).rejects.toThrow('The disk is gone.');
});
