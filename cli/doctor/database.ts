import { migrationNames } from '#server/db/migrate.ts';
import type { OpenArchive } from '#server/open-archive.ts';
import { type Check, type Subject, ask, fail, ok, warn } from './check.ts';
import { knownMinorsOn, newerMinor } from './postgres-versions.ts';

/** The oldest PostgreSQL that the product runs on. */
const oldestVersion = 14;

/** Connections of one process: its pool, and one that listens. */
const perProcess = 11;

/** Minutes that a transaction may be open before it is worth a look. */
const longTransaction = 10;

/** How the tables stand to this version. */
export async function compareMigrations(pool: OpenArchive['pool']): Promise<Subject['migrations']> {
  const known = migrationNames();
  const { rows: found } = await pool.query<{ exists: boolean }>(
    `select to_regclass('kysely_migration') is not null as exists`,
  );
  const { rows } = found[0]?.exists
    ? await pool.query<{ name: string }>('select name from kysely_migration order by name')
    : { rows: [] };
  const applied = rows.map(({ name }) => name);
  return {
    missing: known.filter((name) => !applied.includes(name)),
    foreign: applied.filter((name) => !known.includes(name)),
  };
}

/** The database itself. */
export const databaseChecks: readonly Check[] = [
  {
    about: 'database',
    run: async (subject) => {
      if (subject.databaseFault !== null) return fail(subject.databaseFault);
      const began = performance.now();
      await ask(subject, 'select 1');
      return ok(
        `answers in ${Math.ceil(performance.now() - began)} ms (${subject.config.databaseUrl === null ? 'embedded' : 'DATABASE_URL'}).`,
      );
    },
  },
  {
    about: 'PostgreSQL',
    needs: 'database',
    run: async (subject) => {
      const [row] = await ask<{ version: string; number: number }>(
        subject,
        `select current_setting('server_version') as version, current_setting('server_version_num')::int as number`,
      );
      const { version, number } = row ?? { version: 'unknown', number: 0 };
      if (Math.floor(number / 10_000) < oldestVersion)
        return fail(`${version} is too old. This product needs ${oldestVersion} or newer.`);
      const newest = newerMinor(number);
      if (newest === null) return ok(`${version}.`);
      return warn(
        subject.config.databaseUrl === null
          ? `${version} is older than ${newest}, and the embedded PostgreSQL is updated only together with this product. Move to the PostgreSQL of your distribution and set DATABASE_URL: docs/operations.md, “PostgreSQL of the distribution”. (Versions as of ${knownMinorsOn}.)`
          : `${version} is older than ${newest}. Update the server with its packages, e.g. apt-get update && apt-get install --only-upgrade postgresql-${Math.floor(number / 10_000)}, and restart it. (Versions as of ${knownMinorsOn}.)`,
      );
    },
  },
  {
    about: 'tables',
    needs: 'database',
    run: async (subject) => {
      const { missing, foreign } = subject.migrations;
      if (foreign.length > 0)
        return fail(`They were made by a newer version (${foreign.join(', ')}). Start that version, not this one.`);
      return missing.length === 0
        ? ok('are at the level of this version.')
        : warn(
            `${missing.length === 1 ? missing[0] : `${missing[0]} to ${missing.at(-1)}`} not applied yet, so the rest was not looked at. The next start does it; make a backup before.`,
          );
    },
  },
  {
    about: 'encoding',
    needs: 'database',
    run: async (subject) => {
      const [row] = await ask<{ encoding: string }>(
        subject,
        'select pg_encoding_to_char(encoding) as encoding from pg_database where datname = current_database()',
      );
      return row?.encoding === 'UTF8'
        ? ok('UTF8.')
        : fail(
            `${row?.encoding}: names of people are lost in it. Make a database with encoding UTF8 and bring the data over.`,
          );
    },
  },
  {
    about: 'sorting',
    needs: 'database',
    run: async (subject) => {
      const changed = await ask<{ name: string }>(
        subject,
        `select collname as name from pg_collation
         where collversion is not null and collversion <> pg_collation_actual_version(oid)
           and exists (select from pg_depend where refclassid = 'pg_collation'::regclass and refobjid = pg_collation.oid
                       and classid = 'pg_class'::regclass)`,
      );
      return changed.length === 0
        ? ok('as the indexes were made.')
        : fail(
            `The operating system sorts otherwise than when the indexes were made (${changed.map(({ name }) => name).join(', ')}). Run REINDEX DATABASE, then ALTER COLLATION … REFRESH VERSION.`,
          );
    },
  },
  {
    about: 'connections',
    needs: 'database',
    run: async (subject) => {
      const { config } = subject;
      const [row] = await ask<{ most: number; used: number }>(
        subject,
        `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most,
           (select count(*) from pg_stat_activity where backend_type = 'client backend')::int as used`,
      );
      const { most = 0, used = 0 } = row ?? {};
      const wanted = perProcess * (config.workers > 1 ? config.workers + 1 : 1);
      if (used > most * 0.9)
        return fail(
          `${used} of ${most} are in use. Raise max_connections, or find out who keeps them: pg_stat_activity.`,
        );
      return wanted <= most || config.poolerUrl !== null
        ? ok(`${used} of ${most} in use; this product takes up to ${wanted}.`)
        : warn(
            `${config.workers} processes may take ${wanted} connections, and there are ${most}. Lower WORKERS, raise max_connections, or put a pooler in between (DATABASE_POOLER_URL).`,
          );
    },
  },
  {
    about: 'indexes',
    needs: 'database',
    run: async (subject) => {
      const broken = await ask<{ name: string }>(
        subject,
        'select indexrelid::regclass::text as name from pg_index where not indisvalid or not indisready',
      );
      return broken.length === 0
        ? ok('all whole.')
        : fail(`Not whole: ${broken.map(({ name }) => name).join(', ')}. Run REINDEX INDEX CONCURRENTLY for each.`);
    },
  },
  {
    about: 'durability',
    needs: 'database',
    run: async (subject) => {
      const rows = await ask<{ name: string }>(
        subject,
        `select name from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off'`,
      );
      return rows.length === 0
        ? ok('what is saved is on disk.')
        : fail(
            `${rows.map(({ name }) => name).join(', ')} is off: a power cut loses data. Switch it on in postgresql.conf.`,
          );
    },
  },
  {
    about: 'transactions',
    needs: 'database',
    run: async (subject) => {
      const [row] = await ask<{ minutes: number; pid: number }>(
        subject,
        `select (extract(epoch from now() - xact_start) / 60)::int as minutes, pid from pg_stat_activity
         where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()
         order by xact_start limit 1`,
      );
      return row && row.minutes >= longTransaction
        ? warn(
            `One has been open for ${row.minutes} minutes and keeps old rows from being cleaned up. If nothing needs it: select pg_terminate_backend(${row.pid}).`,
          )
        : ok('none is open for long.');
    },
  },
  {
    about: 'counts',
    only: 'thorough',
    needs: 'tables',
    run: async (subject) => {
      const [row] = await ask<{ wrong: number }>(
        subject,
        `select count(*)::int as wrong from (
           select audience, coalesce(college, '') as college, coalesce(department, '') as department,
             coalesce(program, '') as program, coalesce(year_graduated, 0::smallint) as year_graduated, count(*) as people
           from listings group by 1, 2, 3, 4, 5
         ) as counted
         full join (select * from listing_counts where people <> 0) as kept
           using (audience, college, department, program, year_graduated)
         where counted.people is distinct from kept.people`,
      );
      return row?.wrong === 0
        ? ok('agree with the lists.')
        : fail(
            `${row?.wrong} do not agree with the lists. Somebody has written to the tables by hand. Restore a backup, or report this: the product keeps them in every save.`,
          );
    },
  },
  {
    about: 'search',
    needs: 'tables',
    run: async (subject) => {
      const [row] = await ask<{ pending: boolean }>(
        subject,
        'select exists (select from pending_search_rebuild) as pending',
      );
      return row?.pending
        ? warn(
            'The rebuild after an upgrade has not finished: some people and misspelled words are not found. The next start of the product queues it again. Failed jobs: npm run archive -- jobs list',
          )
        : ok('is up to date.');
    },
  },
];
