import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, type Transaction } from 'kysely';
import pg from 'pg';
import { type Listener, createListener } from './listener.ts';
import type { Tables } from './schema.ts';

/** The database or a transaction in it: query functions take it first and never know which. */
export type Db = Kysely<Tables> | Transaction<Tables>;

/** Runs work in the transaction that `db` is, or in a new one. */
export const inTransaction = <Result>(db: Db, work: (tx: Db) => Promise<Result>): Promise<Result> =>
  db.isTransaction ? work(db) : db.transaction().execute(work);

export interface Database {
  readonly db: Kysely<Tables>;
  readonly pool: pg.Pool;
  /** Hears what is told on a channel, over a connection of its own. */
  listenTo(channel: string): Listener;
  close(): Promise<void>;
}

const { builtins } = pg.types;

/** Counts as numbers, and days as `YYYY-MM-DD`: a `Date` would move them with the server's time zone. */
const parsers = new Map<number, (value: string) => unknown>([
  [builtins.INT8, Number],
  [builtins.DATE, (value) => value],
]);

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    parsers.get(oid) ?? pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

/** Milliseconds after which a statement is given up: by the database, and a little later by us, should it not answer at all. */
const [statementLimit, answerLimit] = [15_000, 20_000];

/**
 * Opens a pool of connections; none is made before the first query.
 * @param isPooled whether a pooler stands in between that hands out connections by transaction (PgBouncer): it keeps neither
 *   prepared statements nor settings, so limits of time are the database's own there
 */
export function openDatabase(
  connection: pg.PoolConfig,
  onIdleError: (error: Error) => void,
  { isPooled = false } = {},
): Database {
  const pool = new pg.Pool({
    max: 10,
    connectionTimeoutMillis: 5_000,
    ...(!isPooled && { statement_timeout: statementLimit }),
    // Work that may take as long as it takes says so by its limit for statements.
    ...(connection.statement_timeout !== 0 && { query_timeout: answerLimit }),
    ...connection,
    types,
  });
  let isClosing = false;
  // Connections that are on their way out are told off by a server that stops: nobody has to know.
  const onBroken = (error: Error) => void (isClosing || onIdleError(error));
  // Without a listener, a connection that breaks while idle ends the whole process.
  pool.on('error', onBroken);
  pool.on('connect', (client) => void client.on('error', onBroken));
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: preparing(pool, isPooled ? () => undefined : createNames()) }),
  });
  return {
    db,
    pool,
    listenTo: (channel) => createListener(connection, channel, onIdleError),
    close: async () => {
      isClosing = true;
      await db.destroy();
      // Kysely leaves a pool alone that it has never asked anything.
      if (!pool.ended) await pool.end();
    },
  };
}

/** Statements that are kept prepared on a connection, at most. */
const mostPrepared = 300;

/** The name under which a statement is prepared, or none where planning it anew each time is worth what it costs. */
function createNames(): (text: string) => string | undefined {
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined) return known;
    // What is looked for in a text decides how: a plan for any question would be a bad one.
    // The schema of the job queue may be created anew, and a prepared statement would refuse the new types.
    const isPlannedAnew = text.length > 2_000 || text.includes('tsquery') || text.includes('pgboss.');
    if (isPlannedAnew || names.size >= mostPrepared) return undefined;
    const name = `s${names.size}`;
    names.set(text, name);
    return name;
  };
}

/**
 * Returns the pool for Kysely, which sends texts without names: with a name, a connection parses and plans a statement once. For
 * the short ones, that is most of their time. A connection that has not answered in time is not used again, because its late
 * answer would be taken for that to the next statement.
 */
const preparing = (pool: pg.Pool, nameOf: (text: string) => string | undefined): PostgresPool => ({
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
    // Kysely's second form of `query`, with a cursor, is for streams, which nothing here uses.
    return {
      query: query as unknown as PostgresPoolClient['query'],
      release: (isBroken) => client.release(failure ?? isBroken),
    };
  },
});
