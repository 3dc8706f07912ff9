import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import * as z from 'zod/mini';
import type { Database } from '#server/db/client.ts';
import { findQueued } from '#server/testing/jobs.ts';
import { openQueueAtTime, type QueueAtTime } from '#server/testing/queue-clock.ts';
import { findFailedJobs, retryJob } from './failed-jobs.ts';
import { connectQueue, executorOf } from './job-queue.ts';
import { recreateQueue } from './job-transfer.ts';
import { defineJob, defineMailJob, type JobHandlers, NoFurtherAttempts, type Schedule } from './define-job.ts';
import { createLog } from '../log/log.ts';
import { MailServerUnavailable } from '../mail/mail.ts';
import { runDueJobs, startWorker, type Worker } from './worker.ts';

const [minute, hour, day] = [60, 60 * 60, 24 * 60 * 60];

let queue: QueueAtTime;
let database: Database;
let workers: Worker[] = [];
let lines: { level: number; msg: string; job?: { task: string; attempt: number } }[] = [];

beforeEach(async () => {
  queue = await openQueueAtTime(inject('databases'));
  ({ database } = queue);
  [workers, lines] = [[], []];
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await queue.close();
});

const log = createLog('info', { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[0]) });

const merge = (handlers: readonly JobHandlers[]): JobHandlers => Object.assign({}, ...handlers) as JobHandlers;

async function start(handlers: readonly JobHandlers[], schedules: readonly Schedule[] = []): Promise<Worker> {
  const worker = await startWorker(database, merge(handlers), schedules, log);
  workers.push(worker);
  return worker;
}

const runDue = (...handlers: JobHandlers[]) => runDueJobs(database.db, merge(handlers), log);

const runMaintenance = () => connectQueue(executorOf(database.pool)).supervise();

const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 60_000 });

const Note = z.object({ note: z.string() });
const failingJob = defineJob('test:poison', Note);
const noteJob = defineJob('test:honest', Note);

function recorder() {
  const done: string[] = [];
  return { done, handlers: noteJob.handle(async ({ note }) => void done.push(note)) };
}

const failing = (reason: string) =>
  failingJob.handle(async () => {
    throw new Error(reason);
  });

test('Job.queue adds a job if and only if its transaction commits', async () => {
  const { done, handlers } = recorder();
  await database.db.transaction().execute((tx) => noteJob.queue(tx, { note: 'committed' }));
  const rollback = new Error('rollback');
  await expect(
    database.db.transaction().execute(async (tx) => {
      await noteJob.queue(tx, { note: 'rolled back' });
      throw rollback;
    }),
  ).rejects.toBe(rollback);
  await runDue(handlers);
  expect(done).toEqual(['committed']);
});

test('Job.queue merges jobs with the same key within the delay into one', async () => {
  const { done, handlers } = recorder();
  const gather = { key: 'one', delaySeconds: 600 };
  for (let request = 0; request < 3; request++) await noteJob.queue(database.db, { note: 'together' }, gather);
  await noteJob.queue(database.db, { note: 'apart' }, { key: 'other', delaySeconds: 600 });
  await runDue(handlers);
  expect(done).toEqual([]);
  await queue.setSeconds(601);
  await runDue(handlers);
  expect(done.toSorted()).toEqual(['apart', 'together']);
  await noteJob.queue(database.db, { note: 'later' }, gather);
  await queue.setSeconds(1_202);
  await runDue(handlers);
  expect(done.at(-1)).toBe('later');
});

describe('a job that', () => {
  test('always fails is retried, logged as an error after its last attempt, and blocks no other job', async () => {
    const { done, handlers } = recorder();
    await failingJob.queue(database.db, { note: 'x' });
    for (let attempt = 1; attempt <= 14; attempt++) {
      expect(await findFailedJobs(database.db)).toHaveLength(attempt === 1 ? 0 : 1);
      await noteJob.queue(database.db, { note: String(attempt) });
      await runDue(handlers, failing('No way to reach ada@mail.example'));
      expect(done).toHaveLength(attempt);
      await queue.setSeconds(attempt * 7 * hour);
    }
    await runDue(failing('never again'));
    expect(await findFailedJobs(database.db)).toEqual([
      expect.objectContaining({
        task: failingJob.name,
        attempts: 14,
        nextAttempt: null,
        lastError: 'No way to reach [address]',
      }),
    ]);
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
      ...Array.from({ length: 13 }, () => [40, 'Job failed; it will be retried']),
      [50, 'Job failed after its last attempt. See: npm run archive -- jobs list'],
    ]);
  });

  test('exceeds its time limit is aborted and blocks no other job', async () => {
    const endless = defineJob('test:endless', Note, { timeoutSeconds: 1 });
    const { done, handlers } = recorder();
    let aborted = 0;
    for (const note of ['a', 'b', 'c']) await endless.queue(database.db, { note });
    await start([
      handlers,
      endless.handle((_, { signal }) => {
        signal.addEventListener('abort', () => aborted++);
        return new Promise(() => undefined);
      }),
    ]);
    await noteJob.queue(database.db, { note: 'meanwhile' });
    await eventually(() => done).toEqual(['meanwhile']);
    await eventually(async () => (await findFailedJobs(database.db)).map(({ lastError }) => lastError)).toEqual(
      Array(3).fill('handler execution exceeded 1s'),
    );
    expect(aborted).toBe(3);
  });

  test('has an unreadable payload is kept with an error message that does not contain the payload', async () => {
    const { handlers } = recorder();
    await defineJob(noteJob.name, z.unknown()).queue(database.db, { remark: 'ada@mail.example was here' });
    await runDue(handlers);
    const [job] = await findFailedJobs(database.db);
    expect(job?.lastError).toMatch(/^This version cannot read the payload of the job: .*note/su);
    // Not only "ada", which a random id can contain.
    for (const part of ['ada@', 'was here']) expect(JSON.stringify(job)).not.toContain(part);
  });

  test('this version does not know is retried until a version that knows it runs it', async () => {
    const { done, handlers } = recorder();
    await noteJob.queue(database.db, { note: 'x' });
    await runDue();
    expect((await findFailedJobs(database.db))[0]?.lastError).toBe('This version has no handler for this kind of job.');
    await queue.setSeconds(minute);
    await runDue(handlers);
    expect(done).toEqual(['x']);
  });

  test('cannot succeed is logged and not retried', async () => {
    await failingJob.queue(database.db, { note: 'x' });
    await runDue(
      failingJob.handle(async () => {
        throw new NoFurtherAttempts('There is no such account.');
      }),
    );
    expect(await findQueued(database.db)).toEqual([]);
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([[40, 'Job failed permanently']]);
  });

  test('has no attempts left is kept for thirty days, and can be retried until then', async () => {
    for (const job of [failingJob, noteJob]) await job.queue(database.db, { note: 'x' });
    for (let attempt = 1; attempt <= 14; attempt++) {
      await runDue(failing('no'));
      await queue.setSeconds(attempt * 7 * hour);
    }
    await queue.setSeconds(33 * day);
    await runMaintenance();
    const [first, second] = await findFailedJobs(database.db);
    expect([first?.nextAttempt, second?.nextAttempt]).toEqual([null, null]);
    const { done, handlers } = recorder();
    for (const job of [first, second]) if (job?.task === noteJob.name) await retryJob(database.db, job);
    await runDue(handlers);
    expect(done).toEqual(['x']);
    await queue.setSeconds(36 * day);
    await runMaintenance();
    expect(await findQueued(database.db)).toEqual([]);
  });
});

describe('a mail', () => {
  const Mail = z.object({ to: z.string() });
  const awaited = defineMailJob('test:awaited-mail', Mail, 'awaited');
  const message = defineMailJob('test:message-mail', Mail, 'bulk');

  test('that a user waits for is sent before two hundred others', async () => {
    const sent: string[] = [];
    await Promise.all(Array.from({ length: 200 }, () => message.queue(database.db, { to: 'many' })));
    const send = async ({ to }: { to: string }) => void sent.push(to);
    await awaited.queue(database.db, { to: 'one' });
    await start([awaited.handle(send), message.handle(send)]);
    await eventually(() => sent.includes('one')).toBe(true);
    expect(sent.indexOf('one')).toBeLessThan(10);
    // Each mail is fetched when the previous one is done, not at the next poll, which would take minutes.
    await eventually(() => sent.length).toBe(201);
  });

  test('that waits for a slow mail server does not delay other jobs', async () => {
    const { done, handlers } = recorder();
    const gates: (() => void)[] = [];
    for (let mail = 0; mail < 5; mail++) await message.queue(database.db, { to: 'slow' });
    await start([handlers, message.handle(() => new Promise((open) => gates.push(open)))]);
    await eventually(() => gates.length).toBe(2);
    await noteJob.queue(database.db, { note: 'not a mail' });
    await eventually(() => done).toEqual(['not a mail']);
    const opening = setInterval(() => gates.splice(0).forEach((open) => open()), 20);
    await eventually(() => findQueued(database.db)).toEqual([]);
    clearInterval(opening);
  });

  test('that waits for a slow mail server does not delay the shutdown, and is retried', async () => {
    await message.queue(database.db, { to: 'slow' });
    let begun = false;
    const worker = await start([
      message.handle((_, { signal }) => {
        begun = true;
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        });
      }),
    ]);
    await eventually(() => begun).toBe(true);
    workers = [];
    const stoppingSince = Date.now();
    await worker.stop();
    expect(Date.now() - stoppingSince).toBeLessThan(9_000);
    expect(await findFailedJobs(database.db)).toEqual([
      expect.objectContaining({ attempts: 1, maxAttempts: 31, lastError: 'pg-boss shut down while active' }),
    ]);
  });

  const failAsUnavailable = awaited.handle(async () => {
    throw new MailServerUnavailable('ECONNREFUSED');
  });

  test('waits for an unavailable mail server without using up its attempts, and is sent soon after it is back', async () => {
    const sent: string[] = [];
    const ids = new Set<string>();
    const back = awaited.handle(async ({ to }, { jobId }) => {
      ids.add(jobId);
      sent.push(to);
    });
    await awaited.queue(database.db, { to: 'one' });
    const [{ id } = { id: '' }] = await findQueued(database.db);
    let time = 0;
    for (; time < 4 * hour; time += 121) {
      await queue.setSeconds(time);
      await runDue(failAsUnavailable);
    }
    const [job] = await findFailedJobs(database.db);
    expect(job?.attempts).toBeGreaterThan(100);
    expect((job?.maxAttempts ?? 0) - (job?.attempts ?? 0)).toBe(30);
    await queue.setSeconds(time + 121);
    await runDue(back);
    expect([sent, [...ids]]).toEqual([['one'], [id]]);
    expect(lines.filter(({ level }) => level >= 50)).toEqual([]);
  });

  test('is retried within seconds when a mail server refuses it once after an outage', async () => {
    await awaited.queue(database.db, { to: 'one' });
    for (let attempt = 1; attempt <= 12; attempt++) {
      await queue.setSeconds(attempt * 130);
      await runDue(failAsUnavailable);
    }
    const refusing = awaited.handle(async () => {
      throw new Error('451 Greylisted');
    });
    await queue.setSeconds(13 * 130);
    await runDue(refusing);
    const sent: string[] = [];
    await queue.setSeconds(13 * 130 + 10);
    await runDue(awaited.handle(async ({ to }) => void sent.push(to)));
    expect(sent).toEqual(['one']);
  });

  test('waits when the mail server is unavailable at its last attempt', async () => {
    await awaited.queue(database.db, { to: 'one' });
    const refusing = awaited.handle(async () => {
      throw new Error('451 Greylisted');
    });
    for (let attempt = 1; attempt <= 30; attempt++) {
      await queue.setSeconds(attempt * 2 * hour);
      await runDue(refusing);
    }
    await queue.setSeconds(31 * 2 * hour);
    await runDue(failAsUnavailable);
    const [job] = await findFailedJobs(database.db);
    expect(job).toMatchObject({ attempts: 31 });
    expect(job?.nextAttempt).not.toBeNull();
  });

  test('fails permanently when the mail server has been unavailable for more than fourteen days', async () => {
    await awaited.queue(database.db, { to: 'one' });
    await queue.setSeconds(13.9 * day);
    await runDue(failAsUnavailable);
    expect((await findFailedJobs(database.db))[0]).toMatchObject({ attempts: 1, maxAttempts: 31 });
    for (let attempt = 0; attempt < 30; attempt++) {
      await queue.setSeconds((14.1 * 24 + attempt) * hour);
      await runDue(failAsUnavailable);
    }
    expect((await findFailedJobs(database.db))[0]).toMatchObject({ attempts: 31, nextAttempt: null });
  });
});

describe('a job whose process was killed', () => {
  const fetchWithoutFinishing = async () => expect(await connectQueue(database.db).fetch('work')).toHaveLength(1);

  test('runs in another process thirty seconds after the last heartbeat', async () => {
    const { done, handlers } = recorder();
    await noteJob.queue(database.db, { note: 'cut off' });
    await fetchWithoutFinishing();
    await queue.setSeconds(29);
    await runMaintenance();
    await runDue(handlers);
    expect(done).toEqual([]);
    // The supervisor of each process runs at most once a minute here.
    await queue.setSeconds(29 + 61);
    await runMaintenance();
    await queue.setSeconds(29 + 61 + 17);
    await runDue(handlers);
    expect(done).toEqual(['cut off']);
  });

  test('fails permanently when it has killed the process at every attempt', async () => {
    await failingJob.queue(database.db, { note: 'x' });
    for (let attempt = 1; attempt <= 14; attempt++) {
      await fetchWithoutFinishing();
      await queue.setSeconds(attempt * 7 * hour);
      await runMaintenance();
      await queue.setSeconds(attempt * 7 * hour + 6.5 * hour);
    }
    expect(await findFailedJobs(database.db)).toEqual([
      expect.objectContaining({ attempts: 14, nextAttempt: null, lastError: 'job timed out' }),
    ]);
  });
});

describe('a schedule', () => {
  test('that was missed while the server was down runs once at the next start if shouldCatchUp is set', async () => {
    const [daily, hourly] = [defineJob('test:daily', z.unknown()), defineJob('test:hourly', z.unknown())];
    const done: string[] = [];
    const { done: noted, handlers } = recorder();
    const all = [
      daily.handle(async () => void done.push('daily')),
      hourly.handle(async () => void done.push('hourly')),
      handlers,
    ];
    const halfPast = new Date(Date.now() - 30 * minute * 1000);
    const schedules = [
      { job: daily, cron: `${halfPast.getUTCMinutes()} ${halfPast.getUTCHours()} * * *`, shouldCatchUp: true },
      { job: hourly, cron: `${halfPast.getUTCMinutes()} * * * *` },
    ];
    const stop = () => Promise.all(workers.splice(0).map((worker) => worker.stop()));
    await start(all, schedules);
    // Stopping waits until pg-boss has stored when it last looked for due jobs. The clock must not move before.
    await stop();
    await queue.setSeconds(30 * hour);
    await start(all, schedules);
    // A second server on the same database.
    await start(all, schedules);
    await eventually(() => done).toEqual(['daily']);
    await stop();
    await start(all, schedules);
    await noteJob.queue(database.db, { note: 'later' });
    await eventually(() => noted).toEqual(['later']);
    expect(done).toEqual(['daily']);
  });

  test('that this version does not have is deleted', async () => {
    await start([], [{ job: failingJob, cron: '1 1 * * *' }]);
    const other: Schedule = { job: noteJob, cron: '2 2 * * *' };
    await start([], [other]);
    expect((await connectQueue(database.db).getSchedules()).map(({ cron }) => cron)).toEqual(['2 2 * * *']);
  });
});

describe('recreateQueue', () => {
  test('lets jobs and maintenance continue after the clock was a year ahead', async () => {
    const { done, handlers } = recorder();
    const schedules: Schedule[] = [{ job: failingJob, cron: '1 1 * * *' }];
    for (const note of ['running', 'waiting']) await noteJob.queue(database.db, { note });
    await queue.setSeconds(365 * day);
    await (await start([], schedules)).stop();
    workers = [];
    await connectQueue(database.db).fetch('work');
    await noteJob.queue(database.db, { note: 'written then' });
    await runMaintenance();
    await queue.setSeconds(0);

    // If `recreateQueue` were missing, pg-boss would wait until the year has passed.
    const waiting = async () => (await findQueued(database.db)).filter(({ state }) => state !== 'active').length;
    await runMaintenance();
    await runDue(handlers);
    expect([done, await waiting()]).not.toEqual([expect.arrayContaining(['written then']), 0]);

    await recreateQueue(database.db);
    await runDue(handlers);
    for (const { id } of await findQueued(database.db))
      await connectQueue(database.db).update('work', undefined, { id, startAfter: 0 });
    await runDue(handlers);
    expect(done.toSorted()).toEqual(['running', 'waiting', 'written then']);
    const [stats] = await connectQueue(database.db).getQueueStats('work');
    expect(stats?.capturedOn.getTime()).toBeLessThan(Date.now() + minute * 1000);
    expect((await connectQueue(database.db).getSchedules()).map(({ cron }) => cron)).toEqual(['1 1 * * *']);
  });
});
