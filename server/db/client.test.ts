import { expect, inject, test } from 'vitest';
import { copyDatabase } from '#server/testing/databases.ts';
import { openDatabase } from './client.ts';

test('openDatabase reports errors of idle connections until it is closed', async () => {
  const { connection, drop } = await copyDatabase(inject('databases'));
  const told: string[] = [];
  const database = openDatabase(connection, ({ message }) => void told.push(message));
  const [first, second] = [await database.pool.connect(), await database.pool.connect()];
  first.release();
  second.release();
  first.emit('error', new Error('while it was idle'));
  expect(new Set(told)).toEqual(new Set(['while it was idle']));
  told.length = 0;
  const closing = database.close();
  // When the database stops as well, it reports an error on connections that are still open.
  second.emit('error', new Error('terminating connection due to administrator command'));
  await closing;
  expect(told).toEqual([]);
  await drop();
});
