import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import * as z from 'zod/mini';
import { openDatabase } from '../server/db/client.ts';
import { defineJob } from '../server/platform/jobs.ts';
import { copyDatabase } from '../server/testing/databases.ts';
import { cleanUp, end, run } from '../server/testing/product.ts';

afterAll(cleanUp);

const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read, { timeout: 60_000 });
const root = join(import.meta.dirname, '..');

/** A process that works the queue, with one kind of job that ends the process, unless it is to be harmless, and one that notes that it was done. */
const script = `
  import * as z from 'zod/mini';
  import { openDatabase } from '${join(root, 'server/db/client.ts')}';
  import { defineJob } from '${join(root, 'server/platform/jobs.ts')}';
  import { createLog } from '${join(root, 'server/platform/log.ts')}';
  import { startWorker } from '${join(root, 'server/platform/worker.ts')}';
  const { pool, db } = openDatabase(JSON.parse(process.env.CONNECTION), () => undefined);
  const deadly = defineJob('fault:deadly', z.object({}));
  const honest = defineJob('fault:honest', z.object({}));
  await startWorker(pool, {
    ...(process.env.HARMLESS ? {} : deadly.handle(async () => process.exit(7))),
    ...honest.handle(async () => void (await pool.query('insert into done values (1)'))),
  }, [], createLog('warn'), { answers: async () => true });
  console.log('Ctrl-C');
`;

test('a job that ends the process each time is parked after its tries, and all other work is done', async () => {
  const { connection, drop } = await copyDatabase(inject('databases'));
  const database = openDatabase(connection, () => undefined);
  const { pool, db } = database;
  const start = (more: Record<string, string> = {}) =>
    run({ CONNECTION: JSON.stringify(connection), ...more }, [process.execPath, '--input-type=module', '-e', script]);
  const attempts = async () => {
    const { rows } = await pool.query<{ attempts: number }>(
      "select attempts from graphile_worker.jobs where task_identifier = 'fault:deadly'",
    );
    return rows[0]?.attempts;
  };
  await pool.query('create table done (one integer)');
  await defineJob('fault:deadly', z.object({})).queue(db, {});
  await pool.query('update graphile_worker._private_jobs set max_attempts = 3');
  for (let time = 1; time <= 3; time++) {
    const { child } = await start();
    await eventually(() => child.exitCode).toBe(7);
    expect(await attempts(), 'a try counts before it is done').toBe(time);
    await defineJob('fault:honest', z.object({})).queue(db, {});
    // Its lock is believed for a minute, and the next try is a while away: neither is waited for here.
    await pool.query("update graphile_worker._private_jobs set locked_at = locked_at - interval '2 minutes'");
    const helper = await start({ HARMLESS: 'yes' });
    await eventually(async () => (await pool.query('select from done')).rowCount).toBe(time);
    await eventually(
      async () =>
        (
          await pool.query(
            "select from graphile_worker.jobs where task_identifier = 'fault:deadly' and locked_at is null",
          )
        ).rowCount,
    ).toBe(1);
    await end(helper.child, 'SIGKILL');
    await pool.query('update graphile_worker._private_jobs set run_at = now() where attempts < max_attempts');
  }
  const last = await start();
  await defineJob('fault:honest', z.object({})).queue(db, {});
  await eventually(async () => (await pool.query('select from done')).rowCount).toBe(4);
  expect(last.child.exitCode, 'nothing ends it any more').toBe(null);
  expect(await attempts()).toBe(3);
  await end(last.child, 'SIGKILL');
  await database.close();
  await drop();
});
