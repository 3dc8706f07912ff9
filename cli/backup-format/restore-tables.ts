import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams';
import { roleOf } from '#server/db/application-role.ts';
import { protectAuditLog } from '#server/db/audit-log-owner.ts';
import { type Db, runBulkTransaction } from '#server/db/client.ts';
import { applyMigrations, migrateTables, migrationNames } from '#server/db/migrate.ts';
import { rebuildNextListings } from '#server/domain/people/people.ts';
import { recountWords } from '#server/domain/search/vocabulary.ts';
import { type PortableJob, deleteAllJobs, importJobs } from '#server/platform/jobs/job-transfer.ts';
import { Failure } from '../support/command.ts';
import { createStreamWriter } from '#server/platform/storage/stream-writer.ts';
import { type Manifest, entryNames, jobColumns } from './manifest.ts';
import { derivedTables, listTables, listedSinceColumns } from './tables.ts';

interface TableWriter {
  readonly add: (name: string, content: AsyncIterable<Buffer>) => Promise<void>;
}

type ReadEntries = (writer: TableWriter) => Promise<unknown>;

/**
 * Replaces all tables with the contents of a backup, in one transaction. Other connections see the old rows until the
 * commit. An interrupted restore changes nothing.
 * @param connection connects to PostgreSQL directly, not through a pooler
 * @param auditOwner connection as the owner of the audit log, if that is another role
 * @param beforeCommit runs as the last step before the commit
 */
export const restoreTables = (
  { connection, auditOwner }: { connection: pg.PoolConfig; auditOwner: pg.PoolConfig | null },
  manifest: Manifest,
  fill: ReadEntries,
  beforeCommit: () => Promise<void>,
): Promise<void> =>
  inTransaction(auditOwner ?? connection, async (client, tx) => {
    await dropAllObjects(client);
    if (auditOwner) await client.query(`set local role ${pg.escapeIdentifier(roleOf(connection))}`);
    await migrateTables(tx, manifest.migrations.at(-1) ?? '');
    await copyRows(client, manifest, fill);
    await restoreJobs(client, tx);
    await migrateTables(tx);
    await deriveTables(client, tx);
    if (auditOwner) {
      await client.query('set local role none');
      await protectAuditLog(client, roleOf(connection));
    }
    await beforeCommit();
  });

/**
 * Loads every row of a backup into a temporary schema and rolls back. The archive stays unchanged.
 * @throws Error when a row cannot be loaded
 */
export async function testLoadTables(connection: pg.PoolConfig, manifest: Manifest, fill: ReadEntries): Promise<void> {
  const rollback = new Error('Every row was loaded.');
  try {
    await inTransaction(connection, async (client, tx) => {
      const schema = pg.escapeIdentifier(`dry_run_${randomUUID()}`);
      await client.query(`create schema ${schema}`);
      await client.query(`set local search_path to ${schema}`);
      const names = migrationNames();
      // Do not use the migrator: its lock would prevent the server from starting until all rows are loaded.
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

const inTransaction = (
  connection: pg.PoolConfig,
  work: (client: pg.PoolClient, tx: Db) => Promise<void>,
): Promise<void> =>
  runBulkTransaction({ ...connection, application_name: 'archive restore' }, (tx, client) => work(client, tx));

const insufficientPrivilege = '42501';

/** Drops all tables and routines of the schema except those of extensions. Migrations create them again. */
async function dropAllObjects(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `select format('drop table if exists %s cascade', c.oid::regclass) as statement from pg_class as c
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
       and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')
     union all
     select format('drop routine if exists %s cascade', p.oid::regprocedure) from pg_proc as p
     where p.pronamespace = current_schema()::regnamespace
       and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = p.oid and deptype = 'e')`,
  );
  for (const { statement } of rows)
    await client.query(statement).catch((error: unknown) => {
      if ((error as { code?: string }).code !== insufficientPrivilege) throw error;
      throw new Failure(
        'The role of DATABASE_URL cannot replace all tables, because the audit log has its own owner. Nothing was changed. Set AUDIT_DATABASE_URL: see docs/operations.md, “Give the audit log its own owner”.',
        { cause: error },
      );
    });
}

const listedBeforeTable = 'listed_before';

async function copyRows(client: pg.PoolClient, manifest: Manifest, fill: ReadEntries): Promise<void> {
  const known = await listTables(client);
  for (const { name, columns } of manifest.tables) {
    const table = known.find((one) => one.name === name);
    if (!table || columns.some((column) => !table.columns.includes(column)))
      throw new Failure(
        'This backup was not created by this software: it names a table or column that its version does not have. Nothing was changed.',
      );
  }
  const copied = manifest.tables.filter(({ name }) => !derivedTables.includes(name));
  for (const { name } of copied) {
    // Rows written by triggers, such as counts, are in the backup. Old changes must not create notifications.
    await client.query(`alter table ${pg.escapeIdentifier(name)} disable trigger user`);
  }
  // Some migrations insert rows, which are also in the backup.
  await client.query(`truncate ${known.map(({ name }) => pg.escapeIdentifier(name)).join(', ')}`);
  await client.query(
    `create temporary table waiting_jobs (identifier text, queue_name text, payload text, run_at timestamptz,
       max_attempts int, key text, priority int, attempts int) on commit drop`,
  );
  const listings = manifest.tables.find(({ name }) => name === 'listings') ?? { columns: listedSinceColumns, rows: 0 };
  await client.query(
    `create temporary table ${listedBeforeTable} (${listings.columns.map((column) => `${pg.escapeIdentifier(column)} text`).join(', ')}) on commit drop`,
  );
  const targets = new Map<string, Target>([
    ...copied.map((table): [string, Target] => [table.name, table]),
    ['listings', { ...listings, name: listedBeforeTable }],
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
      // Skip derived tables, which backups of format 1 contain.
      if (!target) return;
      if (open?.target !== target) {
        await close();
        open = { target, copy: copyInto(client, target) };
      }
      for await (const chunk of content) await open?.copy.write(chunk);
    },
  }).catch((error: unknown) => {
    // The rollback would wait forever for an open COPY.
    open?.copy.stream.destroy();
    throw error;
  });
  await close();
  for (const target of targets.values()) {
    const found = counts.get(target) ?? 0;
    if (found !== target.rows) throw new Failure(`${target.name} should have ${target.rows} rows, but has ${found}.`);
  }
  for (const { name, columns } of copied) if (columns.includes('picture')) await requirePictureNames(client, name);
  for (const { name } of copied) await client.query(`alter table ${pg.escapeIdentifier(name)} enable trigger user`);
  await advanceSequences(client, copied);
  await client.query(`create unique index on ${listedBeforeTable} (account_id, audience)`);
  await client.query(`analyze ${listedBeforeTable}`);
}

/** Sets the sequences of identity columns after the copied values. COPY does not use them. */
async function advanceSequences(client: pg.PoolClient, tables: readonly Target[]): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string }>(
    `select c.relname as table, a.attname as column from pg_attribute as a join pg_class as c on c.oid = a.attrelid
     where c.relnamespace = current_schema()::regnamespace and a.attidentity <> '' and c.relname = any($1)`,
    [tables.map(({ name }) => name)],
  );
  for (const { table, column } of rows) {
    await client.query(
      `select setval(pg_get_serial_sequence(quote_ident($1), $2), max(${pg.escapeIdentifier(column)})) from ${pg.escapeIdentifier(table)}`,
      [table, column],
    );
  }
}

/** Verifies picture names, which become paths. @throws Failure when a name could leave the media folder */
async function requirePictureNames(client: pg.PoolClient, table: string): Promise<void> {
  const { rowCount } = await client.query(
    `select from ${pg.escapeIdentifier(table)} where picture !~ '^[A-Za-z0-9_-]+$' limit 1`,
  );
  if (rowCount !== 0)
    throw new Failure(`This backup was not created by this software: ${table} names a file outside the media folder.`);
}

/**
 * Fills the derived tables from the profiles. `listed_at` comes from the backup, or else is the creation time of the
 * profile.
 */
async function deriveTables(client: pg.PoolClient, tx: Db): Promise<void> {
  // Building an index at the end takes a third of the time of updating it row by row.
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
       (select listed_at::timestamptz from ${listedBeforeTable} as b where b.account_id = l.account_id::text and b.audience = l.audience),
       (select created_at from profiles as p where p.account_id = l.account_id))`,
  );
  await client.query('alter table listings enable trigger user');
  for (const { definition } of indexes) await client.query(definition);
  await recountWords(tx);
}

interface Target {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
}

function copyInto(client: pg.PoolClient, { name, columns }: Target) {
  const names = columns.map(pg.escapeIdentifier).join(', ');
  const stream: CopyStreamQuery = client.query(copyFrom(`copy ${pg.escapeIdentifier(name)} (${names}) from stdin`));
  return { stream, ...createStreamWriter(stream) };
}

async function restoreJobs(client: pg.PoolClient, tx: Db): Promise<void> {
  await deleteAllJobs(tx);
  const { rows } = await client.query<PortableJob>(
    'select identifier, payload::json, run_at, max_attempts, key, priority, attempts from waiting_jobs',
  );
  await importJobs(tx, rows);
}
