import { describe, expect, test } from 'vitest';
import { createResponseCache } from './response-cache.ts';

describe('createResponseCache', () => {
  test('creates one response for all calls within a second, and another one after clear', async () => {
    let time = 0;
    let made = 0;
    const answers = createResponseCache(() => time);
    const ask = (key = 'a') => answers.getOrCreate(key, async () => `${key}${++made}`);
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(['a1', 'a1', 'a1']);
    expect(await ask('b')).toBe('b2');
    time = 999;
    expect(await ask()).toBe('a1');
    time = 1_000;
    expect(await ask()).toBe('a3');
    answers.clear();
    expect(await ask()).toBe('a4');
  });

  test('never returns a response that was being created before clear', { tags: ['asvs-14.2.2'] }, async () => {
    const answers = createResponseCache(() => 0);
    const slow = Promise.withResolvers<string>();
    const before = answers.getOrCreate('a', () => slow.promise);
    answers.clear();
    expect(await answers.getOrCreate('a', async () => 'new')).toBe('new');
    slow.resolve('old');
    expect(await before).toBe('old');
    expect(await answers.getOrCreate('a', async () => 'never')).toBe('new');
  });

  test('does not cache failures, and evicts the oldest entry', async () => {
    const answers = createResponseCache(() => 0);
    await expect(answers.getOrCreate('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await answers.getOrCreate('a', async () => 'there')).toBe('there');
    for (let key = 0; key < 1_000; key++) await answers.getOrCreate(String(key), async () => '');
    expect(await answers.getOrCreate('a', async () => 'again')).toBe('again');
  });
});
