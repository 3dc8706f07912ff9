import { buffer } from 'node:stream/consumers';
import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { type ZipFile, createZip } from './zip.ts';

async function* files(...all: ZipFile[]) {
  yield* all;
}

describe('createZip', () => {
  test('deflates texts and stores pictures unchanged', async () => {
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

  test('requests only a few of a hundred pictures while no one reads the stream', async () => {
    let requested = 0;
    async function* pictures(): AsyncGenerator<ZipFile> {
      for (let index = 0; index < 100; index++) {
        requested++;
        yield { path: `${index}.webp`, content: new Uint8Array(50_000) };
      }
    }
    const zip = createZip(pictures());
    zip.once('readable', () => undefined);
    await expect.poll(() => requested).toBeGreaterThan(0);
    // Lets pending work of the event loop finish.
    for (let time = 0; time < 1_000; time++) await nextEventLoopTurn();
    expect(requested).toBeLessThan(5);
    expect(Object.keys(unzipSync(await buffer(zip)))).toHaveLength(100);
  });

  test('stops when the stream is destroyed, and fails when reading a file fails', async () => {
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
});
