import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { beforeEach, expect, test } from 'vitest';
import type { FileStore } from '#server/platform/storage/file-store.ts';

export async function* inParts(...parts: (Buffer | string)[]) {
  yield* parts;
}

/** Defines the tests that every kind of file store has to pass. @param open returns a new, empty store */
export function testFileStore(open: () => Promise<FileStore>): void {
  let store: FileStore;
  beforeEach(async () => {
    store = await open();
  });

  const write = (name: string, ...parts: (Buffer | string)[]) => store.write(inParts(...parts), async () => name);
  const read = async (name: string) => {
    const stream = await store.open(name);
    return stream && buffer(stream);
  };

  test('returns what was written, as a stream and as a local file, and null for others', async () => {
    const large = randomBytes(9_000_001);
    await write('large.csv', large.subarray(0, 5_000_000), large.subarray(5_000_000));
    await write('text.csv', 'Ọlá,', Buffer.from('Adé'));
    await write('empty.csv');
    expect((await read('large.csv'))?.equals(large)).toBe(true);
    expect((await read('text.csv'))?.toString()).toBe('Ọlá,Adé');
    expect((await read('empty.csv'))?.length).toBe(0);
    await using local = await store.openLocally('large.csv');
    expect((await readFile(local?.path ?? '')).equals(large)).toBe(true);
    expect([await read('other.csv'), await store.openLocally('other.csv')]).toEqual([null, null]);
  });

  test('replaces a file of the same name', async () => {
    await write('one', 'the longer first content');
    await write('one', 'second');
    expect((await read('one'))?.toString()).toBe('second');
  });

  test('stores nothing if the content or the choice of the name fails', async () => {
    async function* fail() {
      yield 'some';
      throw new Error('content');
    }
    await expect(store.write(fail(), async () => 'one')).rejects.toThrow('content');
    await expect(store.write(inParts('all'), () => Promise.reject(new Error('name')))).rejects.toThrow('name');
    expect(await read('one')).toBeNull();
  });

  test('deletes a file, or all others, and does nothing if it is missing', async () => {
    await store.delete('one');
    await store.deleteOthers(() => false);
    for (const name of ['1', '2', '3', '4', '5', '6', '7']) await write(name, name);
    await store.delete('2');
    await store.deleteOthers((name) => ['3', '4'].includes(name));
    const left = [];
    for (const name of ['1', '2', '3', '4', '5', '6', '7']) if (await read(name)) left.push(name);
    expect(left).toEqual(['3', '4']);
  });

  test('does not delete a file that is being written', async () => {
    const content = async function* () {
      yield 'first ';
      await store.deleteOthers(() => false);
      yield 'second';
    };
    await store.write(content(), async () => 'one');
    expect((await read('one'))?.toString()).toBe('first second');
  });
}
