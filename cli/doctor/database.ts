import { migrationNames, oldestVersion } from '#server/db/migrate.ts';
import type { OpenArchive } from '#server/startup/open-archive.ts';
import { type Check, type Subject, ask, fail, ok, warn } from './check.ts';
import { knownMinorsOn, newerMinor } from './postgres-versions.ts';

/** Connections of one process: its pool, and one that listens. */
const connectionsPerProcess = 11;

/** Compares the migrations in the database with those of this version. */
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

/** Returns a check that is ok if its query returns no row. @param problem gets the column `name` of all rows, joined by commas */
const noRows = (
  check: Pick<Check, 'about' | 'needs'>,
  query: string,
  fine: string,
  problem: (names: string) => ReturnType<typeof ok>,
): Check => ({
  ...check,
  run: async (subject) => {
    const rows = await ask<{ name: string }>(subject, query);
    return rows.length === 0 ? ok(fine) : problem(rows.map(({ name }) => name).join(', '));
  },
});

export const databaseChecks: readonly Check[] = [
  {
    about: 'database',
    needs: 'database',
    run: async (subject) => {
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
          ? `${version} is older than ${newest}, and the embedded PostgreSQL is updated only together with this product. Move to the PostgreSQL of your distribution and set DATABASE_URL: docs/operations.md, “Use the PostgreSQL of your distribution”. (Versions as of ${knownMinorsOn}.)`
          : `${version} is older than ${newest}. Update the server with its packages, e.g. apt-get update && apt-get install --only-upgrade postgresql-${Math.floor(number / 10_000)}, and restart it. (Versions as of ${knownMinorsOn}.)`,
      );
    },
  },
  {
    about: 'tables',
    needs: 'database',
    run: async ({ migrations: { missing, foreign } }) => {
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
    about: 'connections',
    needs: 'database',
    run: async (subject) => {
      const { workers, poolerUrl } = subject.config;
      const [{ most } = { most: 0 }] = await ask<{ most: number }>(
        subject,
        `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most`,
      );
      const wanted = connectionsPerProcess * (workers > 1 ? workers + 1 : 1);
      return wanted <= most || poolerUrl !== null
        ? ok(`this product takes up to ${wanted} of ${most}.`)
        : warn(
            `${workers} processes may take ${wanted} connections, and there are ${most}. Lower WORKERS, raise max_connections, or put a pooler in between (DATABASE_POOLER_URL).`,
          );
    },
  },
  noRows(
    { about: 'encoding', needs: 'database' },
    `select pg_encoding_to_char(encoding) as name from pg_database
     where datname = current_database() and pg_encoding_to_char(encoding) <> 'UTF8'`,
    'UTF8.',
    (name) =>
      fail(`${name}: names of people are lost in it. Make a database with encoding UTF8 and bring the data over.`),
  ),
  noRows(
    { about: 'sorting', needs: 'database' },
    `select collname as name from pg_collation
     where collversion is not null and collversion <> pg_collation_actual_version(oid)
       and exists (select from pg_depend where refclassid = 'pg_collation'::regclass and refobjid = pg_collation.oid
                   and classid = 'pg_class'::regclass)`,
    'as the indexes were made.',
    (names) =>
      fail(
        `The operating system sorts otherwise than when the indexes were made (${names}). Run REINDEX DATABASE, then ALTER COLLATION … REFRESH VERSION.`,
      ),
  ),
  noRows(
    { about: 'durability', needs: 'database' },
    `select name from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off'`,
    'what is saved is on disk.',
    (names) => fail(`${names} is off: a power cut loses data. Switch it on in postgresql.conf.`),
  ),
  noRows(
    { about: 'search', needs: 'tables' },
    `select 'pending' as name from pending_search_rebuild`,
    'is up to date.',
    () =>
      warn(
        'The rebuild after an upgrade has not finished: some people and misspelled words are not found. The next start of the product queues it again. Failed jobs: npm run archive -- jobs list',
      ),
  ),
];
