import { type FailedJob, deleteJob, findFailedJobs, findIdleJob, retryJob } from '#server/platform/jobs/failed-jobs.ts';
import { type Command, Failure, confirm } from '../support/command.ts';
import { withArchive } from '../support/with-archive.ts';

/** `jobs list`: what the queue could not do. */
export const jobsList: Command = {
  name: 'jobs list',
  summary: 'Lists the jobs that have failed, those without further attempts first.',
  help: [
    'A job is what is done after an answer, e.g. sending a mail. One that fails is tried 14 times in 19 hours, a mail 31 times in 21 hours, a mail whose server does not answer for 14 days, and then it is kept for 30 days for you to look at. Messages between members go within the hour instead, and their senders are told; last mails to deleted accounts go within the day.',
    'The exit code is 1 when something was given up.',
  ],
  run: async (_, { environment, say }) =>
    withArchive(environment, async ({ context }) => {
      const jobs = await findFailedJobs(context.db);
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
  run: async (input, tools) => {
    const [id] = input.args;
    const isAll = input.flags.has('all');
    if ((id === undefined) !== isAll) throw new Failure('Say which: the ID that "jobs list" shows, or --all.');
    if (id !== undefined) requireId(id);
    return withArchive(tools.environment, async ({ context: { db } }) => {
      const isMeant = (job: FailedJob) => (isAll ? job.nextAttempt === null : job.id === id);
      const jobs = (await findFailedJobs(db)).filter(isMeant);
      const count = jobs.length === 1 ? 'One job' : `${jobs.length} jobs`;
      if (jobs.length === 0 && !isAll)
        throw new Failure(`There is no failed job ${id}. "jobs list" shows those that there are.`);
      const plan = () =>
        [
          `${count} would be tried again${jobs.length === 0 ? '.' : ':'}`,
          ...jobs.map((job) => `${job.id}  ${job.task}`),
        ].join('\n');
      if (!(await confirm(input, tools, false, plan))) return;
      for (const job of jobs) await retryJob(db, job);
      tools.say(`${count} ${jobs.length === 1 ? 'is' : 'are'} tried again.`);
    });
  },
};

/** `jobs drop`: for one that nobody needs any more. */
export const jobsDrop: Command = {
  name: 'jobs drop',
  summary: 'Takes a job out of the queue for ever.',
  takes: ['ID'],
  options: { 'dry-run': { type: 'boolean', summary: 'says which it is, and leaves it there' } },
  run: async (input, tools) => {
    const [id = ''] = input.args;
    requireId(id);
    return withArchive(tools.environment, async ({ context: { db } }) => {
      const found = await findIdleJob(db, id);
      if (!found)
        throw new Failure(
          `There is no job ${id}, or it is being done right now. "jobs list" shows those that have failed.`,
        );
      const plan = () => `This job would be gone:\n${id}  ${found.job.data.name}`;
      if (!(await confirm(input, tools, false, plan))) return;
      await deleteJob(db, found.queue, id);
      tools.say(`Job ${id} is gone.`);
    });
  },
};

/** @throws Failure for what cannot be the ID of a job */
function requireId(text: string): void {
  if (!/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u.test(text))
    throw new Failure(`"${text}" is not the ID of a job. Copy it from "jobs list".`);
}

function linesOf({ id, task, attempts, maxAttempts, lastError, since, nextAttempt }: FailedJob): string[] {
  const minute = (time: Date) => `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const state =
    nextAttempt === null
      ? `given up after ${attempts === 1 ? 'one try' : `${attempts} tries`}`
      : `${attempts} of ${maxAttempts} tries, the next at ${minute(nextAttempt)}`;
  return [
    `${id}  ${task}  ${state}  since ${minute(since)}`,
    ...(lastError === null ? [] : [`    ${lastError.replaceAll(/\s+/gu, ' ')}`]),
  ];
}
