import { type RawBuilder, sql } from 'kysely';
import type { DecisionOf, OutcomeOf } from '#contract/staff/review.ts';
import type { ItemState, AuditAction, ReviewKind, ReviewRight } from '#contract/staff/values.ts';
import type { StaffScope } from '#contract/staff/scope.ts';
import type { Db } from '#server/db/client.ts';
import type { Context } from '../context.ts';

/**
 * One kind of item in the review queue. The feature that owns the items exports it, and `server/app/staff.ts` lists all
 * of them, because features do not import each other. The table of the items needs the trigger `forget_review_item`.
 */
export interface Reviewable<out Kind extends ReviewKind = ReviewKind> {
  readonly kind: Kind;
  readonly right: ReviewRight;
  /** Whether `items` has the boolean column `isLater`: open items for which it is false come first, then the oldest. */
  readonly hasPriority?: boolean;
  /** Whether `items` has the columns `askedAt` and `answeredAt` of the last question to the person. */
  readonly hasQuestions?: boolean;
  /**
   * Another right, with which staff see only the items whose column `isSimple` is true, and decide them only with these
   * outcomes.
   */
  readonly simple?: { readonly right: ReviewRight; readonly outcomes: readonly OutcomeOf<Kind>[] };
  /** Whether `items` has the column `otherId`: the account of a second person whom an item is about. */
  readonly hasOtherPerson?: boolean;
  /**
   * Returns the query of all pending items, or of all that are decided, for use as a subquery. Its columns: `id` uuid,
   * `since` timestamptz, `accountId` uuid (the person it is about, or null), `name` text (that person, for the list),
   * `about` text (the matric number and the class, for the list: `aboutSql`), `reason` text (why it waits, a code), `version` text (changes with what staff see, for example a hash of it),
   * `isSimple` boolean if the kind has `simple`, and `college`, `department`, `year_graduated` for the scope
   * (`classScopeColumns`), fixed when the item opened. Of a decided item: `closedAt` timestamptz, `closedAs` text (a
   * code), `text` text (what the person read) and `closerId` uuid. Indexes on the columns of `since` and `id`, and of
   * `closedAt` and `id`, make pages fast.
   */
  readonly items: (state: ItemState) => RawBuilder<unknown>;
  /**
   * Returns whether a member of staff has proposed or reported the item, or supported it as a member. They read it, but
   * another person decides.
   */
  readonly isProposer?: (db: Db, id: string, accountId: string) => Promise<boolean>;
  /**
   * Returns the decision for an item that staff may decide together with others, without reading each. Null: they must
   * read it first.
   */
  readonly decideTogether?: (db: Db, id: string) => Promise<DecisionOf<Kind> | null>;
  /**
   * Returns whether everything that a decision affects besides the account of the item, such as a roster entry, is
   * within the scopes. Without it: the account only.
   */
  isDecisionInScope?(
    context: Context,
    db: Db,
    scopes: readonly StaffScope[],
    of: { readonly id: string; readonly decision: DecisionOf<Kind> },
  ): Promise<boolean>;
  /**
   * Carries out a decision, and records it in the audit log exactly once. The account that the item is about is locked.
   * @param tx a transaction
   * @returns null, or why the decision could not be carried out, as text for staff; then the transaction is rolled back
   */
  decide(
    context: Context,
    tx: Db,
    item: { readonly id: string; readonly decision: DecisionOf<Kind>; readonly decidedBy: string },
  ): Promise<string | null>;
  /**
   * Opens a decided item again, as a new item with the same content. Never changes what the decision has done. The
   * account that the item is about is locked.
   * @param tx a transaction. Rolled back after a refusal
   * @returns the id of the new item, or why the item cannot be reopened, as text for staff
   */
  readonly reopen: (context: Context, tx: Db, id: string) => Promise<Reopening>;
}

export type Reviewables = { readonly [Kind in ReviewKind]: Reviewable<Kind> };

export type Reopening = { readonly id: string } | { readonly refusal: string };

export const isClosed = (state: ItemState): RawBuilder<unknown> =>
  state === 'decided' ? sql`is not null` : sql`is null`;

/** SQL expression: a text such as "2011/CS/0417 · Computer Science 2015", without what is empty. */
export const aboutSql = (
  matricNumber: RawBuilder<unknown> | null,
  department: RawBuilder<unknown>,
  yearGraduated: RawBuilder<unknown>,
): RawBuilder<string> => sql`concat_ws(' · ', ${matricNumber === null ? sql`null` : sql`nullif(${matricNumber}, '')`},
  nullif(concat_ws(' ', nullif(${department}, ''), nullif(${yearGraduated}::text, '0')), ''))`;

/**
 * SQL expression: the account of the member of staff who decided an item, by the audit log.
 * @param id column with the id of the item
 */
export const deciderSql = (id: string, actions: readonly AuditAction[]): RawBuilder<string | null> => sql`
  (select r.actor from audit_records r where r.subject = ${sql.ref(id)}::text and r.action in (${sql.join(actions)}) order by r.id desc limit 1)`;
