import type { RawBuilder } from 'kysely';
import type { ReviewDecision, ReviewOutcome } from '#contract/staff-review.ts';
import type { ReviewKind, StaffRight } from '#contract/staff-values.ts';
import type { StaffScope } from '#contract/staff.ts';
import type { Db } from '../../db/client.ts';
import type { Context } from '../context.ts';

/**
 * One kind of item in the review queue. The feature that owns the items exports it, and `server/staff.ts` lists all of them, because features do
 * not import each other. The table of the items needs the trigger `forget_review_item` (migration 034).
 */
export interface Reviewable {
  readonly kind: ReviewKind;
  /** Staff with this right see the items and decide them. */
  readonly right: StaffRight;
  /** Whether `openItems` has the boolean column `isLater`: items for which it is false come first, then the oldest. */
  readonly hasPriority?: boolean;
  /** Another right, with which staff see only the items whose column `isSimple` is true, and decide them only with these outcomes. */
  readonly simple?: { readonly right: StaffRight; readonly outcomes: readonly ReviewOutcome[] };
  /**
   * Returns the query of all open items, for use as a subquery. Its columns: `id` uuid, `since` timestamptz, `account_id` uuid (the person it is
   * about, or null), `name` text (that person, for the list), `reason` text (why it waits, a code), `version` text (changes with what staff see, for example a hash of it),
   * `isSimple` boolean if the kind has `simple`, and `college`, `department`, `year_graduated` for the scope (`classScopeColumns`), fixed when the item opened. An index on the columns of `since` and `id` makes pages fast.
   */
  readonly openItems: () => RawBuilder<unknown>;
  /**
   * Returns whether an item is about a member of staff, who then neither reads its notes nor decides it. Default: whether they are the person in
   * `account_id`.
   */
  readonly isAbout?: (db: Db, id: string, accountId: string) => Promise<boolean>;
  /** Returns whether a member of staff has proposed or reported the item, or supported it as a member. They read it, but another person decides. */
  readonly isProposer?: (db: Db, id: string, accountId: string) => Promise<boolean>;
  /** Returns the decision for an item that staff may decide together with others, without reading each. Null: they must read it first. */
  readonly decideTogether?: (db: Db, id: string) => Promise<ReviewDecision | null>;
  /** Returns whether everything that a decision affects besides the account of the item, such as a roster entry, is within the scopes. Without it: the account only. */
  readonly isDecisionInScope?: (
    context: Context,
    db: Db,
    scopes: readonly StaffScope[],
    of: { readonly id: string; readonly decision: ReviewDecision },
  ) => Promise<boolean>;
  /**
   * Carries out a decision, and records it in the audit log exactly once. The account that the item is about is locked.
   * @param tx a transaction
   * @returns null, or why the decision could not be carried out, as text for staff; then the transaction is rolled back
   */
  readonly decide: (
    context: Context,
    tx: Db,
    item: { readonly id: string; readonly decision: ReviewDecision; readonly decidedBy: string },
  ) => Promise<string | null>;
}
