import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { now } from '#server/db/client.ts';
import { type OptionalNotificationKind, optionalNotificationKinds } from '#contract/notifications.ts';
import type { Context } from '#server/domain/context.ts';
import { toListingAudience } from '#server/domain/people/visibility.ts';
import { mount, mountEvents } from '#server/domain/api/mount.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { findNotificationChoices, findNotifications } from './queries.ts';

/** Maximum number of open event streams of an account per process. Only visible tabs open a stream. */
const maxStreamsPerAccount = 10;

export function notificationRoutes(
  app: FastifyInstance,
  { db, authentication, notificationChanges, shutdown }: Context,
): void {
  app.addHook('onClose', () => notificationChanges.close());

  mount(app, 'GET /api/notifications', async ({ query: { after } }, { session }) =>
    findNotifications(db, { accountId: session.account.id, audience: toListingAudience(session.account) }, after),
  );

  mount(app, 'POST /api/notifications/read', async ({ body: { ids } }, { session: { account } }) => {
    let query = db
      .updateTable('notifications')
      .set({ read_at: now })
      .where('account_id', '=', account.id)
      .where('read_at', 'is', null);
    if (ids) query = query.where('id', '=', sql<string>`any(${ids}::uuid[])`);
    await query.execute();
  });

  mountEvents(app, shutdown.signal, 'GET /api/notifications/stream', async ({ session: { account }, request }) => {
    if (notificationChanges.countOf(account.id) >= maxStreamsPerAccount)
      throw new ProblemError('auth/too-many-requests', { retryAfter: 60, limit: 'streamsByAccount' });
    return ({ send, end }) => {
      const sendUnread = coalesceRuns(async () => {
        const principal = await authentication.authenticateAgain(request);
        if (principal) send({ unread: principal.user.unread });
        else end();
      }, end);
      const unsubscribe = notificationChanges.subscribe(account.id, sendUnread);
      sendUnread();
      return unsubscribe;
    };
  });

  mount(app, 'GET /api/notifications/choices', async (_, { session }) =>
    findNotificationChoices(db, session.account.id),
  );
  mount(app, 'PUT /api/notifications/choices', async ({ body }, { session: { account } }) => {
    const muted = optionalNotificationKinds.filter((kind) => body[kind] === false);
    const chosen = optionalNotificationKinds.filter((kind) => body[kind] !== undefined);
    // One statement, so that concurrent changes of different kinds do not overwrite each other.
    await db
      .updateTable('accounts')
      .set({
        muted_kinds: sql<OptionalNotificationKind[]>`array(
          select unnest(muted_kinds) except select unnest(${chosen}::text[]) union select unnest(${muted}::text[]))`,
      })
      .where('id', '=', account.id)
      .execute();
  });
}

/** Any number of calls during a run trigger one further run. */
function coalesceRuns(work: () => Promise<void>, onFailure: () => void): () => void {
  let isRunning = false;
  let isRequested = false;
  const run = async () => {
    isRunning = true;
    do {
      isRequested = false;
      await work();
    } while (isRequested);
    isRunning = false;
  };
  return () => {
    if (isRunning) isRequested = true;
    // After a failure, the browser reconnects by itself and receives the current number.
    else run().catch(onFailure);
  };
}
