import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, type Transaction, sql } from 'kysely';
import pg from 'pg';
import { type Listener, createListener } from './listener.ts';
import type { Tables } from './schema.ts';

/** The start of the transaction, by the clock of the database. */
export const now = sql<Date>`now()`;

/** The database or a transaction in it. Query functions take it as their first parameter and work with either. */
export type Db = Kysely<Tables> | Transaction<Tables>;

export const inTransaction = <Result>(db: Db, work: (tx: Db) => Promise<Result>): Promise<Result> =>
  db.isTransaction ? work(db) : db.transaction().execute(work);

export interface Database {
  readonly db: Kysely<Tables>;
  readonly pool: pg.Pool;
  inBulkTransaction: BulkTransaction;
  listenTo(channel: string): Listener;
  close(): Promise<void>;
}

const { builtins } = pg.types;

/** Parses `int8` as a number and `date` as `YYYY-MM-DD`. A `Date` would shift days by the time zone of the server. */
const parsers = new Map<number, (value: string) => unknown>([
  [builtins.INT8, Number],
  [builtins.DATE, (value) => value],
]);

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    parsers.get(oid) ?? pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

/**
 * Time limits of a statement. PostgreSQL cancels the statement at the first limit. At the second, the client gives up
 * if PostgreSQL does not respond at all.
 */
const [statementTimeoutMs, queryTimeoutMs] = [15_000, 20_000];

/**
 * Opens a connection pool. The first query opens the first connection.
 * @param onIdleError receives the errors of idle connections
 * @param isPooled whether a pooler in transaction mode, such as PgBouncer, is in between. It keeps neither prepared
 *   statements nor settings of a session, so the time limit of statements has to be configured in the database.
 */
export function openDatabase(
  connection: pg.PoolConfig,
  onIdleError: (error: Error) => void,
  { isPooled = false } = {},
): Database {
  const pool = new pg.Pool({
    max: 10,
    connectionTimeoutMillis: 5_000,
    ...(!isPooled && { statement_timeout: statementTimeoutMs }),
    // A statement timeout of 0 marks work without a time limit, such as a migration.
    ...(connection.statement_timeout !== 0 && { query_timeout: queryTimeoutMs }),
    ...connection,
    types,
  });
  let isClosing = false;
  // A stopping server ends connections with an error. During `close` this is expected.
  const onConnectionError = (error: Error) => void (isClosing || onIdleError(error));
  // If no listener is registered, an error of an idle connection ends the process.
  pool.on('error', onConnectionError);
  pool.on('connect', (client) => void client.on('error', onConnectionError));
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({
      pool: withPreparedStatements(pool, isPooled ? () => undefined : createStatementNames()),
    }),
  });
  return {
    db,
    pool,
    inBulkTransaction: (work) => runBulkTransaction(connection, work),
    listenTo: (channel) => createListener(connection, channel, onIdleError),
    close: async () => {
      isClosing = true;
      await db.destroy();
      // Kysely does not end a pool that it has never used.
      if (!pool.ended) await pool.end();
    },
  };
}

/**
 * Runs work in one transaction on a separate connection without time limits.
 * @param work also receives the connection, for COPY
 */
export type BulkTransaction = <Result>(work: (tx: Db, client: pg.PoolClient) => Promise<Result>) => Promise<Result>;

/** Statements are not prepared, so the work may drop tables and create them again. */
export async function runBulkTransaction<Result>(
  connection: pg.PoolConfig,
  work: (tx: Db, client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase({ ...connection, max: 1, statement_timeout: 0 }, () => undefined, { isPooled: true });
  let client: pg.PoolClient | undefined;
  database.pool.on('connect', (own) => {
    client = own;
  });
  try {
    return await database.db.transaction().execute(async (tx) => {
      if (!client) throw new Error('There is no connection.');
      await client.query(
        // The default work_mem of 4 MB makes joins of large tables write temporary files.
        `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; set local work_mem = '64MB'`,
      );
      return work(tx, client);
    });
  } finally {
    await database.close();
  }
}

const maxPreparedStatements = 300;

function createStatementNames(): (text: string) => string | undefined {
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined) return known;
    // The best plan of a text search, and of a statement with this comment, depends on the values, so a generic plan
    // would be slow. The schema of the job queue can be recreated, and a prepared statement would then fail on the new
    // types. Statements above 5,000 characters have as many values as rows, so that their text
    // seldom repeats.
    const needsCustomPlan =
      text.length > 5_000 ||
      text.startsWith('/* custom plan */') ||
      text.includes('tsquery') ||
      text.includes('pgboss.');
    if (needsCustomPlan || names.size >= maxPreparedStatements) return undefined;
    const name = `s${names.size}`;
    names.set(text, name);
    return name;
  };
}

/**
 * Wraps the pool for Kysely so that statements are prepared: Kysely sends unnamed statements, which PostgreSQL parses
 * and plans at each execution. For short statements that is most of the time. A connection is discarded after a query
 * timeout, because its late response would be read as the response to the next statement.
 */
const withPreparedStatements = (pool: pg.Pool, nameOf: (text: string) => string | undefined): PostgresPool => ({
  options: pool.options,
  end: () => pool.end(),
  connect: async () => {
    const client = await pool.connect();
    let failure: Error | undefined;
    const query = async (text: string, values: readonly unknown[]) => {
      if (failure) throw failure;
      try {
        const name = values.length > 0 ? nameOf(text) : undefined;
        return await client.query({ ...(name !== undefined && { name }), text, values: [...values] });
      } catch (error) {
        if ((error as Error).message === 'Query read timeout') failure = error as Error;
        throw error;
      }
    };
    // Kysely's second form of `query`, with a cursor, serves streams, which this project does not use.
    return {
      query: query as unknown as PostgresPoolClient['query'],
      release: (isBroken) => client.release(failure ?? isBroken),
    };
  },
});
