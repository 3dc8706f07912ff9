import { findTroubledJobs } from '#server/platform/parked-jobs.ts';
import { knownJobs } from '../known-jobs.ts';
import { type Check, archiveOf, ask, ok, warn } from './check.ts';

/** Minutes after which what waits is worth a look. */
const patience = 15;

/** Mails and other work that waits. */
export const jobChecks: readonly Check[] = [
  {
    about: 'jobs',
    needs: 'database',
    run: async (subject) => {
      const [{ exists } = { exists: false }] = await ask<{ exists: boolean }>(
        subject,
        `select to_regclass('graphile_worker._private_jobs') is not null as exists`,
      );
      if (!exists) return ok('none yet.');
      const archive = archiveOf(subject);
      const known = knownJobs(archive);
      const [{ all, late } = { all: 0, late: 0 }] = await ask<{ all: number; late: number }>(
        subject,
        `select count(*)::int as all,
           count(*) filter (where attempts = 0 and locked_at is null and run_at < now() - make_interval(mins => $1)
             and t.identifier = any($2))::int as late
         from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id`,
        [patience, known],
      );
      const stuck = (await findTroubledJobs(archive.pool, known)).filter(({ nextAttempt }) => nextAttempt === null);
      const [unknown, givenUp] = [stuck.filter((job) => job.isUnknown), stuck.filter((job) => !job.isUnknown)];
      const kinds = (jobs: readonly { task: string }[]) => [...new Set(jobs.map(({ task }) => task))].join(', ');
      const findings = [
        givenUp.length > 0 &&
          warn(
            `${givenUp.length} were given up after their last attempt (${kinds(givenUp)}). Most often it is the mail server. To see why: npm run archive -- jobs list`,
          ),
        unknown.length > 0 &&
          warn(
            `${unknown.length} are of a kind that this version does not know (${kinds(unknown)}): the version that queued them does them, or npm run archive -- jobs drop ID`,
          ),
        late > 0 && warn(`${late} have waited for more than ${patience} minutes. Is the product running?`),
      ].filter((finding) => finding !== false);
      return findings.length > 0 ? findings : ok(`${all} wait, none for long.`);
    },
  },
];
