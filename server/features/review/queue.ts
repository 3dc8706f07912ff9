import { type RawBuilder, type SqlBool, sql } from 'kysely';
import * as z from 'zod/mini';
import { Id } from '#contract/fields.ts';
import type { Institution } from '#contract/institution.ts';
import type { ReviewCount, ReviewItem, ReviewOutcome, ReviewQueue } from '#contract/staff/review.ts';
import type { ItemState, ReviewKind, StaffRight } from '#contract/staff/values.ts';
import type { StaffScope } from '#contract/staff/scope.ts';
import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { classScopeColumns } from '#server/domain/staff/class-scope.ts';
import { type ScopeColumns, isInScope, isUnlimited } from '#server/domain/staff/guard.ts';
import type { Reviewable, Reviewables } from '#server/domain/staff/review.ts';
import { toWordQuery } from '#server/domain/search/word-query.ts';
import { cutPage, Microseconds, readCursor, timeOf, toMicroseconds } from '#server/platform/http/cursor.ts';
import { ProblemError } from '#server/platform/http/problem.ts';

interface OwnKind {
  readonly reviewable: Reviewable;
  readonly scopes: readonly StaffScope[];
  /** The parts in which they may decide the simple ones. */
  readonly simpleScopes: readonly StaffScope[];
  readonly columns: ScopeColumns;
}

export const toReviewer = (
  { institution }: Pick<Context, 'institution'>,
  reviewables: Reviewables,
  accountId: string,
  scopesOf: (right: StaffRight) => readonly StaffScope[],
): Reviewer => ({
  accountId,
  kinds: Object.values<Reviewable>(reviewables).flatMap((one) => toOwnKind(institution, one, scopesOf) ?? []),
});

export function toOwnKind(
  institution: Pick<Institution, 'colleges'>,
  reviewable: Reviewable,
  scopesOf: (right: StaffRight) => readonly StaffScope[],
): OwnKind | null {
  const scopes = scopesOf(reviewable.right);
  const simpleScopes = reviewable.simple ? scopesOf(reviewable.simple.right) : [];
  return scopes.length + simpleScopes.length === 0
    ? null
    : { reviewable, scopes, simpleScopes, columns: classScopeColumns(institution, 'x') };
}

export interface Reviewer {
  readonly accountId: string;
  readonly kinds: readonly OwnKind[];
}

export interface FoundItem extends z.input<typeof ReviewItem> {
  readonly accountId: string | null;
  readonly otherId: string | null;
  readonly isSimpleOnly: boolean;
}

/** Cursor of the last item: whether it has no priority, when it was added or decided (microseconds), and its id. */
const PageKey = z.tuple([z.boolean(), Microseconds, Id]);

interface QueueFilter {
  readonly state: ItemState;
  readonly person?: string | undefined;
  readonly kind?: ReviewKind | undefined;
  readonly name?: string | undefined;
  readonly department?: string | undefined;
  readonly hideAsked?: 'yes' | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

/**
 * Returns one page of pending items, claims that agree with the roster first, then the oldest; or of decided items, the
 * latest first. Includes the number of pending items.
 */
export async function findQueue(
  db: Db,
  { accountId, kinds }: Reviewer,
  { state, person, kind, name, department, hideAsked, after, limit }: QueueFilter,
): Promise<z.input<typeof ReviewQueue>> {
  const wanted = kinds.filter(({ reviewable }) => kind === undefined || reviewable.kind === kind);
  const key = after === undefined ? null : readCursor(after, PageKey);
  const where = (own: OwnKind) =>
    sql.join<SqlBool>(
      [
        key ? isAfterKey(state, key) : sql`true`,
        ...(person === undefined ? [] : [isAboutSql(own, person)]),
        ...(department === undefined ? [] : [sql`x.department = ${department}`]),
        ...(name === undefined ? [] : [isNamedSql(own, name)]),
        ...(hideAsked && own.reviewable.hasQuestions ? [sql`(x."askedAt" is null or x."answeredAt" is not null)`] : []),
      ],
      sql` and `,
    );
  const found =
    wanted.length === 0 ? [] : await selectItems(db, { accountId, kinds: wanted }, { state, where, limit: limit + 1 });
  const { rows: items, next } = cutPage(found, limit, ({ isLater, at, id }) => [isLater, at, id]);
  return { items, next, counts: key ? [] : await countItems(db, kinds) };
}

const isAfterKey = (state: ItemState, [isLater, at, id]: z.infer<typeof PageKey>) =>
  state === 'decided'
    ? sql`(x."closedAt", x.id) < (${timeOf(at)}, ${id}::uuid)`
    : sql`(x."isLater", x.since, x.id) > (${isLater}::boolean, ${timeOf(at)}, ${id}::uuid)`;

const isAboutSql = ({ reviewable }: OwnKind, person: string) =>
  reviewable.hasOtherPerson
    ? sql`${person}::uuid in (x."accountId", x."otherId")`
    : sql`x."accountId" = ${person}::uuid`;

/** The subquery is read once, by its index. Only entries of the roster without an account have their words computed. */
function isNamedSql({ reviewable }: OwnKind, name: string) {
  const query = toWordQuery(name);
  const people = sql`(select account_id from person_words where words @@ ${query}::tsquery)`;
  return sql`(x."accountId" in ${people} ${reviewable.hasOtherPerson ? sql`or x."otherId" in ${people}` : sql``}
    or (x."accountId" is null and people_words(x.name) @@ ${query}::tsquery))`;
}

export async function findItem(
  db: Db,
  { accountId, kinds }: Reviewer,
  { kind, id }: Pick<z.input<typeof ReviewItem>, 'kind' | 'id'>,
  state: ItemState = 'open',
): Promise<FoundItem | null> {
  const wanted = kinds.filter(({ reviewable }) => reviewable.kind === kind);
  if (wanted.length === 0) return null;
  const where = () => sql<SqlBool>`x.id = ${id}::uuid`;
  const [row] = await selectItems(db, { accountId, kinds: wanted }, { state, where, limit: 1 });
  return row ?? null;
}

/**
 * Returns whether an item is about the member of staff. They could decide in their own favor, and read what others have
 * reported or claimed.
 */
export const isAboutReviewer = ({ accountId }: Reviewer, item: FoundItem): boolean =>
  accountId === item.accountId || accountId === item.otherId;

/**
 * Returns the kind of an item that a member of staff wants to decide or reopen.
 * @throws ProblemError permission-denied if the item is about them, or they have proposed, reported or supported it
 */
export async function requireImpartial(db: Db, reviewer: Reviewer, item: FoundItem): Promise<OwnKind> {
  if (isAboutReviewer(reviewer, item))
    throw new ProblemError('permission-denied', {
      detail: 'This item is about you. Another member of staff must decide it.',
    });
  const own = reviewer.kinds.find(({ reviewable }) => reviewable.kind === item.kind);
  if (!own) throw new ProblemError('not-found');
  if (await own.reviewable.isProposer?.(db, item.id, reviewer.accountId))
    throw new ProblemError('permission-denied', {
      detail: 'You have proposed, reported or supported this item. Another member of staff must decide it.',
    });
  return own;
}

/** SQL for the name of an account, by the alias of its table. The address if the account has no profile. */
export const staffNameSql = (alias: string) =>
  sql<string>`coalesce(${sql.ref(`${alias}.display_name`)}, ${sql.ref(`${alias}.email`)})`;

interface ItemRow extends Omit<FoundItem, 'lease' | 'decision' | 'closed'> {
  isLater: boolean;
  at: string;
  leaseBy: string | null;
  isLeaseOwn: boolean;
  leaseUntil: Date;
  decisionId: string | null;
  outcome: ReviewOutcome;
  decidedBy: string;
  isDecisionOwn: boolean;
  undoUntil: Date;
  closedAt: Date | null;
  closedAs: string;
  closedBy: string | null;
  text: string;
  reopenedAs: string | null;
}

/** Reads each kind in the order of its index up to the limit, so a page costs the same for any number of items. */
async function selectItems(
  db: Db,
  { accountId, kinds }: Reviewer,
  { state, where, limit }: { state: ItemState; where: (own: OwnKind) => RawBuilder<SqlBool>; limit: number },
): Promise<(FoundItem & Pick<ItemRow, 'isLater' | 'at'>)[]> {
  const isDecided = state === 'decided';
  const closedColumns = isDecided
    ? sql`x."closedAt", x."closedAs", x.text, x."closerId"`
    : sql`null::timestamptz as "closedAt", null as "closedAs", '' as text, null::uuid as "closerId"`;
  const { rows } = await sql<ItemRow>`
    select i.*, ${sql.raw(toMicroseconds(isDecided ? 'i."closedAt"' : 'i.since'))} as at,
      (select count(*)::int from review_notes n where n.kind = i.kind and n.item_id = i.id) as "noteCount",
      ${staffNameSql('ha')} as "leaseBy", h.account_id = ${accountId} as "isLeaseOwn", h.expires_at as "leaseUntil",
      d.id as "decisionId", d.decision ->> 'outcome' as outcome, ${staffNameSql('da')} as "decidedBy",
      d.decided_by = ${accountId} as "isDecisionOwn", d.undo_until as "undoUntil", d.failure,
      (select ${staffNameSql('ca')} from accounts ca where ca.id = i."closerId") as "closedBy",
      (select reopened_as from review_reopenings o where o.kind = i.kind and o.item_id = i.id) as "reopenedAs",
      (select item_id from review_reopenings o where o.kind = i.kind and o.reopened_as = i.id) as "reopenedFrom"
    from (${sql.join(
      kinds.map(
        (own) => sql`(
          select ${sql.lit(own.reviewable.kind)} as kind, x.id, x."isLater", x.since, x."accountId",
            ${own.reviewable.hasOtherPerson ? sql`x."otherId"` : sql`null::uuid as "otherId"`}, x.name, x.about, x.reason, x.version,
            ${own.reviewable.hasQuestions ? sql`x."askedAt", x."answeredAt"` : sql`null::timestamptz as "askedAt", null::timestamptz as "answeredAt"`},
            ${closedColumns},
            not ${isInScope(own.scopes, own.columns)} as "isSimpleOnly"
          from ${itemsInScope(own, state)} and ${where(own)}
          order by ${isDecided ? sql`x."closedAt" desc, x.id desc` : own.reviewable.hasPriority ? sql`x."isLater", x.since, x.id` : sql`x.since, x.id`}
          limit ${limit})`,
      ),
      sql` union all `,
    )}) as i
    left join (review_leases h join accounts ha on ha.id = h.account_id)
      on h.kind = i.kind and h.item_id = i.id and h.expires_at > now()
    left join (review_decisions d join accounts da on da.id = d.decided_by) on d.kind = i.kind and d.item_id = i.id
    order by ${isDecided ? sql`i."closedAt" desc, i.id desc` : sql`i."isLater", i.since, i.id`} limit ${limit}`.execute(
    db,
  );
  return rows.map(toItem);
}

function itemsInScope({ reviewable, scopes, simpleScopes, columns }: OwnKind, state: ItemState) {
  const isSimple = simpleScopes.length > 0 ? sql`or (x."isSimple" and ${isInScope(simpleScopes, columns)})` : sql``;
  const items = reviewable.hasPriority
    ? reviewable.items(state)
    : sql`select o.*, true as "isLater" from (${reviewable.items(state)}) as o`;
  return sql`(${items}) as x where (${isInScope(scopes, columns)} ${isSimple})`;
}

const toItem = (row: ItemRow): FoundItem & Pick<ItemRow, 'isLater' | 'at'> => ({
  ...row,
  lease: row.leaseBy === null ? null : { by: row.leaseBy, isOwn: row.isLeaseOwn, until: row.leaseUntil },
  decision:
    row.decisionId === null || row.failure !== null
      ? null
      : {
          id: row.isDecisionOwn ? row.decisionId : null,
          outcome: row.outcome,
          by: row.decidedBy,
          isOwn: row.isDecisionOwn,
          undoUntil: row.undoUntil,
        },
  closed: row.closedAt && {
    at: row.closedAt,
    outcome: row.closedAs,
    by: row.closedBy,
    text: row.text,
    reopenedAs: row.reopenedAs,
  },
});

/**
 * Maximum number of items that are counted for staff with a limited scope. The scope of each item is looked up, so that
 * more would be slow.
 */
const maxCounted = 200;

/** Reads the decisions once: an anti-join would read them for each item. */
export async function countItems(db: Db, kinds: readonly OwnKind[]): Promise<z.input<typeof ReviewCount>[]> {
  const { rows } = await sql<{ kind: ReviewKind; waiting: number; oldest: Date | null }>`
    ${sql.join(
      kinds.map(
        (own) => sql`
          select ${sql.lit(own.reviewable.kind)} as kind, count(*)::int as waiting, min(since) as oldest
          from (
            select x.since from ${itemsInScope(own, 'open')} and x.id not in (
              select d.item_id from review_decisions d
              where d.kind = ${sql.lit(own.reviewable.kind)} and d.failure is null)
            ${own.scopes.some(isUnlimited) ? sql`` : sql`order by x.since, x.id limit ${maxCounted + 1}`}
          ) as counted`,
      ),
      sql` union all `,
    )}`.execute(db);
  const byKind = new Map(rows.map((row) => [row.kind, row]));
  return kinds.map(({ reviewable: { kind }, scopes }) => {
    const { waiting = 0, oldest = null } = byKind.get(kind) ?? {};
    const hasMore = waiting > maxCounted && !scopes.some(isUnlimited);
    return { kind, waiting: hasMore ? maxCounted : waiting, hasMore, oldest };
  });
}
