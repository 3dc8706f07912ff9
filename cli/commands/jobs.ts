import { type FailedJob, deleteJob, findFailedJobs, findIdleJob, retryJob } from '#server/platform/jobs/failed-jobs.ts';
import { exportJobs, recreateQueue } from '#server/platform/jobs/job-transfer.ts';
import { type Command, Failure, confirmChange } from '../support/command.ts';
import { formatMinute } from '../support/format-minute.ts';
import { withArchive } from '../support/with-archive.ts';

export const jobsList: Command = {
  name: 'jobs list',
  summary: 'List the failed jobs, those without further attempts first.',
  description: [
    'A job is work in the background, e.g. sending an email. A failed job is tried 14 times in 19 hours, an email 31 times in 21 hours. If the mail server does not answer, emails are tried for 14 days. After that the job has failed permanently and is kept for 30 days. Messages between members are tried for one hour only, and their senders are notified. Final emails to deleted accounts are tried for one day.',
    'The exit code is 1 if a job has failed permanently.',
  ],
  examples: [''],
  run: async (_, { environment, print }) =>
    withArchive(environment, async ({ context }) => {
      const jobs = await findFailedJobs(context.db);
      if (jobs.length === 0) print('No failed jobs.');
      for (const job of jobs) for (const line of formatJob(job)) print(line);
      return jobs.some(({ nextAttempt }) => nextAttempt === null) ? 1 : 0;
    }),
};

export const jobsRetry: Command = {
  name: 'jobs retry',
  summary: 'Retry a failed job now, or with --all every permanently failed job.',
  optionalArguments: ['ID'],
  options: {
    all: { type: 'boolean', summary: 'retry every permanently failed job' },
    'dry-run': { type: 'boolean', summary: 'print the jobs that would be retried, without changing anything' },
  },
  description: [
    'Use this after you fixed the cause of the failure. The job runs in the server, so the server must be running.',
  ],
  examples: ['6f1c0a52-9d1e-4f5b-8a31-2c7d5e0b9a64', '--all', '--all --dry-run'],
  run: async (input, tools) => {
    const [id] = input.args;
    const isAll = input.flags.has('all');
    if ((id === undefined) !== isAll)
      throw new Failure('Missing argument: name the ID from "jobs list", or add --all.');
    if (id !== undefined) requireId(id);
    return withArchive(tools.environment, async ({ context: { db } }) => {
      const isMeant = (job: FailedJob) => (isAll ? job.nextAttempt === null : job.id === id);
      const jobs = (await findFailedJobs(db)).filter(isMeant);
      const count = jobs.length === 1 ? 'One job' : `${jobs.length} jobs`;
      if (jobs.length === 0 && !isAll)
        throw new Failure(`There is no failed job ${id}. To list the failed jobs, run "jobs list".`);
      const plan = () =>
        [
          `${count} would be retried${jobs.length === 0 ? '.' : ':'}`,
          ...jobs.map((job) => `${job.id}  ${job.task}`),
        ].join('\n');
      if (!(await confirmChange(input, tools, false, plan))) return;
      for (const job of jobs) await retryJob(db, job);
      tools.print(`${count} queued for retry.`);
    });
  },
};

export const jobsDrop: Command = {
  name: 'jobs drop',
  summary: 'Delete a failed or waiting job from the queue.',
  requiredArguments: ['ID'],
  options: { 'dry-run': { type: 'boolean', summary: 'print the job, without deleting it' } },
  examples: ['6f1c0a52-9d1e-4f5b-8a31-2c7d5e0b9a64 --dry-run', '6f1c0a52-9d1e-4f5b-8a31-2c7d5e0b9a64'],
  run: async (input, tools) => {
    const [id = ''] = input.args;
    requireId(id);
    return withArchive(tools.environment, async ({ context: { db } }) => {
      const found = await findIdleJob(db, id);
      if (!found)
        throw new Failure(
          `There is no job ${id}, or it is running right now. To list the failed jobs, run "jobs list".`,
        );
      const plan = () => `This job would be deleted:\n${id}  ${found.job.data.name}`;
      if (!(await confirmChange(input, tools, false, plan))) return;
      await deleteJob(db, found.queue, id);
      tools.print(`Job ${id} was deleted.`);
    });
  },
};

export const jobsRecreate: Command = {
  name: 'jobs recreate',
  summary: 'Recreate the queue with all its jobs, after the clock was set back.',
  options: { 'dry-run': { type: 'boolean', summary: 'print the number of jobs, without changing anything' } },
  description: [
    'A queue that was used while the clock was ahead does nothing until that time comes. Correct the clock before. The server can keep running.',
  ],
  examples: ['--dry-run', ''],
  run: async (input, tools) =>
    withArchive(tools.environment, async ({ context: { db } }) => {
      const plan = async () => `The queue would be recreated with ${(await exportJobs(db)).length} jobs.`;
      if (!(await confirmChange(input, tools, false, plan))) return;
      tools.print(`The queue was recreated with ${await recreateQueue(db)} jobs.`);
    }),
};

function requireId(text: string): void {
  if (!/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u.test(text))
    throw new Failure(`"${text}" is not the ID of a job. Copy it from "jobs list".`);
}

function formatJob({ id, task, attempts, maxAttempts, lastError, since, nextAttempt }: FailedJob): string[] {
  const state =
    nextAttempt === null
      ? `failed after ${attempts === 1 ? '1 attempt' : `${attempts} attempts`}`
      : `${attempts} of ${maxAttempts} attempts, next at ${formatMinute(nextAttempt)}`;
  return [
    `${id}  ${task}  ${state}  since ${formatMinute(since)}`,
    ...(lastError === null ? [] : [`    ${lastError.replaceAll(/\s+/gu, ' ')}`]),
  ];
}
