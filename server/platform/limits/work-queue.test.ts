import { describe, expect, test } from 'vitest';
import { createWorkQueue } from './work-queue.ts';

describe('createWorkQueue', () => {
  test(
    'runs at most maxConcurrent calls at a time in order, and refuses calls when maxWaiting calls are waiting',
    { tags: ['asvs-5.2.1', 'asvs-15.2.2'] },
    async () => {
      const queue = createWorkQueue({ maxConcurrent: 2, maxWaiting: 3 });
      const gates: (() => void)[] = [];
      const started: number[] = [];
      const work = (id: number) =>
        queue(async () => {
          started.push(id);
          await new Promise<void>((open) => gates.push(open));
          return id;
        });
      const running = [1, 2, 3, 4, 5].map(work);
      await expect(work(6)).rejects.toMatchObject({
        code: 'unavailable',
        body: { retryAfter: expect.any(Number) as number },
      });
      expect(started).toEqual([1, 2]);
      for (let done = 0; done < 5; done++) {
        gates[done]?.();
        await running[done];
        expect(started.length).toBeLessThanOrEqual(done + 3);
      }
      expect(started).toEqual([1, 2, 3, 4, 5]);
      expect(await Promise.all(running)).toEqual([1, 2, 3, 4, 5]);
    },
  );

  test('starts the next call after a call that fails', async () => {
    const queue = createWorkQueue({ maxConcurrent: 1, maxWaiting: 5 });
    const failing = queue(async () => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await queue(async () => 'yes')).toBe('yes');
  });

  test('accepts urgent work when the normal queue is full, and runs it first', async () => {
    const queue = createWorkQueue({ maxConcurrent: 1, maxWaiting: 1 });
    const gate = Promise.withResolvers<undefined>();
    const done: string[] = [];
    const work = (name: string, isUrgent: boolean) => queue(async () => void done.push(name), { isUrgent });
    const all = [queue(() => gate.promise), work('normal', false)];
    await expect(work('over the limit', false)).rejects.toMatchObject({ code: 'unavailable' });
    all.push(work('urgent', true));
    gate.resolve(undefined);
    await Promise.all(all);
    expect(done).toEqual(['urgent', 'normal']);
  });

  test('gives normal work every second turn while urgent work waits', async () => {
    const queue = createWorkQueue({ maxConcurrent: 1, maxWaiting: 3 });
    const gate = Promise.withResolvers<undefined>();
    const done: string[] = [];
    const work = (name: string, isUrgent: boolean) => queue(async () => void done.push(name), { isUrgent });
    const all = [queue(() => gate.promise)];
    for (const name of ['urgent 1', 'urgent 2', 'urgent 3']) all.push(work(name, true));
    for (const name of ['normal 1', 'normal 2']) all.push(work(name, false));
    gate.resolve(undefined);
    await Promise.all(all);
    expect(done).toEqual(['urgent 1', 'normal 1', 'urgent 2', 'normal 2', 'urgent 3']);
  });
});
