import type { FastifyInstance } from 'fastify';
import { maxBlocksPerAccount } from '#contract/quotas.ts';
import { lockAccountOfSession } from '#server/domain/accounts/sessions.ts';
import type { Context } from '#server/domain/context.ts';
import { findPerson, updateListings } from '#server/domain/people/people.ts';
import { toListingAudience } from '#server/domain/people/visibility.ts';
import { mount } from '#server/domain/api/mount.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import {
  addBlock,
  countBlocked,
  findBlocked,
  findContactChoices,
  findMessages,
  findRelation,
  isRecipientEmailVisible,
  isSenderEmailVisible,
  canWrite,
  getOwnReach,
} from './queries.ts';
import { sendMessage } from './send-message.ts';

export function contactRoutes(app: FastifyInstance, context: Context): void {
  const { db, listCache } = context;

  mount(app, 'POST /api/users/{id}/messages', async ({ params, body }, { session }) =>
    sendMessage(context, session.account.id, params.id, body),
  );
  mount(app, 'GET /api/users/{id}/contact', async ({ params }, { session }) => {
    const { id } = session.account;
    const relation = await findRelation(db, id, params.id);
    if (!relation) throw new ProblemError('not-found');
    return {
      canWrite: id !== params.id && canWrite(relation),
      isBlocked: relation.hasSenderBlocked,
      ownReach: getOwnReach(relation),
      isOwnEmailShown: isSenderEmailVisible(relation),
      isTheirEmailShown: isRecipientEmailVisible(relation),
      lastWrittenAt: relation.lastWrittenAt,
    };
  });

  mount(app, 'GET /api/messages', async ({ query: { after } }, { session }) =>
    findMessages(db, session.account.id, toListingAudience(session.account), after),
  );

  mount(app, 'GET /api/contact/choices', async (_, { session }) => findContactChoices(db, session.account.id));
  mount(app, 'PUT /api/contact/choices', async ({ body: { takesMessages, takesAnnouncements } }, { session }) => {
    await db.transaction().execute(async (tx) => {
      const { id } = await lockAccountOfSession(tx, session);
      const before = await findPerson(tx, id);
      await tx
        .updateTable('accounts')
        .set((eb) => ({
          takes_messages: takesMessages ?? eb.ref('takes_messages'),
          takes_announcements: takesAnnouncements ?? eb.ref('takes_announcements'),
        }))
        .where('id', '=', id)
        .execute();
      if (before && takesMessages !== undefined) await updateListings(tx, { ...before, takesMessages }, before);
    });
    listCache.clear();
  });

  mount(app, 'GET /api/blocks', async (_, { session }) => ({
    people: await findBlocked(db, session.account.id, toListingAudience(session.account)),
  }));
  mount(app, 'PUT /api/blocks/{id}', async ({ params }, { session }) => {
    const { id } = session.account;
    if (id === params.id) throw new ProblemError('permission-denied', { detail: 'You cannot block yourself.' });
    if ((await countBlocked(db, id)) >= maxBlocksPerAccount)
      throw new ProblemError('permission-denied', {
        detail: `You can block at most ${maxBlocksPerAccount} people. Unblock someone first.`,
      });
    if (!(await addBlock(db, id, params.id))) throw new ProblemError('not-found');
  });
  mount(app, 'DELETE /api/blocks/{id}', async ({ params }, { session }) => {
    await db
      .deleteFrom('blocks')
      .where('account_id', '=', session.account.id)
      .where('blocked_id', '=', params.id)
      .execute();
  });
}
