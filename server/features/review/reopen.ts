import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { lockAccount } from '#server/domain/accounts/sessions.ts';
import { recordStaffAction } from '#server/domain/staff/audit-log.ts';
import { refused } from '#server/domain/staff/refused.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import type { ItemKey } from './leases.ts';
import { addNote } from './notes.ts';
import { type Reviewer, findItem, requireImpartial } from './queue.ts';

/**
 * Opens a decided item again, as a new item with the reason as its first note.
 * @returns the id of the new item
 * @throws ProblemError not-found, permission-denied as for a decision, staff/refused if the item was reopened before or
 *   cannot be reopened
 */
export async function reopenItem(
  context: Context,
  tx: Db,
  reviewer: Reviewer,
  { kind, id }: ItemKey,
  reason: string,
): Promise<string> {
  const item = await findItem(tx, reviewer, { kind, id }, 'decided');
  if (!item) throw new ProblemError('not-found');
  const { reviewable } = await requireImpartial(tx, reviewer, item);
  const { accountId: about } = item;
  if (about !== null) await lockAccount(tx, about);
  const opened = await reviewable.reopen(context, tx, id);
  if ('refusal' in opened) throw refused(opened.refusal);
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('review_reopenings')
    .values({ kind, item_id: id, reopened_as: opened.id })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (!numInsertedOrUpdatedRows) throw refused('This item was reopened already. Reopen the later one instead.');
  await addNote(tx, { kind, id: opened.id, about, authorId: reviewer.accountId, text: reason });
  await recordStaffAction(tx, {
    actor: reviewer.accountId,
    action: `${kind}-reopened`,
    subject: { kind, id },
    details: { as: opened.id },
  });
  return opened.id;
}
