import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { requireSession } from '../../domain/callers.ts';
import type { Context } from '../../domain/context.ts';
import { mount } from '../../platform/http.ts';

/** As many as somebody looks through. */
const most = 100;

/** What the caller has been told, and that they have read it. */
export function notificationRoutes(app: FastifyInstance, { db, callers }: Context): void {
  mount(app, 'GET /api/notifications', async (_, { request, reply }) => {
    const { account } = requireSession(await callers.find(request, reply));
    const rows = await db
      .selectFrom('notifications')
      .select(['id', 'kind', 'detail', 'created_at', sql<boolean>`read_at is not null`.as('read')])
      .where('account_id', '=', account.id)
      .orderBy(sql`read_at is not null`)
      .orderBy('created_at', 'desc')
      .limit(most)
      .execute();
    return { notifications: rows.map(({ created_at, ...row }) => ({ ...row, createdAt: created_at.toISOString() })) };
  });

  mount(app, 'POST /api/notifications/read', async ({ body: { ids } }, { request, reply }) => {
    const { account } = requireSession(await callers.find(request, reply));
    let query = db
      .updateTable('notifications')
      .set({ read_at: sql<Date>`now()` })
      .where('account_id', '=', account.id)
      .where('read_at', 'is', null);
    if (ids) query = query.where('id', '=', sql<string>`any(${ids}::uuid[])`);
    await query.execute();
  });
}
