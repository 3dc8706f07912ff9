import { randomBytes } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import type { PictureStore } from '#server/platform/media/picture-store.ts';

/** Names that files of pictures can have in these tests. */
export const suiteFiles = ['96.webp', '192.webp', '384.webp'];

/** Defines the tests that every kind of store has to pass. @param open returns a new, empty store */
export function testPictureStore(open: () => Promise<PictureStore>): void {
  let store: PictureStore;
  beforeEach(async () => {
    store = await open();
  });

  const picture = () => new Map(suiteFiles.map((file, index) => [file, randomBytes(1_000 * (index + 1))]));
  const readAll = async (name: string) => {
    const files = await store.listFiles(name);
    return new Map(
      await Promise.all(files.map(async (file) => [file.name, await store.read(name, file.name)] as const)),
    );
  };
  const listNames = async (folder?: string) => (await store.listNames(folder)).map(({ name }) => name).toSorted();

  test('returns the files that were written, and null for others', async () => {
    const files = picture();
    await store.write('-first', files);
    expect(await readAll('-first')).toEqual(files);
    expect(new Set((await store.listFiles('-first')).map(({ bytes }) => bytes))).toEqual(
      new Set([1_000, 2_000, 3_000]),
    );
    expect([await store.read('-first', '480.webp'), await store.read('second', '96.webp')]).toEqual([null, null]);
    expect([await store.listFiles('second'), await listNames('.removed')]).toEqual([[], []]);
    const large = new Map([['384.webp', randomBytes(3_000_000)]]);
    await store.write('large', large);
    expect(await readAll('large')).toEqual(large);
  });

  test('moves and copies pictures', async () => {
    const files = picture();
    await store.write('one', files);
    expect(await store.copy('one', 'two')).toBe(true);
    expect(await store.move('one', 'public-one')).toBe(true);
    for (const name of ['two', 'public-one']) expect(await readAll(name)).toEqual(files);
    expect(await store.read('one', '96.webp')).toBeNull();
    expect([await store.copy('one', 'three'), await store.move('one', 'three')]).toEqual([false, false]);
    expect(await listNames()).toEqual(['public-one', 'two']);
  });

  test('moves a picture to where it already is', async () => {
    const files = picture();
    await store.write('one', files);
    await store.write('.removed/one', files);
    expect(await store.move('one', '.removed/one')).toBe(true);
    expect([await listNames(), await listNames('.removed')]).toEqual([[], ['one']]);
  });

  test('copies and moves pictures that have some of the files', async () => {
    await store.write('one', new Map([['96.webp', randomBytes(10)]]));
    expect([await store.copy('one', 'two'), await store.move('one', 'three')]).toEqual([true, true]);
    expect([await listNames(), (await readAll('three')).size]).toEqual([['three', 'two'], 1]);
  });

  test('deletes pictures, and does nothing if they are missing', async () => {
    await store.write('one', picture());
    await store.write('.removed/two', picture());
    for (const name of ['one', '.removed/two', 'three']) await store.delete(name);
    expect([await listNames(), await listNames('.removed')]).toEqual([[], []]);
  });

  test('lists all pictures with the time of the last write, without those in subfolders', async () => {
    const before = Date.now();
    const names = ['A', 'B', '_c', 'd-e'];
    for (const name of names) await store.write(name, picture());
    await store.write('.removed/f', picture());
    expect(await listNames()).toEqual(names.toSorted());
    // Some stores and file systems count whole seconds.
    for (const { writtenAt } of await store.listNames())
      expect(Math.abs(writtenAt.getTime() - before)).toBeLessThan(60_000);
  });

  test('can be checked, and says whether there are pictures', async () => {
    expect(await store.check()).toBe(false);
    await store.write('.removed/one', picture());
    expect(await store.check()).toBe(false);
    await store.write('one', picture());
    expect(await store.check()).toBe(true);
    expect(await listNames()).toEqual(['one']);
  });
}
