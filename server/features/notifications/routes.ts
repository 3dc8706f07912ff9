import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { type OptionalKind, optionalKinds } from '#contract/notifications.ts';
import { requireSession } from '../../domain/authentication.ts';
import type { Context } from '../../domain/context.ts';
import { mountEvents } from '../../platform/http/event-stream.ts';
import { mount } from '../../platform/http/mount.ts';
import { ProblemError } from '../../platform/http/problem.ts';
import { findNotificationChoices, findNotifications } from './queries.ts';

/** Event streams that an account can have open in one process: only tabs in front have one. */
const maxStreamsPerAccount = 10;

/** What the caller has been told, that they have read it, and what they want to be told of. */
export function notificationRoutes(
  app: FastifyInstance,
  { db, authentication, notificationChanges, shutdown }: Context,
): void {
  app.addHook('onClose', () => notificationChanges.close());

  mount(app, 'GET /api/notifications', async ({ query: { after } }, { request, reply }) => {
    const { account } = requireSession(await authentication.authenticate(request, reply));
    return findNotifications(db, account.id, after);
  });

  mount(app, 'POST /api/notifications/read', async ({ body: { ids } }, { request, reply }) => {
    const { account } = requireSession(await authentication.authenticate(request, reply));
    let query = db
      .updateTable('notifications')
      .set({ read_at: sql<Date>`now()` })
      .where('account_id', '=', account.id)
      .where('read_at', 'is', null);
    if (ids) query = query.where('id', '=', sql<string>`any(${ids}::uuid[])`);
    await query.execute();
  });

  mountEvents(app, shutdown.signal, 'GET /api/notifications/stream', async ({ request }) => {
    // Not `find`: it prolongs a session with a cookie, and this answer sets none.
    const { account } = requireSession(await authentication.authenticateAgain(request));
    if (notificationChanges.countOf(account.id) >= maxStreamsPerAccount)
      throw new ProblemError('auth/too-many-requests', { retryAfter: 60, limit: 'streamsByAccount' });
    return ({ send, end }) => {
      const tell = coalesceRuns(async () => {
        const principal = await authentication.authenticateAgain(request);
        if (principal) send({ unread: principal.user.unread });
        else end();
      }, end);
      const stop = notificationChanges.subscribe(account.id, tell);
      tell();
      return stop;
    };
  });

  mount(app, 'GET /api/notifications/choices', async (_, { request, reply }) => {
    const { account } = requireSession(await authentication.authenticate(request, reply));
    return findNotificationChoices(db, account.id);
  });
  mount(app, 'PUT /api/notifications/choices', async ({ body }, { request, reply }) => {
    const { account } = requireSession(await authentication.authenticate(request, reply));
    const muted = optionalKinds.filter((kind) => body[kind] === false);
    const chosen = optionalKinds.filter((kind) => body[kind] !== undefined);
    // In one statement, so that two pages that change different kinds at the same time both succeed.
    await db
      .updateTable('accounts')
      .set({
        muted_kinds: sql<OptionalKind[]>`array(
          select unnest(muted_kinds) except select unnest(${chosen}::text[]) union select unnest(${muted}::text[]))`,
      })
      .where('id', '=', account.id)
      .execute();
  });
}

/** Runs `work` one at a time; whatever asks for it meanwhile gets one more run together. */
function coalesceRuns(work: () => Promise<void>, onFailure: () => void): () => void {
  let isRunning = false;
  let isWanted = false;
  const run = async () => {
    isRunning = true;
    do {
      isWanted = false;
      await work();
    } while (isWanted);
    isRunning = false;
  };
  return () => {
    if (isRunning) isWanted = true;
    // The browser comes back by itself, and is told the number then.
    else run().catch(onFailure);
  };
}
