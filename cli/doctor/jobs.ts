import { countJobs } from '#server/platform/jobs/failed-jobs.ts';
import { connectQueue } from '#server/platform/jobs/job-queue.ts';
import { type Check, requireArchive, ok, warn } from './check.ts';

const overdueMinutes = 15;

export const jobChecks: readonly Check[] = [
  {
    name: 'jobs',
    needs: 'database',
    run: async (subject) => {
      const { db } = requireArchive(subject).context;
      if (!(await connectQueue(db).isInstalled())) return ok('No job queue yet.');
      const counts = await countJobs(db);
      const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
      const failed = counts.filter((kind) => kind.failed > 0);
      const late = counts.filter(({ overdueSeconds }) => overdueSeconds > overdueMinutes * 60);
      const kinds = (some: typeof counts) => some.map(({ task }) => task).join(', ');
      const findings = [
        failed.length > 0 &&
          warn(
            `${sum(failed.map((kind) => kind.failed))} failed permanently (${kinds(failed)}). The mail server is the most common cause. To see the errors, run: npm run archive -- jobs list`,
          ),
        late.length > 0 &&
          warn(
            `Some have been pending for more than ${overdueMinutes} minutes (${kinds(late)}). Check that the server is running.`,
          ),
      ].filter((finding) => finding !== false);
      const open = sum(counts.map(({ waiting, retrying }) => waiting + retrying));
      return findings.length > 0 ? findings : ok(`${open} pending, none overdue.`);
    },
  },
];
