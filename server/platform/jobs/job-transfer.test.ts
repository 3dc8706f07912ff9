import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type pg from 'pg';
import { openDatabase, type Database } from '../../db/client.ts';
import { migrate } from '../../db/migrate.ts';
import { copyDatabase } from '../../testing/databases.ts';
import { findQueued } from '../../testing/jobs.ts';
import { findFailedJobs } from './failed-jobs.ts';

/*
 * Tests the upgrade from versions whose queue was graphile-worker 0.17. The library is no longer a dependency, so the tests create its
 * tables.
 */

let connection: pg.PoolConfig;
let database: Database;
let drop: () => Promise<void>;

beforeEach(async () => {
  ({ connection, drop } = await copyDatabase(inject('databases')));
  database = openDatabase(connection, () => undefined);
  await database.pool.query(`
    create schema graphile_worker;
    create table graphile_worker._private_tasks (id int primary key, identifier text not null);
    create table graphile_worker._private_jobs (id bigint primary key, task_id int not null, payload json not null,
      priority smallint not null, run_at timestamptz not null, attempts smallint not null, max_attempts smallint not null,
      last_error text, key text, locked_at timestamptz, locked_by text);
    insert into graphile_worker._private_tasks values (1, 'identity:reset-mail'), (2, 'notifications:department-news');
    insert into graphile_worker._private_jobs values
      (1, 1, '{"email": "waiting@mail.example"}', -10, now(), 0, 14, null, null, null, null),
      (2, 1, '{"email": "retried@mail.example"}', -10, now() + interval '2 hours', 9, 14, 'Not now', null, null, null),
      (3, 1, '{"email": "failed@mail.example"}', -10, now(), 14, 14, 'The mail server refused the mail', null, null, null),
      (4, 1, '{"email": "running@mail.example"}', -10, now(), 1, 14, null, null, now(), 'worker-1'),
      (5, 2, '{"department": "History", "kind": "joined"}', 0, now() + interval '5 minutes', 0, 14, null,
        'notifications:department-news joined History', null, null);`);
});
afterEach(async () => {
  await database.close();
  await drop();
});

describe('moveLegacyJobs', () => {
  test('moves waiting, running and failed jobs once when several processes start', async () => {
    await Promise.all([migrate(connection), migrate(connection), migrate(connection)]);
    const jobs = await findQueued(database.db);
    const facts = jobs.map(({ data, state, priority, singletonKey }) => ({
      ...(data.payload as object),
      state,
      priority,
      singletonKey,
    }));
    const mail = { state: 'created', priority: 10, singletonKey: null };
    expect(facts).toHaveLength(5);
    expect(facts).toEqual(
      expect.arrayContaining([
        { email: 'waiting@mail.example', ...mail },
        { email: 'retried@mail.example', ...mail },
        { email: 'failed@mail.example', ...mail, state: 'failed' },
        { email: 'running@mail.example', ...mail },
        {
          department: 'History',
          kind: 'joined',
          state: 'created',
          priority: 0,
          singletonKey: 'notifications:department-news joined History',
        },
      ]),
    );
    expect(await findFailedJobs(database.db)).toEqual([
      expect.objectContaining({ lastError: 'The mail server refused the mail', nextAttempt: null }),
    ]);
    const { rows } = await database.pool.query(`select from pg_namespace where nspname = 'graphile_worker'`);
    expect(rows).toEqual([]);
    await migrate(connection);
    expect(await findQueued(database.db)).toHaveLength(5);
  });

  test('leaves the old queue unchanged when a job cannot be moved', async () => {
    await database.pool.query(`update graphile_worker._private_jobs set payload = '{"email": "\\u0000"}' where id = 5`);
    await expect(migrate(connection)).rejects.toThrow('unsupported Unicode escape sequence');
    expect(await findQueued(database.db)).toEqual([]);
    const { rowCount } = await database.pool.query('select from graphile_worker._private_jobs');
    expect(rowCount).toBe(5);
  });
});
