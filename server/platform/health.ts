import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import type { Db } from '../db/client.ts';
import type { Ending } from './ending.ts';
import { ProblemError } from './problem.ts';

/**
 * `/healthz`: the process answers. `/readyz`: it can also serve, for its database answers and has our tables, and it is not about
 * to end.
 */
export function healthRoutes(app: FastifyInstance, { db, ending }: { db: Db; ending: Pick<Ending, 'signal'> }): void {
  app.get('/healthz', { schema: { hide: true } }, async (_, reply) => reply.type('text/plain').send('ok\n'));
  app.get('/readyz', { schema: { hide: true } }, async (_, reply) => {
    if (ending.signal.aborted)
      throw new ProblemError('unavailable', { detail: 'This server is about to end.', retryAfter: 2 });
    await sql`select 1 from kysely_migration limit 1`.execute(db);
    return reply.type('text/plain').send('ready\n');
  });
}
