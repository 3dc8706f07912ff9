import { type RawBuilder, type SqlBool, sql } from 'kysely';
import * as z from 'zod/mini';
import { Id } from '#contract/fields.ts';
import type { Institution } from '#contract/institution.ts';
import type { ReviewCount, ReviewItem, ReviewOutcome, ReviewQueue } from '#contract/staff-review.ts';
import type { ReviewKind, StaffRight } from '#contract/staff-values.ts';
import type { StaffScope } from '#contract/staff.ts';
import type { Db } from '../../db/client.ts';
import { classScopeColumns } from '../../domain/staff/class-scope.ts';
import { type ScopeColumns, isInScope, isUnlimited } from '../../domain/staff/guard.ts';
import type { Reviewable } from '../../domain/staff/review.ts';
import { Microseconds, readCursor, writeCursor } from '../../platform/http/cursor.ts';

/** A kind of item that a member of staff may decide. */
export interface OwnKind {
  readonly reviewable: Reviewable;
  /** The parts of the institution in which they may decide all of them. */
  readonly scopes: readonly StaffScope[];
  /** The parts in which they may decide the simple ones. */
  readonly simpleScopes: readonly StaffScope[];
  /** The columns of an open item `x` by which it is in a scope. */
  readonly columns: ScopeColumns;
}

/** Returns what a member of staff may decide of a kind of item. Null: nothing. */
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

/** Returns whether a member of staff may decide an item in this way. */
export const canDecide = ({ reviewable }: OwnKind, { isSimpleOnly }: OpenItem, outcome: ReviewOutcome): boolean =>
  !isSimpleOnly || (reviewable.simple?.outcomes.includes(outcome) ?? false);

/** The member of staff who reads the queue. Without a kind, it is empty. */
export interface Reviewer {
  readonly accountId: string;
  readonly kinds: readonly OwnKind[];
}

/** An open item, with the account that it is about. */
export interface OpenItem extends ReviewItem {
  readonly accountId: string | null;
  /** Whether the member of staff sees it only because it is simple. */
  readonly isSimpleOnly: boolean;
}

/** Cursor: whether the last item of the page has no priority, when it was added, in microseconds, and its id. */
const PageKey = z.tuple([z.boolean(), Microseconds, Id]);

/** Returns one page of the queue, claims that agree with the roster first, then the oldest, with the number of waiting items. */
export async function findQueue(
  db: Db,
  { accountId, kinds }: Reviewer,
  {
    kind,
    after,
    limit,
  }: { readonly kind?: ReviewKind | undefined; readonly after?: string | undefined; readonly limit: number },
): Promise<ReviewQueue> {
  const wanted = kinds.filter(({ reviewable }) => kind === undefined || reviewable.kind === kind);
  const key = after === undefined ? null : readCursor(after, PageKey);
  const condition = key
    ? sql<SqlBool>`(x."isLater", x.since, x.id) > (${key[0]}::boolean, 'epoch'::timestamptz + ${key[1]}::bigint * interval '1 microsecond', ${key[2]}::uuid)`
    : sql<SqlBool>`true`;
  const found = wanted.length === 0 ? [] : await selectItems(db, { accountId, kinds: wanted }, condition, limit + 1);
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return {
    items: rows.map(({ item }) => item),
    next: found.length > limit && last ? writeCursor([last.isLater, last.at, last.item.id]) : null,
    counts: key ? [] : await countItems(db, kinds),
  };
}

/** Returns an open item in the scope of the member of staff, or null. */
export async function findItem(
  db: Db,
  { accountId, kinds }: Reviewer,
  kind: ReviewKind,
  id: string,
): Promise<OpenItem | null> {
  const wanted = kinds.filter(({ reviewable }) => reviewable.kind === kind);
  if (wanted.length === 0) return null;
  const [row] = await selectItems(db, { accountId, kinds: wanted }, sql<SqlBool>`x.id = ${id}::uuid`, 1);
  return row ? row.item : null;
}

/** Returns whether an item is about the member of staff. They could decide in their own favor, and read what others have reported or claimed. */
export async function isAboutReviewer(
  db: Db,
  { accountId, kinds }: Reviewer,
  { kind, id, accountId: about }: OpenItem,
): Promise<boolean> {
  const isAbout = kinds.find(({ reviewable }) => reviewable.kind === kind)?.reviewable.isAbout;
  return isAbout ? isAbout(db, id, accountId) : about === accountId;
}

/** SQL expression: the name of an account for other staff, by the alias of its table. The address, for an account without a profile. */
export const staffNameSql = (alias: string) =>
  sql<string>`coalesce(${sql.ref(`${alias}.display_name`)}, ${sql.ref(`${alias}.email`)})`;

interface ItemRow {
  kind: ReviewKind;
  id: string;
  isLater: boolean;
  since: Date;
  at: string;
  accountId: string | null;
  isSimpleOnly: boolean;
  name: string | null;
  reason: string;
  version: string;
  noteCount: number;
  holdBy: string | null;
  isHoldOwn: boolean;
  holdUntil: Date;
  decisionId: string | null;
  outcome: ReviewOutcome;
  decidedBy: string;
  isDecisionOwn: boolean;
  undoUntil: Date;
  failure: string | null;
}

/** Each kind is read in the order of its index up to the limit, so the cost of a page does not depend on the length of the queue. */
async function selectItems(
  db: Db,
  { accountId, kinds }: Reviewer,
  condition: RawBuilder<SqlBool>,
  limit: number,
): Promise<{ item: OpenItem; isLater: boolean; at: string }[]> {
  const { rows } = await sql<ItemRow>`
    select i.kind, i.id, i."isLater", i.since, (extract(epoch from i.since) * 1000000)::bigint::text as at, i.account_id as "accountId", i."isSimpleOnly", i.name, i.reason,
      i.version, (select count(*)::int from review_notes n where n.kind = i.kind and n.item_id = i.id) as "noteCount",
      ${staffNameSql('ha')} as "holdBy", h.account_id = ${accountId} as "isHoldOwn", h.expires_at as "holdUntil",
      d.id as "decisionId", d.decision ->> 'outcome' as outcome, ${staffNameSql('da')} as "decidedBy",
      d.decided_by = ${accountId} as "isDecisionOwn", d.undo_until as "undoUntil", d.failure
    from (${sql.join(
      kinds.map(
        (kind) => sql`(
          select ${sql.lit(kind.reviewable.kind)} as kind, x.id, x."isLater", x.since, x.account_id, x.name, x.reason, x.version,
            not ${isInScope(kind.scopes, kind.columns)} as "isSimpleOnly"
          from ${openItemsInScope(kind)} and ${condition}
          order by ${kind.reviewable.hasPriority ? sql`x."isLater", ` : sql``}x.since, x.id limit ${limit})`,
      ),
      sql` union all `,
    )}) as i
    left join (review_holds h join accounts ha on ha.id = h.account_id)
      on h.kind = i.kind and h.item_id = i.id and h.expires_at > now()
    left join (review_decisions d join accounts da on da.id = d.decided_by) on d.kind = i.kind and d.item_id = i.id
    order by i."isLater", i.since, i.id limit ${limit}`.execute(db);
  return rows.map((row) => ({ item: toItem(row), isLater: row.isLater, at: row.at }));
}

function openItemsInScope({ reviewable, scopes, simpleScopes, columns }: OwnKind) {
  const isSimple = simpleScopes.length > 0 ? sql`or (x."isSimple" and ${isInScope(simpleScopes, columns)})` : sql``;
  const items = reviewable.hasPriority
    ? reviewable.openItems()
    : sql`select o.*, true as "isLater" from (${reviewable.openItems()}) as o`;
  return sql`(${items}) as x where (${isInScope(scopes, columns)} ${isSimple})`;
}

const toItem = (row: ItemRow): OpenItem => ({
  kind: row.kind,
  id: row.id,
  since: row.since.toISOString(),
  accountId: row.accountId,
  isSimpleOnly: row.isSimpleOnly,
  name: row.name,
  reason: row.reason,
  version: row.version,
  noteCount: row.noteCount,
  hold: row.holdBy === null ? null : { by: row.holdBy, isOwn: row.isHoldOwn, until: row.holdUntil.toISOString() },
  decision:
    row.decisionId === null || row.failure !== null
      ? null
      : {
          id: row.isDecisionOwn ? row.decisionId : null,
          outcome: row.outcome,
          by: row.decidedBy,
          isOwn: row.isDecisionOwn,
          undoUntil: row.undoUntil.toISOString(),
        },
  failure: row.failure,
});

/** Most items that are counted for staff with a limited scope. The scope of each item is looked up, so that more would be slow. */
const maxCounted = 200;

/** Returns how much waits of each kind, and since when. Reads the decisions once: an anti-join reads them for each item. */
export async function countItems(db: Db, kinds: readonly OwnKind[]): Promise<ReviewCount[]> {
  const { rows } = await sql<{ kind: ReviewKind; waiting: number; oldest: Date | null }>`
    ${sql.join(
      kinds.map(
        (own) => sql`
          select ${sql.lit(own.reviewable.kind)} as kind, count(*)::int as waiting, min(since) as oldest
          from (
            select x.since from ${openItemsInScope(own)} and x.id not in (
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
    return { kind, waiting: hasMore ? maxCounted : waiting, hasMore, oldest: oldest?.toISOString() ?? null };
  });
}
