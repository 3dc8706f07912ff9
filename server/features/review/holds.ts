import type * as z from 'zod/mini';
import { sql } from 'kysely';
import type { ReviewHold } from '#contract/staff/review.ts';
import { type ReviewKind, holdMinutes } from '#contract/staff/values.ts';
import type { Db } from '#server/db/client.ts';
import { staffNameSql } from './queue.ts';

export interface ItemKey {
  readonly kind: ReviewKind;
  readonly id: string;
}

/**
 * Holds an item for a member of staff, unless another member of staff holds it.
 * @param takesOver whether to end the hold of another member of staff
 * @returns the hold of the item, which may belong to the other member of staff
 */
export async function holdItem(
  db: Db,
  { kind, id }: ItemKey,
  accountId: string,
  takesOver: boolean,
): Promise<z.input<typeof ReviewHold>> {
  const { rows } = await sql<{ isOwn: boolean; by: string; until: Date }>`
    with held as (
      insert into review_holds as h (kind, item_id, account_id, expires_at)
      values (${kind}, ${id}, ${accountId}, now() + make_interval(mins => ${holdMinutes}))
      on conflict (kind, item_id) do update set
        account_id = case when ${canTake(accountId, takesOver)} then excluded.account_id else h.account_id end,
        expires_at = case when ${canTake(accountId, takesOver)} then excluded.expires_at else h.expires_at end
      returning account_id, expires_at
    )
    select held.account_id = ${accountId} as "isOwn", ${staffNameSql('a')} as by, held.expires_at as until
    from held join accounts a on a.id = held.account_id`.execute(db);
  const [hold] = rows;
  if (!hold) throw new Error('The hold was not stored.');
  return hold;
}

const canTake = (accountId: string, takesOver: boolean) =>
  sql`(${takesOver} or h.account_id = ${accountId} or h.expires_at <= now())`;

export async function endHold(db: Db, { kind, id }: ItemKey, accountId: string): Promise<void> {
  await db
    .deleteFrom('review_holds')
    .where('kind', '=', kind)
    .where('item_id', '=', id)
    .where('account_id', '=', accountId)
    .execute();
}
