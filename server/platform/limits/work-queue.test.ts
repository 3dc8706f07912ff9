import { expect, test } from 'vitest';
import { createWorkQueue } from './work-queue.ts';

test(
  'no more than asked for run at once, in the order they came, and too many are turned away',
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

test('work that fails gives its place to the next', async () => {
  const queue = createWorkQueue({ maxConcurrent: 1, maxWaiting: 5 });
  const failing = queue(async () => {
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await queue(async () => 'yes')).toBe('yes');
});

test('urgent work is taken when the line is full, and before everything that waits', async () => {
  const queue = createWorkQueue({ maxConcurrent: 1, maxWaiting: 1 });
  const gate = Promise.withResolvers<undefined>();
  const done: string[] = [];
  const work = (name: string, isUrgent: boolean) => queue(async () => void done.push(name), { isUrgent });
  const all = [queue(() => gate.promise), work('usual', false)];
  await expect(work('one too many', false)).rejects.toMatchObject({ code: 'unavailable' });
  all.push(work('urgent', true));
  gate.resolve(undefined);
  await Promise.all(all);
  expect(done).toEqual(['urgent', 'usual']);
});

test('usual work gets at least every second turn while urgent work waits', async () => {
  const queue = createWorkQueue({ maxConcurrent: 1, maxWaiting: 3 });
  const gate = Promise.withResolvers<undefined>();
  const done: string[] = [];
  const work = (name: string, isUrgent: boolean) => queue(async () => void done.push(name), { isUrgent });
  const all = [queue(() => gate.promise)];
  for (const name of ['urgent 1', 'urgent 2', 'urgent 3']) all.push(work(name, true));
  for (const name of ['usual 1', 'usual 2']) all.push(work(name, false));
  gate.resolve(undefined);
  await Promise.all(all);
  expect(done).toEqual(['urgent 1', 'usual 1', 'urgent 2', 'usual 2', 'urgent 3']);
});
