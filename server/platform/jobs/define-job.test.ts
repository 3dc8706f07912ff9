import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import * as z from 'zod/mini';
import { type Database, openDatabase } from '#server/db/client.ts';
import { copyDatabase } from '#server/testing/databases.ts';
import { findQueued } from '#server/testing/jobs.ts';
import { defineJob } from './define-job.ts';
import { createLog } from '../log/log.ts';
import { startWorker } from './worker.ts';

let database: Database;
let admin: pg.Client;
let name: string;
let drop: () => Promise<void>;
const logged: string[] = [];
const log = createLog('info', { write: (line: string) => void logged.push(line) });

beforeEach(async () => {
  const copy = await copyDatabase(inject('databases'));
  drop = copy.drop;
  name = String(copy.connection.database);
  database = openDatabase({ ...copy.connection, connectionTimeoutMillis: 1_000 }, () => undefined);
  admin = new pg.Client(inject('databases').server);
  await admin.connect();
});
afterEach(async () => {
  await database.close();
  await admin.end();
  await drop();
});

async function makeUnavailable(): Promise<void> {
  await admin.query(`alter database ${name} with allow_connections false`);
  await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  // Terminated connections close with a delay. Waits until none is left, so that no later query uses one.
  const inside = async () => (await admin.query('select from pg_stat_activity where datname = $1', [name])).rowCount;
  await expect.poll(inside, { timeout: 60_000 }).toBe(0);
}
const makeAvailable = () => admin.query(`alter database ${name} with allow_connections true`);

describe('the worker without a database', () => {
  test('continues when the database is back, and runs no job twice', { tags: ['release'] }, async () => {
    const job = defineJob('test:slow', z.object({ name: z.string() }));
    const done: string[] = [];
    const unavailable = Promise.withResolvers<void>();
    const worker = await startWorker(
      database,
      job.handle(async (payload) => {
        if (payload.name === 'first') await makeUnavailable();
        done.push(payload.name);
        if (payload.name === 'first') unavailable.resolve();
      }),
      [],
      log,
    );
    await job.queue(database.db, { name: 'first' });
    await unavailable.promise;
    await expect.poll(() => logged.join('\n'), { timeout: 60_000 }).toContain('Job queue error');
    await makeAvailable();
    await job.queue(database.db, { name: 'second' });
    await expect.poll(() => done, { timeout: 60_000 }).toEqual(['first', 'second']);
    await expect.poll(() => findQueued(database.db), { timeout: 60_000 }).toEqual([]);
    expect(done).toEqual(['first', 'second']);
    await worker.stop();
  });

  test('stops without an error', async () => {
    for (let round = 0; round < 5; round++) {
      const worker = await startWorker(database, {}, [], log);
      await Promise.all([makeUnavailable(), worker.stop()]);
      await makeAvailable();
    }
  });
});
