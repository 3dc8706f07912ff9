import { sql } from 'kysely';
import { type ReviewDecision, isDecisionOf } from '#contract/staff/review.ts';
import { undoSeconds } from '#contract/staff/values.ts';
import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import type { Reviewable } from '#server/domain/staff/review.ts';
import { ProblemError, invalidField } from '#server/platform/http/problem.ts';
import { type ItemKey, endLease } from './leases.ts';
import { carryOutDecisionJob } from './jobs.ts';
import { type FoundItem, type Reviewer, findItem, requireImpartial } from './queue.ts';

interface SeenDecision {
  readonly decision: ReviewDecision;
  readonly version: string;
}

/**
 * Checks a decision, when it is made and again when it is carried out.
 * @returns the item and its kind
 * @throws ProblemError not-found, permission-denied for an item about the reviewer, validation-failed, review/changed
 */
export async function checkDecision(
  context: Context,
  tx: Db,
  reviewer: Reviewer,
  { kind, id }: ItemKey,
  { decision, version }: SeenDecision,
): Promise<{ item: FoundItem; reviewable: Reviewable }> {
  const item = await findItem(tx, reviewer, { kind, id });
  if (!item) throw new ProblemError('not-found');
  const { reviewable, scopes } = await requireImpartial(tx, reviewer, item);
  if (!isDecisionOf(kind, decision))
    throw invalidField('/decision/outcome', 'This kind of item cannot have this outcome');
  if (item.isSimpleOnly && !reviewable.simple?.outcomes.includes(decision.outcome))
    throw new ProblemError('permission-denied', { detail: 'Your role does not allow this decision.' });
  if ((await reviewable.isDecisionInScope?.(context, tx, scopes, { id, decision })) === false)
    throw new ProblemError('not-found');
  if (item.version !== version) throw new ProblemError('review/changed');
  return { item, reviewable };
}

/** @throws ProblemError as `checkDecision`, and review/leased, review/decided */
export async function decideItem(
  context: Context,
  tx: Db,
  reviewer: Reviewer,
  { kind, id }: ItemKey,
  { decision, version }: SeenDecision,
): Promise<{ id: string; undoUntil: Date }> {
  const { item } = await checkDecision(context, tx, reviewer, { kind, id }, { decision, version });
  if (item.decision) throw new ProblemError('review/decided');
  if (item.lease && !item.lease.isOwn)
    throw new ProblemError('review/leased', {
      detail: `${item.lease.by} is reviewing this item. Take it over to decide.`,
    });
  const { rows } = await sql<{ id: string; undoUntil: Date }>`
    insert into review_decisions as d (kind, item_id, about, decision, version, decided_by, undo_until)
    values (${kind}, ${id}, ${item.accountId}, ${JSON.stringify(decision)}, ${version}, ${reviewer.accountId},
      now() + make_interval(secs => ${undoSeconds}))
    on conflict (kind, item_id) do update set (id, about, decision, version, decided_by, decided_at, undo_until, failure)
      = (excluded.id, excluded.about, excluded.decision, excluded.version, excluded.decided_by, excluded.decided_at, excluded.undo_until, null)
      where d.failure is not null
    returning d.id, d.undo_until as "undoUntil"`.execute(tx);
  const [stored] = rows;
  // Another member of staff has decided at the same moment.
  if (!stored) throw new ProblemError('review/decided');
  await endLease(tx, { kind, id }, reviewer.accountId);
  await queueCarryOut(tx, stored.id, undoSeconds);
  return { id: stored.id, undoUntil: stored.undoUntil };
}

/**
 * Stores one decision for each item that staff may decide together with others. The other items stay in the queue.
 * @returns the ids of the items that were decided
 */
export async function decideTogether(
  context: Context,
  reviewer: Reviewer,
  kind: ItemKey['kind'],
  items: readonly { readonly id: string; readonly version: string }[],
): Promise<string[]> {
  const reviewable = reviewer.kinds.find((own) => own.reviewable.kind === kind)?.reviewable;
  const decided: string[] = [];
  for (const { id, version } of items)
    try {
      await context.db.transaction().execute(async (tx) => {
        const decision = await reviewable?.decideTogether?.(tx, id);
        if (!decision) throw new ProblemError('review/changed');
        await decideItem(context, tx, reviewer, { kind, id }, { decision, version });
      });
      decided.push(id);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
    }
  return decided;
}

export const queueCarryOut = (db: Db, decisionId: string, delaySeconds: number): Promise<void> =>
  carryOutDecisionJob.queue(db, { decisionId }, { key: decisionId, delaySeconds });

/**
 * Deletes a decision of a member of staff that has not taken effect yet. Its job then does nothing.
 * @throws ProblemError not-found, review/decided after 30 seconds
 */
export async function undoDecision(db: Db, id: string, accountId: string): Promise<void> {
  const { rows } = await sql<{ isUndone: boolean }>`
    with undone as (
      delete from review_decisions
      where id = ${id} and decided_by = ${accountId} and failure is null and undo_until > now() returning id
    )
    select exists (select from undone) as "isUndone" from review_decisions
    where id = ${id} and decided_by = ${accountId}`.execute(db);
  const [decision] = rows;
  if (!decision) throw new ProblemError('not-found');
  if (!decision.isUndone)
    throw new ProblemError('review/decided', { detail: 'This decision has taken effect and cannot be undone.' });
}
