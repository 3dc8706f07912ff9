import type { FastifyInstance } from 'fastify';
import { requireRecentSignIn } from '../../domain/authentication.ts';
import type { Context } from '../../domain/context.ts';
import { countStaffAct } from '../../domain/staff/act-limits.ts';
import { recordStaffRead } from '../../domain/staff/audit-log.ts';
import { requireStaffOfAny } from '../../domain/staff/guard.ts';
import type { Reviewable, Reviewables } from '../../domain/staff/review.ts';
import { type Exchange, mount } from '../../platform/http/mount.ts';
import { ProblemError } from '../../platform/http/problem.ts';
import { decideItem, decideTogether, undoDecision } from './decisions.ts';
import { type ItemKey, endHold, holdItem } from './holds.ts';
import { addNote, findNotes } from './notes.ts';
import { type FoundItem, type Reviewer, findItem, findQueue, isAboutReviewer, toReviewer } from './queue.ts';
import { reopenItem } from './reopen.ts';

/** Adds the routes of the review queue. @param reviewables all kinds of items */
export function reviewRoutes(app: FastifyInstance, context: Context, reviewables: Reviewables): void {
  const { db, authentication } = context;
  const rights = [
    ...new Set(
      Object.values<Reviewable>(reviewables).flatMap(({ right, simple }) => (simple ? [right, simple.right] : [right])),
    ),
  ];

  /** Returns the caller with the kinds of items that they may decide. @throws ProblemError as `requireStaff` does */
  const requireReviewer = async ({ request, reply }: Exchange): Promise<Reviewer> => {
    const { accountId, scopesOf } = await requireStaffOfAny(
      db,
      await authentication.authenticate(request, reply),
      rights,
    );
    return toReviewer(context, reviewables, accountId, (right) => scopesOf.get(right) ?? []);
  };
  const requireItem = async (reviewer: Reviewer, key: ItemKey): Promise<FoundItem> => {
    const item = await findItem(db, reviewer, key);
    if (!item) throw new ProblemError('not-found');
    return item;
  };

  mount(app, 'GET /api/staff/queue', async ({ query }, exchange) =>
    findQueue(db, await requireReviewer(exchange), query),
  );
  mount(app, 'GET /api/staff/queue/{kind}/{id}', async ({ params }, exchange) => {
    const reviewer = await requireReviewer(exchange);
    const item = (await findItem(db, reviewer, params)) ?? (await findItem(db, reviewer, params, 'decided'));
    if (!item) throw new ProblemError('not-found');
    const { kind, id } = item;
    await recordStaffRead(db, { actor: reviewer.accountId, action: `${kind}-read`, subject: { kind, id } });
    const notes = isAboutReviewer(reviewer, item) ? [] : await findNotes(db, params, reviewer.accountId);
    return { item, notes };
  });
  mount(app, 'PUT /api/staff/queue/{kind}/{id}/hold', async ({ params, body: { takeOver = false } }, exchange) => {
    const reviewer = await requireReviewer(exchange);
    const { decision } = await requireItem(reviewer, params);
    if (decision) throw new ProblemError('review/decided');
    return holdItem(db, params, reviewer.accountId, takeOver);
  });
  mount(app, 'DELETE /api/staff/queue/{kind}/{id}/hold', async ({ params }, exchange) => {
    const { accountId } = await requireReviewer(exchange);
    await endHold(db, params, accountId);
  });
  mount(app, 'POST /api/staff/queue/{kind}/{id}/notes', async ({ params, body: { text } }, exchange) => {
    const reviewer = await requireReviewer(exchange);
    const item = await requireItem(reviewer, params);
    if (isAboutReviewer(reviewer, item))
      throw new ProblemError('permission-denied', { detail: 'This item is about you, so you see no notes.' });
    await context.limiter.requireAttempt(db, 'reviewNotesByAccount', reviewer.accountId);
    return addNote(db, { ...params, about: item.accountId, authorId: reviewer.accountId, text });
  });
  mount(app, 'POST /api/staff/queue/{kind}/{id}/decision', async ({ params, body }, exchange) => {
    const reviewer = await requireReviewer(exchange);
    return db.transaction().execute((tx) => decideItem(context, tx, reviewer, params, body));
  });
  mount(app, 'POST /api/staff/queue/{kind}/{id}/reopen', async ({ params, body: { reason } }, exchange) => {
    const reviewer = await requireReviewer(exchange);
    await countStaffAct(context, reviewer);
    return { id: await db.transaction().execute((tx) => reopenItem(context, tx, reviewer, params, reason)) };
  });
  mount(app, 'POST /api/staff/queue/claims/confirm', async ({ body: { items } }, exchange) => {
    const reviewer = await requireReviewer(exchange);
    requireRecentSignIn(await authentication.authenticate(exchange.request, exchange.reply));
    return { decided: await decideTogether(context, reviewer, 'claim', items) };
  });
  mount(app, 'DELETE /api/staff/decisions/{id}', async ({ params: { id } }, exchange) => {
    const { accountId } = await requireReviewer(exchange);
    await undoDecision(db, id, accountId);
  });
}
