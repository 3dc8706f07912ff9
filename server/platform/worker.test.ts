import type { TaskList } from 'graphile-worker';
import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import * as z from 'zod/mini';
import { type Database, openDatabase } from '../db/client.ts';
import { copyDatabase } from '../testing/databases.ts';
import { deleteFailedJobs, defineJob, defineMailJob, NoFurtherAttempts } from './jobs.ts';
import { createLog } from './log.ts';
import { awayMessage } from './mail.ts';
import { findTroubledJobs, retryJobs } from './parked-jobs.ts';
import { releaseJobs } from './worker-vigil.ts';
import { startWorker, type Worker } from './worker.ts';

let database: Database;
let connection: pg.PoolConfig;
let drop: () => Promise<void>;
let workers: Worker[] = [];
let lines: { level: number; msg: string; job?: { task: string; attempt: number } }[] = [];
let isAnswering = true;

beforeEach(async () => {
  const copy = await copyDatabase(inject('databases'));
  ({ drop, connection } = copy);
  database = openDatabase(connection, () => undefined);
  [workers, lines, isAnswering] = [[], [], true];
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await database.close();
  await drop();
});

const log = createLog('info', { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[0]) });

/** Looks around often, and does not wait long for those who seem dead. */
const start = (...tasks: TaskList[]) => startAt({ looks: 300, deadFor: 1_000 }, ...tasks);

async function startAt(pace: { looks: number; deadFor: number }, ...tasks: TaskList[]): Promise<Worker> {
  const mailer = { answers: async () => isAnswering };
  const worker = await startWorker(database.pool, Object.assign({}, ...tasks) as TaskList, [], log, mailer, pace);
  workers.push(worker);
  return worker;
}

const query = async <Row extends object>(sql: string, values: unknown[] = []) =>
  (await database.pool.query<Row>(sql, values)).rows;

/** Waits for it, however slow the machine is. */
const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 60_000 });

/** How a kind of job stands. */
const stateOf = async (name: string) =>
  query<{ attempts: number; last_error: string | null; locked: boolean; wait: number }>(
    `select attempts, last_error, locked_at is not null as locked, extract(epoch from run_at - now())::float as wait
     from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
     where identifier = $1 order by j.id`,
    [name],
  );

/** The next attempts are due now, or the last one is the next. */
const change = (what: string) => query(`update graphile_worker._private_jobs set ${what}`);

const Note = z.object({ note: z.string() });
const poison = defineJob('test:poison', Note);
const honest = defineJob('test:honest', Note);

/** Does its work, and says so. */
function honestly() {
  const done: string[] = [];
  return { done, tasks: honest.handle(async ({ note }) => void done.push(note)) };
}

describe('a job that', () => {
  test('always fails is tried again later, parked after its tries, said at error level then, and in nobody’s way', async () => {
    const { done, tasks } = honestly();
    await poison.queue(database.db, { note: 'x' });
    await change('max_attempts = 2');
    await start(
      tasks,
      poison.handle(async () => {
        throw new Error('No way to reach ada@mail.example');
      }),
    );
    await eventually(async () => (await stateOf(poison.name))[0]).toMatchObject({ attempts: 1, locked: false });
    expect((await stateOf(poison.name))[0]).toMatchObject({ last_error: 'No way to reach [address]' });
    await honest.queue(database.db, { note: 'meanwhile' });
    await eventually(() => done).toEqual(['meanwhile']);
    await change('run_at = now()');
    await eventually(async () => (await stateOf(poison.name))[0]).toMatchObject({ attempts: 2, locked: false });
    expect(lines.filter(({ msg }) => msg.startsWith('a job failed')).map(({ level, msg }) => [level, msg])).toEqual([
      [40, 'a job failed, and will be tried again'],
      [50, 'a job failed for the last time: npm run archive -- jobs list'],
    ]);
    expect(await findTroubledJobs(database.pool, [poison.name])).toEqual([
      expect.objectContaining({ task: poison.name, attempts: 2, nextAttempt: null, isUnknown: false }),
    ]);
    await honest.queue(database.db, { note: 'afterwards' });
    await eventually(() => done).toEqual(['meanwhile', 'afterwards']);
  });

  test('never ends is given up after its time, and told so; its place is free again', async () => {
    const endless = defineJob('test:endless', Note, { seconds: 0.2 });
    const { done, tasks } = honestly();
    const told: unknown[] = [];
    for (const note of ['a', 'b', 'c']) await endless.queue(database.db, { note });
    await start(
      tasks,
      endless.handle((_, { signal }) => {
        signal.addEventListener('abort', () => told.push(signal.reason));
        return new Promise(() => undefined);
      }),
    );
    await honest.queue(database.db, { note: 'meanwhile' });
    await eventually(() => done).toEqual(['meanwhile']);
    await eventually(async () => (await stateOf('test:endless')).map(({ last_error }) => last_error)).toEqual(
      Array(3).fill('It was not done after 0.2 seconds.'),
    );
    expect(told).toHaveLength(3);
  });

  test('says something that this version cannot read is kept with the reason, without what it says', async () => {
    const { done, tasks } = honestly();
    await query(`select graphile_worker.add_job($1, '{"remark": "ada@mail.example was here"}')`, [honest.name]);
    await start(tasks);
    await eventually(async () => (await stateOf(honest.name))[0]?.last_error).toMatch(
      /^This version cannot read what the job says: .*note/su,
    );
    expect((await stateOf(honest.name))[0]?.last_error).not.toContain('ada');
    await honest.queue(database.db, { note: 'a good one' });
    await eventually(() => done).toEqual(['a good one']);
  });

  test('nobody here knows stays, is shown, and is done by the version that knows it', async () => {
    const { done, tasks } = honestly();
    await query(`select graphile_worker.add_job('test:from-the-future', '{"note": "x"}')`);
    await honest.queue(database.db, { note: 'known' });
    await start(tasks);
    await eventually(() => done).toEqual(['known']);
    expect(await findTroubledJobs(database.pool, [honest.name])).toEqual([
      expect.objectContaining({ task: 'test:from-the-future', attempts: 0, isUnknown: true, nextAttempt: null }),
    ]);
    const future = defineJob('test:from-the-future', Note);
    await start(future.handle(async ({ note }) => void done.push(note)));
    await eventually(() => done).toEqual(['known', 'x']);
  });

  test('has come to nothing for good is not tried again, and is no error', async () => {
    await poison.queue(database.db, { note: 'x' });
    await start(
      poison.handle(async () => {
        throw new NoFurtherAttempts('Nobody is there.');
      }),
    );
    await eventually(() => stateOf(poison.name)).toEqual([]);
    await eventually(() => lines.map(({ level, msg }) => [level, msg])).toEqual([
      [40, 'a job has ended without having done its work'],
    ]);
  });

  test('was given up stays to be looked at for thirty days, and can be tried again', async () => {
    await poison.queue(database.db, { note: 'x' });
    await change('attempts = max_attempts');
    await deleteFailedJobs(database.db);
    expect(await stateOf(poison.name)).toHaveLength(1);
    expect(await retryJobs(database.pool, null)).toBe(1);
    const done: string[] = [];
    await start(poison.handle(async ({ note }) => void done.push(note)));
    await eventually(() => done).toEqual(['x']);
    await poison.queue(database.db, { note: 'y' });
    await workers[0]?.stop();
    workers = [];
    await query('alter table graphile_worker._private_jobs disable trigger user');
    await change(
      `attempts = max_attempts, locked_at = null, locked_by = null, updated_at = now() - interval '31 days'`,
    );
    await deleteFailedJobs(database.db);
    expect(await stateOf(poison.name)).toEqual([]);
  });
});

describe('a mail', () => {
  const Mail = z.object({ to: z.string() });
  const awaited = defineMailJob('test:awaited-mail', Mail, 'awaited');
  const message = defineMailJob('test:message-mail', Mail, 'whenever');

  test('that somebody waits for goes before a thousand that nobody waits for', async () => {
    const sent: string[] = [];
    for (let mail = 0; mail < 1_000; mail += 100)
      await Promise.all(Array.from({ length: 100 }, () => message.queue(database.db, { to: 'many' })));
    const send = async ({ to }: { to: string }) => void sent.push(to);
    await awaited.queue(database.db, { to: 'one' });
    await start(awaited.handle(send), message.handle(send));
    await eventually(() => sent.includes('one')).toBe(true);
    expect(sent.indexOf('one')).toBeLessThan(10);
  });

  test('that a server keeps waiting holds up no other work', async () => {
    const { done, tasks } = honestly();
    const gates: (() => void)[] = [];
    for (let mail = 0; mail < 5; mail++) await message.queue(database.db, { to: 'slow' });
    await start(
      tasks,
      message.handle(() => new Promise((open) => gates.push(open))),
    );
    await eventually(() => gates.length).toBe(2);
    await honest.queue(database.db, { note: 'not a mail' });
    await eventually(() => done).toEqual(['not a mail']);
    const opening = setInterval(() => gates.splice(0).forEach((open) => open()), 20);
    await eventually(() => stateOf('test:message-mail')).toEqual([]);
    clearInterval(opening);
  });

  test('that a server keeps waiting does not keep the process from ending, and is tried again', async () => {
    await message.queue(database.db, { to: 'slow' });
    let begun = false;
    const worker = await start(
      message.handle((_, { signal }) => {
        begun = true;
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        });
      }),
    );
    await eventually(() => begun).toBe(true);
    workers = [];
    const asked = Date.now();
    await worker.stop();
    expect(Date.now() - asked).toBeLessThan(9_000);
    expect(await stateOf('test:message-mail')).toEqual([
      expect.objectContaining({ attempts: 1, locked: false, last_error: 'The process ended while it was done.' }),
    ]);
  });

  /** As after some days: tried so often, failed for this reason, asked for so long ago. */
  const failed = (attempts: number, reason: string, to: string[], age = '0') =>
    query(
      `update graphile_worker._private_jobs set attempts = $1, run_at = now() + interval '6 hours', last_error = $2,
         created_at = now() - $4::interval where payload->>'to' = any($3)`,
      [attempts, reason, to, age],
    );
  const away = `${awayMessage} (ECONNREFUSED).`;

  test('that waited while the server was away goes out when it answers, not hours later, and not before', async () => {
    const sent: string[] = [];
    for (const to of ['refused', 'given up', 'waiting', 'too old', 'by a clock ahead'])
      await awaited.queue(database.db, { to });
    await failed(12, 'The mail server did not take a mail (451).', ['refused']);
    await failed(14, away, ['given up'], '5 days');
    await failed(9, away, ['waiting'], '13 days');
    await failed(14, away, ['too old'], '15 days');
    await failed(9, away, ['by a clock ahead'], '-300 days');
    isAnswering = false;
    const tasks = awaited.handle(async ({ to }) => void sent.push(to));
    await (await start(tasks)).stop();
    workers = [];
    expect(sent).toEqual([]);
    const attempts = async () => (await stateOf('test:awaited-mail')).map((job) => job.attempts);
    expect(await attempts(), 'what was given up is so no longer').toEqual([12, 10, 9, 14, 9]);
    isAnswering = true;
    await start(tasks);
    await eventually(() => sent).toEqual(['waiting', 'given up', 'by a clock ahead']);
    await eventually(attempts).toEqual([12, 14]);
    const [left] = await stateOf('test:awaited-mail');
    expect(left?.wait).toBeGreaterThan(3_600);
  });

  test('is tried for as long as its server is away: that costs it none of its last attempts', async () => {
    await awaited.queue(database.db, { to: 'patient' });
    isAnswering = false;
    let tries = 0;
    await start(
      awaited.handle(async () => {
        tries++;
        throw new Error(away);
      }),
    );
    // Twice as many as there are attempts, each when its time has come and the one before has been looked after.
    for (let round = 1; round <= 28; round++) {
      await eventually(() => tries).toBe(round);
      await eventually(async () => (await stateOf('test:awaited-mail'))[0]).toMatchObject({
        attempts: Math.min(round, 10),
        locked: false,
      });
      await change('run_at = now()');
      await query(`notify "jobs:insert", '{"r": 1, "count": 1}'`);
    }
    expect(lines.filter(({ level }) => level >= 50)).toEqual([]);
  });

  test('goes out when its server answers, also while the jobs of the dead cannot be looked after', async () => {
    const sent: string[] = [];
    for (const to of ['waiting', 'taken']) await awaited.queue(database.db, { to });
    await failed(9, away, ['waiting']);
    // Somebody who may be dead has one, and it cannot be found out.
    await query(
      `update graphile_worker._private_jobs set locked_by = 'pool-dead', locked_at = now() - interval '2 minutes'
       where payload->>'to' = 'taken'`,
    );
    await query(`
      create schema broken;
      create function broken.pg_try_advisory_lock(int, int) returns boolean language plpgsql
        as $$ begin raise exception 'no locks today'; end $$;
      do $$ begin
        execute format('alter database %I set search_path = broken, pg_catalog, public', current_database());
      end $$`);
    await database.close();
    database = openDatabase(connection, () => undefined);
    await start(awaited.handle(async ({ to }) => void sent.push(to)));
    await eventually(() => sent).toEqual(['waiting']);
    await eventually(() => lines.map(({ msg }) => msg)).toContain(
      'looking after the jobs of workers that have died failed, and is tried again',
    );
  });
});

describe('the jobs of a process that was killed', () => {
  /** As a kill leaves it: locked by somebody who is not there, for so long. */
  const lockedBy = (who: string, since = '2 minutes') =>
    query(
      `update graphile_worker._private_jobs set locked_by = $1, locked_at = now() - $2::interval, attempts = attempts + 1`,
      [who, since],
    );

  test('go back to the queue as soon as another one looks, after a pause in case they were what killed it', async () => {
    const { done, tasks } = honestly();
    await honest.queue(database.db, { note: 'cut off' });
    await lockedBy('pool-dead');
    await start(tasks);
    await eventually(async () => (await stateOf(honest.name))[0]).toMatchObject({
      attempts: 1,
      locked: false,
      last_error: 'The process ended while it was done.',
    });
    await eventually(() => done).toEqual(['cut off']);
  });

  /** A job that goes on until it is let go, and must be begun once. */
  async function queueSlowJob() {
    const slow = defineJob('test:slow', Note);
    const gates: (() => void)[] = [];
    await slow.queue(database.db, { note: 'x' });
    return {
      tasks: slow.handle(() => new Promise<void>((open) => gates.push(open))),
      isBegun: () => eventually(() => gates.length).toBe(1),
      endsOnce: async () => {
        expect((await stateOf(slow.name))[0]).toMatchObject({ attempts: 1, locked: true });
        gates.forEach((open) => open());
        await eventually(() => stateOf(slow.name)).toEqual([]);
        expect(gates).toHaveLength(1);
      },
    };
  }

  test('are not taken from a process that lives, whatever takes it so long', async () => {
    const { done, tasks } = honestly();
    const slow = await queueSlowJob();
    await start(slow.tasks);
    await slow.isBegun();
    await change(`locked_at = now() - interval '1 hour'`);
    await honest.queue(database.db, { note: 'of a dead one' });
    await query(
      `update graphile_worker._private_jobs set locked_by = 'pool-dead', locked_at = now() - interval '1 hour'
       where locked_by is null`,
    );
    await start(slow.tasks, tasks);
    await eventually(() => done).toEqual(['of a dead one']);
    await slow.endsOnce();
  });

  test('are not taken from one whose watch has broken off: it comes back at once', async () => {
    const { done, tasks } = honestly();
    const slow = await queueSlowJob();
    // One that does not look around by itself.
    await startAt({ looks: 600_000, deadFor: 1_000 }, slow.tasks);
    await slow.isBegun();
    await honest.queue(database.db, { note: 'of a dead one' });
    await query(
      `update graphile_worker._private_jobs set locked_at = now() - interval '1 hour', locked_by = coalesce(locked_by, 'pool-dead')`,
    );
    await query(
      `select pg_terminate_backend(pid) from pg_locks
       where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
    );
    await start(tasks, slow.tasks);
    await eventually(() => done).toEqual(['of a dead one']);
    await slow.endsOnce();
  });

  test('and those that a living one has taken without hearing of it go back to the queue, and no other', async () => {
    const { done, tasks } = honestly();
    const slow = await queueSlowJob();
    await start(tasks, slow.tasks);
    await slow.isBegun();
    // In the name of the worker that lives.
    await query(`select graphile_worker.add_job($1, '{"note": "unheard of"}', run_at => now() + interval '1 hour')`, [
      honest.name,
    ]);
    await query(
      `update graphile_worker._private_jobs set locked_at = now() - interval '1 hour', attempts = 1, run_at = now(),
         locked_by = (select locked_by from graphile_worker._private_jobs where locked_by is not null)`,
    );
    await eventually(async () => (await stateOf(honest.name))[0]?.last_error).toBe(
      'A connection to the database broke off before anybody had begun it.',
    );
    await eventually(() => done).toEqual(['unheard of']);
    await slow.endsOnce();
  });

  test('are not believed dead within the first minute', async () => {
    const { done, tasks } = honestly();
    await poison.queue(database.db, { note: 'x' });
    await lockedBy('pool-just-now', '20 seconds');
    await honest.queue(database.db, { note: 'y' });
    await (await start(tasks)).stop();
    workers = [];
    expect((await stateOf(poison.name))[0]).toMatchObject({ locked: true });
    expect(done.length).toBeLessThan(2);
  });

  test('are soon free when the line to their process is cut: the server asks whether the watch is still there', async () => {
    const clients: pg.PoolClient[] = [];
    database.pool.on('acquire', (client) => clients.push(client));
    await start(honestly().tasks);
    const isAsked = async () => {
      for (const client of clients) {
        const { rowCount } = await client
          .query(
            `select from pg_locks l, pg_settings s where locktype = 'advisory' and l.pid = pg_backend_pid()
               and s.name = 'tcp_keepalives_idle' and s.source = 'session'`,
          )
          .catch(() => ({ rowCount: 0 }));
        if (rowCount) return true;
      }
      return false;
    };
    await eventually(isAsked).toBe(true);
  });

  test('are all freed by whoever has the database alone; what kills each time is parked in the end', async () => {
    await poison.queue(database.db, { note: 'x' });
    await lockedBy('pool-dead', '1 second');
    await releaseJobs(database.pool, log);
    const [freed] = await stateOf(poison.name);
    expect(freed).toMatchObject({ attempts: 1, locked: false });
    expect(freed?.wait).toBeGreaterThan(1);
    await change('max_attempts = 2');
    await lockedBy('pool-dead', '1 second');
    await releaseJobs(database.pool, log);
    expect((await findTroubledJobs(database.pool, [poison.name]))[0]).toMatchObject({ attempts: 2, nextAttempt: null });
    expect(lines.map(({ level }) => level)).toEqual([40, 50]);
  });
});

describe('what happens once a day', () => {
  test('is made up for, once, at the start after a night in which nothing ran; what happens every hour is not', async () => {
    const Cron = z.unknown();
    const [daily, hourly] = [defineJob('test:daily', Cron), defineJob('test:hourly', Cron)];
    const done: string[] = [];
    const tasks = {
      ...daily.handle(async () => void done.push('daily')),
      ...hourly.handle(async () => void done.push('hourly')),
    };
    const ago = (hours: number) => new Date(Date.now() - hours * 60 * 60 * 1000);
    const halfPast = ago(10.5);
    const schedules = [
      { name: daily.name, cron: `${halfPast.getUTCMinutes()} ${halfPast.getUTCHours()} * * *`, isMadeUpFor: true },
      { name: hourly.name, cron: `${halfPast.getUTCMinutes()} * * * *` },
    ];
    // They have been known for long, and were done last on the evening before the evening before.
    await query(
      `insert into graphile_worker._private_known_crontabs (identifier, known_since, last_execution)
       select unnest($1::text[]), $2, $3`,
      [[daily.name, hourly.name], ago(1_000), ago(50)],
    );
    const begin = async () => {
      const mailer = { answers: async () => true };
      const worker = await startWorker(database.pool, { ...tasks, ...honestTasks }, schedules, log, mailer);
      workers.push(worker);
      return worker;
    };
    const { done: noted, tasks: honestTasks } = honestly();
    const first = await begin();
    await eventually(() => done).toEqual(['daily']);
    await first.stop();
    workers = [];
    await begin();
    // Written down by now, if it were done again.
    await honest.queue(database.db, { note: 'later' });
    await eventually(() => noted).toEqual(['later']);
    expect(done).toEqual(['daily']);
  });
});
