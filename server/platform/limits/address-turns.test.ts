import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createAddressTurns } from './address-turns.ts';

test('createAddressTurns starts other addresses before the excess of one, and everything in the end', async () => {
  const take = createAddressTurns(2);
  const started: string[] = [];
  const start = (ip: string) => take(ip, () => void started.push(ip));
  for (const ip of ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8::4', '2001:db8::5']) start(ip);
  start('192.0.2.1');
  expect(started).toEqual(['2001:db8::1', '2001:db8::2', '192.0.2.1']);
  await nextTurn();
  expect(started.slice(3)).toEqual(['2001:db8::3', '2001:db8::4']);
  start('2001:db8::6');
  expect(started).toHaveLength(5);
  await expect.poll(() => started.slice(5)).toEqual(['2001:db8::5', '2001:db8::6']);
  start('192.0.2.1');
  expect(started).toHaveLength(8);
});
