import { type Check, ask, ok, warn } from './check.ts';

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
      const [row] = await ask<{ all: number; late: number; given_up: number; kinds: string | null }>(
        subject,
        `select count(*)::int as all,
           count(*) filter (where attempts >= max_attempts)::int as given_up,
           count(*) filter (where attempts = 0 and locked_at is null and run_at < now() - make_interval(mins => $1))::int as late,
           string_agg(distinct t.identifier, ', ') filter (where attempts >= max_attempts) as kinds
         from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id`,
        [patience],
      );
      const { all = 0, late = 0, given_up: givenUp = 0, kinds = null } = row ?? {};
      const findings = [
        givenUp > 0 &&
          warn(
            `${givenUp} were given up after their last attempt (${kinds}). The log says why; most often it is the mail server.`,
          ),
        late > 0 && warn(`${late} have waited for more than ${patience} minutes. Is the product running?`),
      ].filter((finding) => finding !== false);
      return findings.length > 0 ? findings : ok(`${all} wait, none for long.`);
    },
  },
];
