import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams';
import { type Db, openDatabase } from '#server/db/client.ts';
import { applyMigrations, migrateTables, migrationNames } from '#server/db/migrate.ts';
import { rebuildNextListings } from '#server/domain/people.ts';
import { recountWords } from '#server/domain/vocabulary.ts';
import { type PortableJob, deleteAllJobs, importJobs } from '#server/platform/jobs/job-transfer.ts';
import { Failure } from '../support/command.ts';
import { streamWriter } from '../support/stream-writer.ts';
import { type Manifest, entryNames, jobColumns } from './manifest.ts';
import { derivedTables, listTables, listedSince } from './tables.ts';

/** Takes the entries of a backup that belong into the database, in the order in which they come. */
export interface TableWriter {
  readonly add: (name: string, content: AsyncIterable<Buffer>) => Promise<void>;
}

/** Passes the entries of a backup to the writer. @throws Error when the backup is damaged */
type Fill = (writer: TableWriter) => Promise<unknown>;

/**
 * Replaces everything in the database by what a backup holds, in one transaction: until its end others find the old rows, and
 * whatever cuts it short leaves them as they are.
 * @param connection reaches PostgreSQL directly
 * @param last what is done when nothing but the commit is left
 */
export const restoreTables = (
  connection: pg.PoolConfig,
  manifest: Manifest,
  fill: Fill,
  last: () => Promise<void>,
): Promise<void> =>
  inTransaction(connection, async (client, tx) => {
    await dropEverything(client);
    await migrateTables(tx, manifest.migrations.at(-1) ?? '');
    await copyRows(client, manifest, fill);
    await restoreJobs(client, tx);
    await migrateTables(tx);
    await deriveTables(client, tx);
    await last();
  });

/**
 * Loads every row of a backup into a temporary schema and rolls back. The rows of the archive stay unchanged.
 * @throws Error when a row cannot be loaded
 */
export async function tryTables(connection: pg.PoolConfig, manifest: Manifest, fill: Fill): Promise<void> {
  const rollback = new Error('Every row was loaded.');
  try {
    await inTransaction(connection, async (client, tx) => {
      const schema = pg.escapeIdentifier(`dry_run_${randomUUID()}`);
      await client.query(`create schema ${schema}`);
      await client.query(`set local search_path to ${schema}`);
      const names = migrationNames();
      // Without the migrator: its lock would keep the product from starting until all rows are loaded.
      await applyMigrations(tx, names.slice(0, manifest.migrations.length));
      await copyRows(client, manifest, fill);
      await client.query('select count(payload::json) from waiting_jobs');
      await applyMigrations(tx, names.slice(manifest.migrations.length));
      await deriveTables(client, tx);
      throw rollback;
    });
  } catch (error) {
    if (error !== rollback) throw error;
  }
}

async function inTransaction(
  connection: pg.PoolConfig,
  work: (client: pg.PoolClient, tx: Db) => Promise<void>,
): Promise<void> {
  // One connection, without prepared statements: the tables that they were prepared for are made anew.
  const database = openDatabase(
    { ...connection, max: 1, statement_timeout: 0, application_name: 'archive restore' },
    () => undefined,
    { isPooled: true },
  );
  let client: pg.PoolClient | undefined;
  database.pool.on('connect', (own) => {
    client = own;
  });
  try {
    await database.db.transaction().execute(async (tx) => {
      if (!client) throw new Error('There is no connection.');
      await client.query('set local idle_in_transaction_session_timeout = 0');
      await work(client, tx);
    });
  } finally {
    await database.close();
  }
}

/** Tables and functions of the schema, but for those of extensions: migrations make them anew. */
async function dropEverything(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `select format('drop table if exists %s cascade', c.oid::regclass) as statement from pg_class as c
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
       and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')
     union all
     select format('drop routine if exists %s cascade', p.oid::regprocedure) from pg_proc as p
     where p.pronamespace = current_schema()::regnamespace
       and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = p.oid and deptype = 'e')`,
  );
  for (const { statement } of rows) await client.query(statement);
}

/** The temporary table with the rows of `listings` from the backup, as text. */
const listedBefore = 'listed_before';

async function copyRows(client: pg.PoolClient, manifest: Manifest, fill: Fill): Promise<void> {
  const known = await listTables(client);
  for (const { name, columns } of manifest.tables) {
    const table = known.find((one) => one.name === name);
    if (!table || columns.some((column) => !table.columns.includes(column)))
      throw new Failure(
        'This backup was not made by this product: it names a table or column that its version does not have. Nothing was changed.',
      );
  }
  const copied = manifest.tables.filter(({ name }) => !derivedTables.includes(name));
  for (const { name } of copied) {
    // What triggers keep, counts above all, is in the backup itself; and nobody is to be told of old news.
    await client.query(`alter table ${pg.escapeIdentifier(name)} disable trigger user`);
  }
  // Migrations write a row here and there; the backup has these as well.
  await client.query(`truncate ${known.map(({ name }) => pg.escapeIdentifier(name)).join(', ')}`);
  await client.query(
    `create temporary table waiting_jobs (identifier text, queue_name text, payload text, run_at timestamptz,
       max_attempts int, key text, priority int, attempts int) on commit drop`,
  );
  const listings = manifest.tables.find(({ name }) => name === 'listings') ?? { columns: listedSince, rows: 0 };
  await client.query(
    `create temporary table ${listedBefore} (${listings.columns.map((column) => `${pg.escapeIdentifier(column)} text`).join(', ')}) on commit drop`,
  );
  const targets = new Map<string, Target>([
    ...copied.map((table): [string, Target] => [table.name, table]),
    ['listings', { ...listings, name: listedBefore }],
    ['waiting_jobs', { name: 'waiting_jobs', columns: jobColumns, rows: manifest.jobs }],
  ]);
  const counts = new Map<Target, number>();
  let open: { target: Target; copy: ReturnType<typeof copyInto> } | undefined;
  const close = async () => {
    await open?.copy.end();
    if (open) counts.set(open.target, open.copy.stream.rowCount);
    open = undefined;
  };
  await fill({
    add: async (name, content) => {
      const target = targets.get(entryNames.table.exec(name)?.groups?.['table'] ?? 'waiting_jobs');
      // A derived table, as older backups have them.
      if (!target) return;
      if (open?.target !== target) {
        await close();
        open = { target, copy: copyInto(client, target) };
      }
      for await (const chunk of content) await open?.copy.write(chunk);
    },
  }).catch((error: unknown) => {
    // An open COPY would make the rollback wait for ever.
    open?.copy.stream.destroy();
    throw error;
  });
  await close();
  for (const target of targets.values()) {
    const found = counts.get(target) ?? 0;
    if (found !== target.rows) throw new Failure(`${target.name} should have ${target.rows} rows, and has ${found}.`);
  }
  for (const { name, columns } of copied) if (columns.includes('picture')) await requirePictureNames(client, name);
  for (const { name } of copied) await client.query(`alter table ${pg.escapeIdentifier(name)} enable trigger user`);
  await client.query(`create unique index on ${listedBefore} (account_id, audience)`);
  await client.query(`analyze ${listedBefore}`);
}

/** Picture names become paths. @throws Failure where one leads out of the media folder */
async function requirePictureNames(client: pg.PoolClient, table: string): Promise<void> {
  const { rowCount } = await client.query(
    `select from ${pg.escapeIdentifier(table)} where picture !~ '^[A-Za-z0-9_-]+$' limit 1`,
  );
  if (rowCount !== 0)
    throw new Failure(`This backup was not made by this product: ${table} names a file outside the media folder.`);
}

/**
 * Fills the derived tables from the profiles. `listed_at` is the time in the backup, or else the time at which they
 * have a profile.
 */
async function deriveTables(client: pg.PoolClient, tx: Db): Promise<void> {
  // Building an index once takes a third of the time of updating it row by row.
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes
     where schemaname = current_schema() and tablename = 'listings' and indexname not like '%_pkey'`,
  );
  for (const { name } of indexes) await client.query(`drop index ${pg.escapeIdentifier(name)}`);
  let last: string | null = null;
  do last = await rebuildNextListings(tx, last);
  while (last !== null);
  await client.query('alter table listings disable trigger user');
  await client.query(
    `update listings as l set listed_at = coalesce(
       (select listed_at::timestamptz from ${listedBefore} as b where b.account_id = l.account_id::text and b.audience = l.audience),
       (select created_at from profiles as p where p.account_id = l.account_id))`,
  );
  await client.query('alter table listings enable trigger user');
  for (const { definition } of indexes) await client.query(definition);
  await recountWords(tx);
}

/** Where rows of a backup are copied to. */
interface Target {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
}

function copyInto(client: pg.PoolClient, { name, columns }: Target) {
  const names = columns.map(pg.escapeIdentifier).join(', ');
  const stream: CopyStreamQuery = client.query(copyFrom(`copy ${pg.escapeIdentifier(name)} (${names}) from stdin`));
  return { stream, ...streamWriter(stream) };
}

async function restoreJobs(client: pg.PoolClient, tx: Db): Promise<void> {
  await deleteAllJobs(tx);
  const { rows } = await client.query<PortableJob>(
    'select identifier, payload::json, run_at, max_attempts, key, priority, attempts from waiting_jobs',
  );
  await importJobs(tx, rows);
}
