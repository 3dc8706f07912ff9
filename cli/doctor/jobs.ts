import { countJobs } from '#server/platform/jobs/failed-jobs.ts';
import { connectQueue } from '#server/platform/jobs/job-queue.ts';
import { type Check, archiveOf, ok, warn } from './check.ts';

/** Minutes after which a waiting job is reported. */
const overdueMinutes = 15;

/** Mails and other work that waits. */
export const jobChecks: readonly Check[] = [
  {
    about: 'jobs',
    needs: 'database',
    run: async (subject) => {
      const { db } = archiveOf(subject).context;
      if (!(await connectQueue(db).isInstalled())) return ok('none yet.');
      const counts = await countJobs(db);
      const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
      const failed = counts.filter((kind) => kind.failed > 0);
      const late = counts.filter(({ overdueSeconds }) => overdueSeconds > overdueMinutes * 60);
      const kinds = (some: typeof counts) => some.map(({ task }) => task).join(', ');
      const findings = [
        failed.length > 0 &&
          warn(
            `${sum(failed.map((kind) => kind.failed))} were given up after their last attempt (${kinds(failed)}). Most often it is the mail server. To see why: npm run archive -- jobs list`,
          ),
        late.length > 0 &&
          warn(`some have waited for more than ${overdueMinutes} minutes (${kinds(late)}). Is the product running?`),
      ].filter((finding) => finding !== false);
      const open = sum(counts.map(({ waiting, retrying }) => waiting + retrying));
      return findings.length > 0 ? findings : ok(`${open} wait, none for long.`);
    },
  },
];
