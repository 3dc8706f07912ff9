import type * as z from 'zod/mini';
import { sql } from 'kysely';
import type { ReviewLease } from '#contract/staff/review.ts';
import { type ReviewKind, leaseMinutes } from '#contract/staff/values.ts';
import type { Db } from '#server/db/client.ts';
import { staffNameSql } from './queue.ts';

export interface ItemKey {
  readonly kind: ReviewKind;
  readonly id: string;
}

/**
 * Leases an item for a member of staff, unless another member of staff has it.
 * @param takesOver whether to end the lease of another member of staff
 * @returns the lease of the item, which may belong to the other member of staff
 */
export async function leaseItem(
  db: Db,
  { kind, id }: ItemKey,
  accountId: string,
  takesOver: boolean,
): Promise<z.input<typeof ReviewLease>> {
  const { rows } = await sql<{ isOwn: boolean; by: string; until: Date }>`
    with leased as (
      insert into review_leases as h (kind, item_id, account_id, expires_at)
      values (${kind}, ${id}, ${accountId}, now() + make_interval(mins => ${leaseMinutes}))
      on conflict (kind, item_id) do update set
        account_id = case when ${canTake(accountId, takesOver)} then excluded.account_id else h.account_id end,
        expires_at = case when ${canTake(accountId, takesOver)} then excluded.expires_at else h.expires_at end
      returning account_id, expires_at
    )
    select leased.account_id = ${accountId} as "isOwn", ${staffNameSql('a')} as by, leased.expires_at as until
    from leased join accounts a on a.id = leased.account_id`.execute(db);
  const [lease] = rows;
  if (!lease) throw new Error('The lease was not stored.');
  return lease;
}

const canTake = (accountId: string, takesOver: boolean) =>
  sql`(${takesOver} or h.account_id = ${accountId} or h.expires_at <= now())`;

export async function endLease(db: Db, { kind, id }: ItemKey, accountId: string): Promise<void> {
  await db
    .deleteFrom('review_leases')
    .where('kind', '=', kind)
    .where('item_id', '=', id)
    .where('account_id', '=', accountId)
    .execute();
}
