import type { RawBuilder } from 'kysely';
import type { ReviewDecision, ReviewKind } from '#contract/staff-review.ts';
import type { StaffRight } from '#contract/staff.ts';
import type { Db } from '../../db/client.ts';
import type { Context } from '../context.ts';

/**
 * One kind of item in the review queue. The feature that owns the items exports it, and `server/staff.ts` lists all of them, because features do
 * not import each other.
 */
export interface Reviewable {
  readonly kind: ReviewKind;
  /** Staff with this right see the items and decide them. */
  readonly right: StaffRight;
  /**
   * Returns the query of all open items, for use as a subquery. Its columns: `id` uuid, `since` timestamptz, `account_id` uuid (the person it is
   * about, or null), `name` text (that person, for the list), `reason` text (why it waits, a code), `version` text (changes with what staff see),
   * and `college`, `department`, `year_graduated` of the person for the scope.
   */
  readonly openItems: () => RawBuilder<unknown>;
  /**
   * Carries out a decision, and records it in the audit log exactly once.
   * @param tx a transaction
   * @returns null, or why the decision could not be carried out, as text for staff; then nothing was changed
   */
  readonly decide: (
    context: Context,
    tx: Db,
    item: { readonly id: string; readonly decision: ReviewDecision; readonly decidedBy: string },
  ) => Promise<string | null>;
}
