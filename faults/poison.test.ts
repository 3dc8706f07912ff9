import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import * as z from 'zod/mini';
import { openDatabase } from '#server/db/client.ts';
import { findFailedJobs } from '#server/platform/jobs/failed-jobs.ts';
import { defineJob } from '#server/platform/jobs/define-job.ts';
import { copyDatabase } from '#server/testing/databases.ts';
import { ageQueued, changeQueued } from '#server/testing/jobs.ts';
import { cleanUp, end, run } from '#server/testing/server-process.ts';

afterAll(cleanUp);

const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read, { timeout: 120_000 });
const root = join(import.meta.dirname, '..');

/**
 * Source of a worker process. The job `fault:deadly` exits the process, unless HARMLESS is set. The job `fault:honest`
 * records its run.
 */
const workerScript = `
  import * as z from 'zod/mini';
  import { openDatabase } from '${join(root, 'server/db/client.ts')}';
  import { defineJob } from '${join(root, 'server/platform/jobs/define-job.ts')}';
  import { createLog } from '${join(root, 'server/platform/log/log.ts')}';
  import { startWorker } from '${join(root, 'server/platform/jobs/worker.ts')}';
  const database = openDatabase(JSON.parse(process.env.CONNECTION), () => undefined);
  const deadly = defineJob('fault:deadly', z.object({}));
  const honest = defineJob('fault:honest', z.object({}));
  await startWorker(database, {
    ...(process.env.HARMLESS ? {} : deadly.handle(async () => process.exit(7))),
    ...honest.handle(async () => void (await database.pool.query('insert into done values (1)'))),
  }, [], createLog('warn'));
  console.log('Ctrl-C');
`;

test('a job that crashes its process fails permanently after its attempts, and other jobs run', async () => {
  const { connection, drop } = await copyDatabase(inject('databases'));
  const database = openDatabase(connection, () => undefined);
  const { db, pool } = database;
  const start = (more: Record<string, string> = {}) =>
    run({ CONNECTION: JSON.stringify(connection), ...more }, [
      process.execPath,
      '--input-type=module',
      '-e',
      workerScript,
    ]);
  const countDone = async () => (await pool.query('select from done')).rowCount;
  await pool.query('create table done (one integer)');
  await defineJob('fault:deadly', z.object({})).queue(db, {});
  await changeQueued(db, () => ({ retryLimit: 2 }));
  for (let attempt = 1; attempt <= 3; attempt++) {
    const { child } = await start();
    await eventually(() => child.exitCode).toBe(7);
    const diedAtMs = performance.now();
    await defineJob('fault:honest', z.object({})).queue(db, {});
    const other = await start({ HARMLESS: 'yes' });
    await eventually(countDone).toBe(attempt);
    await eventually(async () => (await findFailedJobs(db))[0]?.attempts).toBe(attempt);
    console.log(
      `attempt ${attempt} was requeued ${((performance.now() - diedAtMs) / 1000).toFixed(1)} s after its process died`,
    );
    await end(other.child, 'SIGKILL');
    await ageQueued(db, 60);
  }
  const last = await start();
  await defineJob('fault:honest', z.object({})).queue(db, {});
  await eventually(countDone).toBe(4);
  expect(last.child.exitCode, 'the worker must not crash any more').toBe(null);
  expect(await findFailedJobs(db)).toEqual([expect.objectContaining({ attempts: 3, nextAttempt: null })]);
  await end(last.child, 'SIGKILL');
  await database.close();
  await drop();
});
