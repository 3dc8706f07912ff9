import { describe, expect, test } from 'vitest';
import { createKeyedMutex } from './keyed-mutex.ts';

describe('createKeyedMutex', () => {
  test('runs tasks with the same key one at a time, and does not delay tasks with other keys', async () => {
    const inTurn = createKeyedMutex(2);
    const gate = Promise.withResolvers<undefined>();
    const done: string[] = [];
    const first = inTurn('a', () => gate.promise);
    const second = inTurn('a', async () => {
      done.push('second');
      throw new Error('failed');
    });
    const third = inTurn('a', async () => void done.push('third'));
    await expect(inTurn('a', async () => undefined)).rejects.toMatchObject({
      code: 'auth/too-many-requests',
      body: { retryAfter: expect.any(Number) as number },
    });
    await inTurn('b', async () => void done.push('other key'));
    gate.resolve(undefined);
    await expect(second).rejects.toThrow('failed');
    await Promise.all([first, third]);
    await inTurn('a', async () => void done.push('afterwards'));
    expect(done).toEqual(['other key', 'second', 'third', 'afterwards']);
  });
});
