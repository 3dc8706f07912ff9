import type { FastifyInstance } from 'fastify';
import { maxBlocksPerAccount } from '#contract/quotas.ts';
import { isMemberPrincipal, requireMember, requireOnboarded } from '../../domain/authentication.ts';
import type { Context } from '../../domain/context.ts';
import { toListingAudience } from '../../domain/visibility.ts';
import { type Exchange, mount } from '../../platform/http/mount.ts';
import { ProblemError } from '../../platform/http/problem.ts';
import {
  addBlock,
  countBlocked,
  findBlocked,
  findContactChoices,
  findRelation,
  isSenderEmailVisible,
  canWrite,
  getOwnReach,
} from './queries.ts';
import { sendMessage } from './send-message.ts';

/** Adds the routes for messages between members, for turning messages off, and for blocks. */
export function contactRoutes(app: FastifyInstance, context: Context): void {
  const { db, authentication } = context;
  const memberId = async ({ request, reply }: Exchange) =>
    requireMember(await authentication.authenticate(request, reply)).account.id;
  /** For the user's own choices, which stay reachable without a confirmation. */
  const ownId = async ({ request, reply }: Exchange) =>
    requireOnboarded(await authentication.authenticate(request, reply)).account.id;

  mount(app, 'POST /api/users/{id}/messages', async ({ params, body }, exchange) =>
    sendMessage(context, await memberId(exchange), params.id, body),
  );
  mount(app, 'GET /api/users/{id}/contact', async ({ params }, exchange) => {
    const id = await memberId(exchange);
    const relation = await findRelation(db, id, params.id);
    if (!relation) throw new ProblemError('not-found');
    return {
      canWrite: id !== params.id && canWrite(relation),
      isBlocked: relation.hasSenderBlocked,
      ownReach: getOwnReach(relation),
      isOwnEmailShown: isSenderEmailVisible(relation),
    };
  });

  mount(app, 'GET /api/contact/choices', async (_, exchange) => findContactChoices(db, await ownId(exchange)));
  mount(app, 'PUT /api/contact/choices', async ({ body: { takesMessages, takesAnnouncements } }, exchange) => {
    await db
      .updateTable('accounts')
      .set((eb) => ({
        takes_messages: takesMessages ?? eb.ref('takes_messages'),
        takes_announcements: takesAnnouncements ?? eb.ref('takes_announcements'),
      }))
      .where('id', '=', await ownId(exchange))
      .execute();
  });

  mount(app, 'GET /api/blocks', async (_, { request, reply }) => {
    const session = requireOnboarded(await authentication.authenticate(request, reply));
    return { people: await findBlocked(db, session.account.id, toListingAudience(isMemberPrincipal(session))) };
  });
  mount(app, 'PUT /api/blocks/{id}', async ({ params }, exchange) => {
    const id = await memberId(exchange);
    if (id === params.id) throw new ProblemError('permission-denied', { detail: 'You cannot block yourself.' });
    if ((await countBlocked(db, id)) >= maxBlocksPerAccount)
      throw new ProblemError('permission-denied', {
        detail: `You can block at most ${maxBlocksPerAccount} people. Unblock someone first.`,
      });
    if (!(await addBlock(db, id, params.id))) throw new ProblemError('not-found');
  });
  mount(app, 'DELETE /api/blocks/{id}', async ({ params }, exchange) => {
    await db
      .deleteFrom('blocks')
      .where('account_id', '=', await ownId(exchange))
      .where('blocked_id', '=', params.id)
      .execute();
  });
}
