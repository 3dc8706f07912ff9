import type { Socket } from 'node:net';
import { Kysely, PostgresDialect, type Transaction } from 'kysely';
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
    Client: ourClient(isPooled ? () => undefined : createNames()),
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
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
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
    if (text.length > 2_000 || text.includes('tsquery') || names.size >= mostPrepared) return undefined;
    const name = `s${names.size}`;
    names.set(text, name);
    return name;
  };
}

/**
 * A connection that parses and plans a statement once: for the short ones, that is most of their time. One on which no
 * answer comes is not used again.
 */
const ourClient = (nameOf: (text: string) => string | undefined): typeof pg.Client =>
  class extends pg.Client {
    // Its many forms differ in what comes after the text; only text with values is prepared.
    override query(...args: unknown[]): never {
      const [text, values, ...rest] = args;
      const query = super.query.bind(this) as (...args: unknown[]) => unknown;
      const isPlain = typeof text !== 'string' || !Array.isArray(values) || values.length === 0;
      const result = isPlain ? query(...args) : query({ name: nameOf(text), text, values }, ...rest);
      if (result instanceof Promise) result.catch((error: unknown) => this.#giveUp(error));
      return result as never;
    }

    /** Its answer may still come, and would be taken for that to the next statement. */
    #giveUp(error: unknown): void {
      if ((error as Error).message === 'Query read timeout')
        (this as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
    }
  };
