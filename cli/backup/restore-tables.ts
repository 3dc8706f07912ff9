import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type pg from 'pg';
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams';
import { openDatabase } from '#server/db/client.ts';
import { migrateTables } from '#server/db/migrate.ts';
import { type Manifest, entryNames, jobColumns } from './manifest.ts';
import { listTables } from './tables.ts';

/** Takes the entries of a backup that belong into the database, in the order in which they come. */
export interface TableWriter {
  add(name: string, content: AsyncIterable<Buffer>): Promise<void>;
}

/**
 * Replaces everything in the database by what a backup holds, in one transaction: until its end others find the old rows, and
 * whatever cuts it short leaves them as they are.
 * @param connection reaches PostgreSQL directly
 * @param fill hands over the entries, and throws where the backup turns out not to be whole
 * @param last what is done when nothing but the commit is left
 */
export async function restoreTables(
  connection: pg.PoolConfig,
  manifest: Manifest,
  fill: (writer: TableWriter) => Promise<unknown>,
  last: () => Promise<void>,
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
      await dropEverything(client);
      await migrateTables(tx, manifest.migrations.at(-1) ?? '');
      await copyRows(client, manifest, fill);
      await setSequences(client);
      await addJobs(client);
      await migrateTables(tx);
      await last();
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

async function copyRows(
  client: pg.PoolClient,
  manifest: Manifest,
  fill: (writer: TableWriter) => Promise<unknown>,
): Promise<void> {
  const there = await listTables(client);
  for (const { name, columns } of manifest.tables) {
    const own = there.find((table) => table.name === name)?.columns ?? [];
    const unknown = columns.filter((column) => !own.includes(column));
    if (unknown.length > 0) throw new Error(`The backup has ${name}.${unknown.join(', ')}, which no migration makes.`);
    // What triggers keep, counts above all, is in the backup itself; and nobody is to be told of old news.
    await client.query(`alter table "${name}" disable trigger user`);
  }
  // Migrations write a row here and there; the backup has these as well.
  await client.query(`truncate ${manifest.tables.map(({ name }) => `"${name}"`).join(', ')}`);
  await client.query(
    `create temporary table waiting_jobs (identifier text, queue_name text, payload text, run_at timestamptz,
       max_attempts int, key text, priority int, attempts int) on commit drop`,
  );
  const copied = new Map<string, number>();
  let open: { target: string; copy: Copy } | undefined;
  const close = async () => {
    if (open) copied.set(open.target, await open.copy.end());
    open = undefined;
  };
  await fill({
    add: async (name, content) => {
      const table = entryNames.table.exec(name)?.groups?.['table'] ?? 'waiting_jobs';
      const columns = manifest.tables.find((one) => one.name === table)?.columns ?? jobColumns;
      if (open?.target !== table) {
        await close();
        open = { target: table, copy: copyInto(client, table, columns) };
      }
      for await (const chunk of content) await open?.copy.write(chunk);
    },
  });
  await close();
  const expected = [...manifest.tables, { name: 'waiting_jobs', rows: manifest.jobs }];
  for (const { name, rows } of expected) {
    const found = copied.get(name) ?? 0;
    if (found !== rows) throw new Error(`${name} should have ${rows} rows, and has ${found}.`);
  }
  for (const { name } of manifest.tables) await client.query(`alter table "${name}" enable trigger user`);
}

interface Copy {
  write(chunk: Buffer): Promise<void>;
  /** @returns how many rows there were */
  end(): Promise<number>;
}

function copyInto(client: pg.PoolClient, table: string, columns: readonly string[]): Copy {
  const names = columns.map((column) => `"${column}"`).join(', ');
  const stream: CopyStreamQuery = client.query(copyFrom(`copy "${table}" (${names}) from stdin`));
  const done = finished(stream);
  // Whoever writes next, or ends it, is told.
  done.catch(() => undefined);
  return {
    write: async (chunk) => {
      if (!stream.write(chunk)) await Promise.race([once(stream, 'drain'), done]);
    },
    end: async () => {
      stream.end();
      await done;
      return stream.rowCount;
    },
  };
}

/** Numbers that tables give out go on after the largest one that is there. */
async function setSequences(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `select format('select setval(%L, coalesce(max(%I), 1), max(%I) is not null) from %s',
                   s.oid::regclass::text, a.attname, a.attname, d.refobjid::regclass) as statement
     from pg_class as s
     join pg_depend as d on d.classid = 'pg_class'::regclass and d.objid = s.oid and d.deptype in ('a', 'i')
     join pg_attribute as a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
     where s.relkind = 'S' and s.relnamespace = current_schema()::regnamespace`,
  );
  for (const { statement } of rows) await client.query(statement);
}

/** The queue belongs to its library: jobs are added by its own function, whatever its tables look like by now. */
async function addJobs(client: pg.PoolClient): Promise<void> {
  await client.query('delete from graphile_worker._private_jobs');
  await client.query(`
    create temporary table added_jobs on commit drop as
    select attempts, (graphile_worker.add_job(
      identifier, payload := payload::json, queue_name := queue_name, run_at := run_at, max_attempts := max_attempts,
      job_key := key, priority := priority)).id
    from waiting_jobs`);
  await client.query(
    'update graphile_worker._private_jobs as j set attempts = a.attempts from added_jobs as a where a.id = j.id',
  );
}
