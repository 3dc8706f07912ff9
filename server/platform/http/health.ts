import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import type { Db } from '#server/db/client.ts';
import { newestMigration } from '#server/db/migrate.ts';
import { withTimeout } from '../lifecycle/with-timeout.ts';
import type { Log } from '../log/log.ts';
import type { Shutdown } from '../lifecycle/shutdown.ts';

const databaseTimeoutMs = 2_000;

const retryAfterSeconds = 5;

/**
 * Adds the health checks. `/healthz` reports that the process responds. `/readyz` reports that it can serve requests:
 * the database responds, all migrations have run, and no shutdown has begun.
 */
export function healthRoutes(
  app: FastifyInstance,
  { db, shutdown }: { db: Db; shutdown: Pick<Shutdown, 'signal'> },
): void {
  app.get('/healthz', { schema: { hide: true } }, async (_, reply) => reply.type('text/plain').send('ok\n'));
  // Reads the list of migrations once, because an update may replace the files of the running version.
  const requiredMigration = newestMigration();
  let runningCheck: Promise<string | null> | null = null;
  // Concurrent checks share one query, so that queries do not pile up when the database hangs.
  const checkOnce = (log: Log) =>
    (runningCheck ??= findMissingPart(db, requiredMigration, log).finally(() => {
      runningCheck = null;
    }));
  app.get('/readyz', { schema: { hide: true } }, async ({ log }, reply) => {
    const missing = shutdown.signal.aborted ? 'server is shutting down' : await checkOnce(log);
    reply.header('cache-control', 'no-store').type('text/plain');
    if (missing === null) return reply.send('ready\n');
    return reply.code(503).header('retry-after', retryAfterSeconds).send(`not ready: ${missing}\n`);
  });
}

async function findMissingPart(db: Db, requiredMigration: string, log: Log): Promise<string | null> {
  try {
    const { rows } = await withTimeout(
      sql<{
        exists: boolean;
      }>`select exists (select from kysely_migration where name = ${requiredMigration}) as "exists"`.execute(db),
      databaseTimeoutMs,
    );
    if (rows[0]?.exists) return null;
    return 'migrations (the tables are from an older version; restart the server to migrate them)';
  } catch (error) {
    log.warn({ err: error }, 'Readiness check failed');
    if ((error as { code?: string }).code === '42P01') {
      return 'migrations (the database has no tables; restart the server to create them)';
    }
    return 'database (no response)';
  }
}
