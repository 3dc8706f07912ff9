import { sql } from 'kysely';
import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { lockAccount } from '#server/domain/accounts/sessions.ts';
import { findScopes } from '#server/domain/staff/guard.ts';
import type { Reviewables } from '#server/domain/staff/review.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { checkDecision, queueCarryOut } from './decisions.ts';
import { toReviewer } from './queue.ts';

class NotCarriedOut extends Error {
  override readonly name: string = 'NotCarriedOut';
}

/**
 * Carries out a decision that was not undone, in one transaction with its record in the audit log. If that is
 * impossible, nothing changes, and the item returns to the queue with the reason. Does nothing if the item is no longer
 * open.
 */
export async function carryOutDecision(context: Context, reviewables: Reviewables, decisionId: string): Promise<void> {
  const { db, listCache } = context;
  try {
    await db.transaction().execute((tx) => carryOut(context, tx, reviewables, decisionId));
  } catch (error) {
    if (!(error instanceof NotCarriedOut)) throw error;
    await db
      .updateTable('review_decisions')
      .set({ failure: error.message })
      .where('id', '=', decisionId)
      .where('failure', 'is', null)
      .execute();
  }
  listCache.clear();
}

async function carryOut(context: Context, tx: Db, reviewables: Reviewables, decisionId: string): Promise<void> {
  const found = await tx
    .selectFrom('review_decisions')
    .select(['kind', 'item_id as id', 'decision', 'version', 'decided_by as decidedBy', 'about'])
    .select(sql<boolean>`undo_until > now()`.as('isEarly'))
    .where('id', '=', decisionId)
    .where('failure', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (!found) return;
  const { kind, id, decision, decidedBy, about } = found;
  // The clocks of the server and of the database can differ.
  if (found.isEarly) return queueCarryOut(tx, decisionId, 1);
  // Later changes by the person wait for this lock, so the version stays the one that staff saw.
  if (about !== null) await lockAccount(tx, about);
  const isOpen = await tx
    .selectFrom(sql<{ id: string }>`(${reviewables[kind].items('open')})`.as('x'))
    .select('x.id')
    .where('x.id', '=', id)
    .executeTakeFirst();
  if (isOpen) {
    const reviewer = toReviewer(context, reviewables, decidedBy, await findScopes(tx, decidedBy));
    const { reviewable } = await checkDecision(context, tx, reviewer, { kind, id }, found).catch(describeRefusal);
    const refusal = await reviewable.decide(context, tx, { id, decision, decidedBy });
    if (refusal !== null) throw new NotCarriedOut(refusal);
  }
  await tx.deleteFrom('review_decisions').where('id', '=', decisionId).execute();
  await sql`delete from review_leases where expires_at <= now() or (kind = ${kind} and item_id = ${id})`.execute(tx);
}

function describeRefusal(error: unknown): never {
  if (!(error instanceof ProblemError)) throw error;
  throw new NotCarriedOut(
    error.code === 'review/changed'
      ? 'The item changed after the decision. Read it again, then decide.'
      : 'The person who decided has lost the right to decide, or what was chosen is no longer available. Decide again.',
  );
}
