import type { FastifyInstance } from 'fastify';
import type { Context } from '#server/domain/context.ts';
import { countStaffAction } from '#server/domain/staff/action-limits.ts';
import { recordStaffRead } from '#server/domain/staff/audit-log.ts';
import type { StaffOfAny } from '#server/domain/staff/guard.ts';
import type { Reviewables } from '#server/domain/staff/review.ts';
import { mount } from '#server/domain/api/mount.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { decideItem, decideTogether, undoDecision } from './decisions.ts';
import { type ItemKey, endLease, leaseItem } from './leases.ts';
import { addNote, findNotes } from './notes.ts';
import { type FoundItem, type Reviewer, findItem, findQueue, isAboutReviewer, toReviewer } from './queue.ts';
import { reopenItem } from './reopen.ts';

export function reviewRoutes(app: FastifyInstance, context: Context, reviewables: Reviewables): void {
  const { db } = context;

  const reviewerOf = ({ accountId, scopesOf }: StaffOfAny): Reviewer =>
    toReviewer(context, reviewables, accountId, (right) => scopesOf.get(right) ?? []);
  const requireItem = async (reviewer: Reviewer, key: ItemKey): Promise<FoundItem> => {
    const item = await findItem(db, reviewer, key);
    if (!item) throw new ProblemError('not-found');
    return item;
  };

  mount(app, 'GET /api/staff/queue', async ({ query }, { staff }) => findQueue(db, reviewerOf(staff), query));
  mount(app, 'GET /api/staff/queue/{kind}/{id}', async ({ params }, { staff }) => {
    const reviewer = reviewerOf(staff);
    const item = (await findItem(db, reviewer, params)) ?? (await findItem(db, reviewer, params, 'decided'));
    if (!item) throw new ProblemError('not-found');
    const { kind, id } = item;
    await recordStaffRead(db, { actor: reviewer.accountId, action: `${kind}-read`, subject: { kind, id } });
    const notes = isAboutReviewer(reviewer, item) ? [] : await findNotes(db, params, reviewer.accountId);
    return { item, notes };
  });
  mount(app, 'PUT /api/staff/queue/{kind}/{id}/lease', async ({ params, body: { takeOver = false } }, { staff }) => {
    const reviewer = reviewerOf(staff);
    const { decision } = await requireItem(reviewer, params);
    if (decision) throw new ProblemError('review/decided');
    return leaseItem(db, params, reviewer.accountId, takeOver);
  });
  mount(app, 'DELETE /api/staff/queue/{kind}/{id}/lease', async ({ params }, { staff }) => {
    await endLease(db, params, staff.accountId);
  });
  mount(app, 'POST /api/staff/queue/{kind}/{id}/notes', async ({ params, body: { text } }, { staff }) => {
    const reviewer = reviewerOf(staff);
    const item = await requireItem(reviewer, params);
    if (isAboutReviewer(reviewer, item))
      throw new ProblemError('permission-denied', { detail: 'This item is about you, so you see no notes.' });
    await context.limiter.requireAttempt(db, 'reviewNotesByAccount', reviewer.accountId);
    return addNote(db, { ...params, about: item.accountId, authorId: reviewer.accountId, text });
  });
  mount(app, 'POST /api/staff/queue/{kind}/{id}/decision', async ({ params, body }, { staff }) => {
    const reviewer = reviewerOf(staff);
    return db.transaction().execute((tx) => decideItem(context, tx, reviewer, params, body));
  });
  mount(app, 'POST /api/staff/queue/{kind}/{id}/reopen', async ({ params, body: { reason } }, { staff }) => {
    const reviewer = reviewerOf(staff);
    await countStaffAction(context, reviewer);
    return { id: await db.transaction().execute((tx) => reopenItem(context, tx, reviewer, params, reason)) };
  });
  mount(app, 'POST /api/staff/queue/claims/confirm', async ({ body: { items } }, { staff }) => {
    const reviewer = reviewerOf(staff);
    return { decided: await decideTogether(context, reviewer, 'claim', items) };
  });
  mount(app, 'DELETE /api/staff/decisions/{id}', async ({ params: { id } }, { staff }) => {
    await undoDecision(db, id, staff.accountId);
  });
}
