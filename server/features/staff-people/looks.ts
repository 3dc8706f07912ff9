import type * as z from 'zod/mini';
import { sql } from 'kysely';
import type { Look, LookReason } from '#contract/staff/people.ts';
import { lookMinutes } from '#contract/staff/people-values.ts';
import type { Db } from '#server/db/client.ts';
import { recordStaffAction } from '#server/domain/staff/audit-log.ts';

/** Records it for the person and in the audit log. */
export async function recordLook(
  tx: Db,
  look: { readonly accountId: string; readonly staffId: string; readonly reason: LookReason; readonly text: string },
): Promise<void> {
  await tx
    .insertInto('staff_looks')
    .values({
      account_id: look.accountId,
      staff_id: look.staffId,
      reason: look.reason,
      text: look.text,
      until: sql<Date>`now() + make_interval(mins => ${lookMinutes})`,
    })
    .execute();
  await recordStaffAction(tx, {
    actor: look.staffId,
    action: 'person-viewed',
    subject: { kind: 'account', id: look.accountId },
    details: { reason: look.reason },
  });
}

/** Returns null if the member of staff does not see the hidden details of the person. */
export async function findOpenLook(db: Db, accountId: string, staffId: string): Promise<Date | null> {
  const row = await db
    .selectFrom('staff_looks')
    .select('until')
    .where('account_id', '=', accountId)
    .where('staff_id', '=', staffId)
    // A time far in the future was written while the clock was wrong.
    .where('until', '>', sql<Date>`now()`)
    .where('until', '<=', sql<Date>`now() + make_interval(mins => ${lookMinutes})`)
    .orderBy('until', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.until ?? null;
}

/** Returns the newest first, without who looked. */
export const findLooks = (db: Db, accountId: string): Promise<z.input<typeof Look>[]> =>
  db
    .selectFrom('staff_looks')
    .select(['looked_at as at', 'reason', 'text'])
    .where('account_id', '=', accountId)
    .orderBy('looked_at', 'desc')
    .orderBy('id')
    .execute();

export async function findExportCount(db: Db, accountId: string): Promise<{ count: number; lastAt: Date | null }> {
  const row = await db
    .selectFrom('export_counts')
    .select(['exports as count', 'last_at as lastAt'])
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row ?? { count: 0, lastAt: null };
}
