import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import type { Db } from '../db/client.ts';

/** `/healthz`: the process answers. `/readyz`: it can also serve, for its database answers and has our tables. */
export function healthRoutes(app: FastifyInstance, { db }: { db: Db }): void {
  app.get('/healthz', { schema: { hide: true } }, async (_, reply) => reply.type('text/plain').send('ok\n'));
  app.get('/readyz', { schema: { hide: true } }, async (_, reply) => {
    await sql`select 1 from kysely_migration limit 1`.execute(db);
    return reply.type('text/plain').send('ready\n');
  });
}
