import type { UpdateOptions } from 'pg-boss';
import type { Db } from '#server/db/client.ts';
import { type StoredJob, connectQueue, findJobs, queueNames } from '#server/platform/jobs/job-queue.ts';

export async function findQueued(db: Db, name?: string): Promise<StoredJob[]> {
  const found = [];
  for (const queue of queueNames)
    found.push(...(await findJobs(connectQueue(db), queue, name === undefined ? undefined : { name })));
  return found;
}

export async function deleteQueued(db: Db, names: readonly string[]): Promise<void> {
  for (const queue of queueNames) {
    const jobs = (await findJobs(connectQueue(db), queue)).filter(({ data }) => names.includes(data.name));
    if (jobs.length > 0)
      await connectQueue(db).deleteJob(
        queue,
        jobs.map(({ id }) => id),
      );
  }
}

export async function changeQueued(db: Db, change: (job: StoredJob) => UpdateOptions): Promise<void> {
  for (const queue of queueNames)
    for (const job of await findJobs(connectQueue(db), queue))
      await connectQueue(db).update(queue, undefined, { id: job.id, ...change(job) });
}

export const exhaustQueued = (db: Db): Promise<void> =>
  changeQueued(db, ({ state, retryCount }) => ({ retryLimit: state === 'retry' ? retryCount + 1 : retryCount }));

export const ageQueued = (db: Db, seconds: number): Promise<void> =>
  changeQueued(db, ({ startAfter }) => ({ startAfter: new Date(startAfter.getTime() - seconds * 1000) }));
