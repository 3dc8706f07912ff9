import { describe, expect, test } from 'vitest';
import { createBatchLoader } from './batch.ts';

describe('createBatchLoader', () => {
  test('loads the keys of one turn of the event loop together, and later calls again', async () => {
    const loads: (readonly string[])[] = [];
    const load = createBatchLoader(async (keys) => {
      loads.push(keys);
      return new Map(keys.filter((key) => key !== 'missing').map((key) => [key, `${key} of load ${loads.length}`]));
    });
    expect(await Promise.all([load('a'), load('b'), load('a'), load('missing')])).toEqual([
      'a of load 1',
      'b of load 1',
      'a of load 1',
      undefined,
    ]);
    expect(await load('a')).toBe('a of load 2');
    expect(loads).toEqual([['a', 'b', 'missing'], ['a']]);
  });

  test('starts another load at 100 keys, and tries again after a failed load', async () => {
    let isFailing = true;
    const sizes: number[] = [];
    const load = createBatchLoader(async (keys) => {
      sizes.push(keys.length);
      if (isFailing) throw new Error('The database is unavailable.');
      return new Map(keys.map((key) => [key, key]));
    });
    await expect(load('a')).rejects.toThrow('unavailable');
    isFailing = false;
    const keys = Array.from({ length: 150 }, (_, number) => String(number));
    expect(await Promise.all(keys.map(load))).toEqual(keys);
    expect(sizes).toEqual([1, 100, 50]);
  });
});
