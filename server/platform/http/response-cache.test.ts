import { describe, expect, test } from 'vitest';
import { createResponseCache } from './response-cache.ts';

describe('createResponseCache', () => {
  test('creates one response for all calls within a second, and a new response after clear', async () => {
    let time = 0;
    let created = 0;
    const cache = createResponseCache(() => time);
    const ask = (key = 'a') => cache.getOrCreate(key, async () => `${key}${++created}`);
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(['a1', 'a1', 'a1']);
    expect(await ask('b')).toBe('b2');
    time = 999;
    expect(await ask()).toBe('a1');
    time = 1_000;
    expect(await ask()).toBe('a3');
    cache.clear();
    expect(await ask()).toBe('a4');
  });

  test('never returns a response whose creation began before clear', { tags: ['asvs-14.2.2'] }, async () => {
    const cache = createResponseCache(() => 0);
    const slow = Promise.withResolvers<string>();
    const before = cache.getOrCreate('a', () => slow.promise);
    expect(cache.get('a')).toBeUndefined();
    cache.clear();
    expect(await cache.getOrCreate('a', async () => 'new')).toBe('new');
    slow.resolve('old');
    expect(await before).toBe('old');
    expect(cache.get('a')).toBe('new');
    expect(await cache.getOrCreate('a', async () => 'never')).toBe('new');
  });

  test('does not cache failures, and evicts the oldest entry', async () => {
    const cache = createResponseCache(() => 0);
    await expect(cache.getOrCreate('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await cache.getOrCreate('a', async () => 'there')).toBe('there');
    for (let key = 0; key < 1_000; key++) await cache.getOrCreate(String(key), async () => '');
    expect(await cache.getOrCreate('a', async () => 'again')).toBe('again');
  });
});
