import { expect, test } from 'vitest';
import { createAddressQueue } from './address-queue.ts';

test('createAddressQueue limits the work of one address block, and never that of others', async () => {
  const queue = createAddressQueue(2, 1);
  const finish: (() => void)[] = [];
  let running = 0;
  const work = async () => {
    running++;
    await new Promise<void>((resolve) => finish.push(resolve));
  };
  const first = [queue('2001:db8::1', work), queue('2001:db8::2', work), queue('2001:db8::3', work)];
  await expect(queue('2001:db8::4', work)).rejects.toThrow('Too many pages');
  expect(running).toBe(2);
  const other = queue('2001:db8:0:1::1', work);
  expect(running).toBe(3);
  finish.shift()?.();
  await expect.poll(() => running).toBe(4);
  for (const end of finish) end();
  await Promise.all([...first, other]);
  const again = queue('2001:db8::4', async () => 'done');
  await expect(again).resolves.toBe('done');
});
