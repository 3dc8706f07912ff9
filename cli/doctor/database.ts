import {
  explainUnknownMigrations,
  migrationNames,
  minPostgresVersion,
  readAppliedMigrations,
} from '#server/db/migrate.ts';
import type { OpenArchive } from '#server/startup/open-archive.ts';
import { type Check, type Subject, queryRows, fail, ok, warn } from './check.ts';
import { knownMinorsOn, findNewerMinor } from './postgres-versions.ts';

/** Connections of one process: its pool, and one for LISTEN. */
const connectionsPerProcess = 11;

export async function compareMigrations({ context }: OpenArchive): Promise<Subject['migrations']> {
  const applied = await readAppliedMigrations(context.db);
  return {
    missing: migrationNames().filter((name) => !applied.includes(name)),
    problem: explainUnknownMigrations(applied),
  };
}

const expectNoRows = (
  check: Pick<Check, 'name' | 'needs'>,
  query: string,
  fine: string,
  problem: (names: string) => ReturnType<typeof ok>,
): Check => ({
  ...check,
  run: async (subject) => {
    const rows = await queryRows<{ name: string }>(subject, query);
    return rows.length === 0 ? ok(fine) : problem(rows.map(({ name }) => name).join(', '));
  },
});

export const databaseChecks: readonly Check[] = [
  {
    name: 'database',
    needs: 'database',
    run: async (subject) => {
      const startedAtMs = performance.now();
      await queryRows(subject, 'select 1');
      return ok(
        `Answers in ${Math.ceil(performance.now() - startedAtMs)} ms (${subject.config.databaseUrl === null ? 'embedded' : 'DATABASE_URL'}).`,
      );
    },
  },
  {
    name: 'PostgreSQL',
    needs: 'database',
    run: async (subject) => {
      const [row] = await queryRows<{ version: string; number: number }>(
        subject,
        `select current_setting('server_version') as version, current_setting('server_version_num')::int as number`,
      );
      const { version, number } = row ?? { version: 'unknown', number: 0 };
      if (Math.floor(number / 10_000) < minPostgresVersion)
        return fail(`Version ${version} is too old. Version ${minPostgresVersion} or newer is required.`);
      const newest = findNewerMinor(number);
      if (newest === null) return ok(`${version}.`);
      return warn(
        subject.config.databaseUrl === null
          ? `${version} is older than ${newest}. The embedded PostgreSQL is updated only with new versions of the archive software. Use the PostgreSQL of your distribution and set DATABASE_URL: see docs/operations.md, “Use the PostgreSQL of your distribution”. (Versions as of ${knownMinorsOn}.)`
          : `${version} is older than ${newest}. Update the server with its packages, e.g. apt-get update && apt-get install --only-upgrade postgresql-${Math.floor(number / 10_000)}, and restart it. (Versions as of ${knownMinorsOn}.)`,
      );
    },
  },
  {
    name: 'tables',
    needs: 'database',
    run: async ({ migrations: { missing, problem } }) => {
      if (problem !== null) return fail(problem);
      return missing.length === 0
        ? ok('All migrations are applied.')
        : warn(
            `Migrations pending: ${missing.length === 1 ? missing[0] : `${missing[0]} to ${missing.at(-1)}`}. Some checks were skipped. The next start applies the migrations; make a backup first.`,
          );
    },
  },
  {
    name: 'connections',
    needs: 'database',
    run: async (subject) => {
      const { workers, poolerUrl } = subject.config;
      const [{ maxConnections } = { maxConnections: 0 }] = await queryRows<{ maxConnections: number }>(
        subject,
        `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as "maxConnections"`,
      );
      const wantedConnections = connectionsPerProcess * (workers > 1 ? workers + 1 : 1);
      return wantedConnections <= maxConnections || poolerUrl !== null
        ? ok(`The server uses up to ${wantedConnections} of ${maxConnections}.`)
        : warn(
            `${workers} processes may use ${wantedConnections} connections, but the database allows ${maxConnections}. Lower WORKERS, raise max_connections, or use a connection pooler (DATABASE_POOLER_URL).`,
          );
    },
  },
  expectNoRows(
    { name: 'encoding', needs: 'database' },
    `select pg_encoding_to_char(encoding) as name from pg_database
     where datname = current_database() and pg_encoding_to_char(encoding) <> 'UTF8'`,
    'UTF8.',
    (name) =>
      fail(
        `The encoding ${name} cannot store all names. Create a database with encoding UTF8 and move the data there.`,
      ),
  ),
  expectNoRows(
    { name: 'sorting', needs: 'database' },
    `select collname as name from pg_collation
     where collversion is not null and collversion <> pg_collation_actual_version(oid)
       and exists (select from pg_depend where refclassid = 'pg_collation'::regclass and refobjid = pg_collation.oid
                   and classid = 'pg_class'::regclass)`,
    'The collation versions match the indexes.',
    (names) =>
      fail(
        `The operating system’s collations changed after the indexes were built (${names}). Run REINDEX DATABASE, then ALTER COLLATION … REFRESH VERSION.`,
      ),
  ),
  expectNoRows(
    { name: 'durability', needs: 'database' },
    `select name from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off'`,
    'Committed data are on disk.',
    (names) => fail(`${names} is off, so a power failure loses data. Turn it on in postgresql.conf.`),
  ),
  expectNoRows(
    { name: 'search', needs: 'tables' },
    `select 'pending' as name from pending_search_rebuild`,
    'The search index is up to date.',
    () =>
      warn(
        'The rebuild of the search index after an upgrade has not finished, so some people are not found. The next start of the server queues it again. For failed jobs, run: npm run archive -- jobs list',
      ),
  ),
];
