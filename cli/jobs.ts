import {
  type NamedJob,
  type TroubledJob,
  dropJob,
  findDropped,
  findRetried,
  findTroubledJobs,
  retryJobs,
} from '#server/platform/parked-jobs.ts';
import { type Command, Failure } from './command.ts';
import { knownJobs } from './known-jobs.ts';
import { withArchive } from './with-archive.ts';

/** `jobs list`: what the queue could not do. */
export const jobsList: Command = {
  name: 'jobs list',
  summary: 'Lists the jobs that have failed: those that were given up first.',
  help: [
    'A job is what is done after an answer, e.g. sending a mail. One that fails is tried 14 times in 28 hours, a mail whose server does not answer for 14 days, and then it is kept for 30 days for you to look at. Messages between members go within the hour instead, and their senders are told; last mails to deleted accounts go within the day.',
    'The exit code is 1 when something was given up, or is of a kind that this version does not know.',
  ],
  run: async (_, { environment, say }) =>
    withArchive(environment, async (archive) => {
      const jobs = await findTroubledJobs(archive.pool, knownJobs(archive));
      if (jobs.length === 0) say('Every job was done, or has not been tried yet.');
      for (const job of jobs) for (const line of linesOf(job)) say(line);
      return jobs.some(({ nextAttempt }) => nextAttempt === null) ? 1 : 0;
    }),
};

/** `jobs retry`: one more time from the beginning. */
export const jobsRetry: Command = {
  name: 'jobs retry',
  summary: 'Tries a job again now, or with --all every one that was given up.',
  optional: ['ID'],
  options: {
    all: { type: 'boolean', summary: 'every job that was given up' },
    'dry-run': { type: 'boolean', summary: 'says which would be tried, and changes nothing' },
  },
  help: ['Do this when what was in the way is gone. The product has to be running: it does the job.'],
  run: async ({ args: [id], flags }, { environment, say, note }) => {
    const isAll = flags.has('all');
    if ((id === undefined) !== isAll) throw new Failure('Say which: the ID that "jobs list" shows, or --all.');
    const number = id === undefined ? null : idOf(id);
    return withArchive(environment, async ({ pool }) => {
      const isDry = flags.has('dry-run');
      const planned = isDry ? await findRetried(pool, number) : [];
      const count = isDry ? planned.length : await retryJobs(pool, number);
      if (count === 0 && !isAll)
        throw new Failure(`There is no failed job ${id}. "jobs list" shows those that there are.`);
      if (isDry) {
        say(`${count === 1 ? 'One job' : `${count} jobs`} would be tried again${count === 0 ? '.' : ':'}`);
        for (const job of planned) say(nameOf(job));
        note('Nothing was changed.');
        return;
      }
      say(count === 1 ? 'One job is tried again.' : `${count} jobs are tried again.`);
    });
  },
};

/** `jobs drop`: for one that nobody needs any more. */
export const jobsDrop: Command = {
  name: 'jobs drop',
  summary: 'Takes a job out of the queue for ever.',
  takes: ['ID'],
  options: { 'dry-run': { type: 'boolean', summary: 'says which it is, and leaves it there' } },
  run: async ({ args: [id = ''], flags }, { environment, say, note }) => {
    const number = idOf(id);
    return withArchive(environment, async ({ pool }) => {
      const isDry = flags.has('dry-run');
      const planned = isDry ? await findDropped(pool, number) : [];
      if (isDry ? planned.length === 0 : !(await dropJob(pool, number)))
        throw new Failure(
          `There is no job ${id}, or it is being done right now. "jobs list" shows those that have failed.`,
        );
      if (!isDry) {
        say(`Job ${id} is gone.`);
        return;
      }
      say('This job would be gone:');
      for (const job of planned) say(nameOf(job));
      note('Nothing was changed.');
    });
  },
};

const nameOf = ({ id, task }: NamedJob): string => `${id}  ${task}`;

/** @throws Failure for what cannot be the number of a job */
function idOf(text: string): string {
  if (!/^\d{1,18}$/u.test(text))
    throw new Failure(`"${text}" is not the ID of a job: those are whole numbers, as "jobs list" shows them.`);
  return text;
}

function linesOf({ id, task, attempts, maxAttempts, lastError, since, nextAttempt, isUnknown }: TroubledJob): string[] {
  const minute = (time: Date) => `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const state = isUnknown
    ? 'unknown to this version'
    : nextAttempt === null
      ? `given up after ${attempts === 1 ? 'one try' : `${attempts} tries`}`
      : `${attempts} of ${maxAttempts} tries, the next at ${minute(nextAttempt)}`;
  return [
    `${id}  ${task}  ${state}  since ${minute(since)}`,
    ...(lastError === null ? [] : [`    ${lastError.replaceAll(/\s+/gu, ' ')}`]),
  ];
}
