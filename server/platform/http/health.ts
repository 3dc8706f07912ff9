import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import type { Db } from '../../db/client.ts';
import { newestMigration } from '../../db/migrate.ts';
import { withTimeout } from '../lifecycle/with-timeout.ts';
import type { Log } from '../log/log.ts';
import type { Shutdown } from '../lifecycle/shutdown.ts';

/** Milliseconds that the database has to answer: whoever asks must never hang with us. */
const databaseTimeoutMs = 2_000;

/** Seconds after which to ask again. */
const retryAfterSeconds = 5;

/**
 * `/healthz`: the process answers. `/readyz`: it can also serve, for its database answers and has our tables, and it is not about
 * to end.
 */
export function healthRoutes(
  app: FastifyInstance,
  { db, shutdown }: { db: Db; shutdown: Pick<Shutdown, 'signal'> },
): void {
  app.get('/healthz', { schema: { hide: true } }, async (_, reply) => reply.type('text/plain').send('ok\n'));
  // Those of the version that runs, whatever an update puts beside it meanwhile.
  const requiredMigration = newestMigration();
  let runningCheck: Promise<string | null> | null = null;
  // Those that ask meanwhile wait for the same answer: a database that hangs is asked once.
  const checkOnce = (log: Log) =>
    (runningCheck ??= findMissingPart(db, requiredMigration, log).finally(() => {
      runningCheck = null;
    }));
  app.get('/readyz', { schema: { hide: true } }, async ({ log }, reply) => {
    const missing = shutdown.signal.aborted ? 'this server is about to end' : await checkOnce(log);
    reply.header('cache-control', 'no-store').type('text/plain');
    if (missing === null) return reply.send('ready\n');
    return reply.code(503).header('retry-after', retryAfterSeconds).send(`not ready: ${missing}\n`);
  });
}

/** @returns the part that is missing, in words for an operator, or null */
async function findMissingPart(db: Db, wanted: string, log: Log): Promise<string | null> {
  try {
    const { rows } = await withTimeout(
      sql<{ there: boolean }>`select exists (select from kysely_migration where name = ${wanted}) as there`.execute(db),
      databaseTimeoutMs,
    );
    if (rows[0]?.there) return null;
    return 'migrations (the tables are those of an older version: start this version again)';
  } catch (error) {
    log.warn({ err: error }, 'not ready');
    if ((error as { code?: string }).code === '42P01') {
      return 'migrations (there are no tables yet: start the product again)';
    }
    return 'database (it does not answer)';
  }
}
