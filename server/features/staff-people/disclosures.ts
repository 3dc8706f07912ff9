import type * as z from 'zod/mini';
import { sql } from 'kysely';
import type { Disclosure, DisclosureReason } from '#contract/staff/people.ts';
import { disclosureMinutes } from '#contract/staff/people-values.ts';
import { type Db, now } from '#server/db/client.ts';
import { recordStaffAction } from '#server/domain/staff/audit-log.ts';

export async function recordDisclosure(
  tx: Db,
  disclosure: {
    readonly accountId: string;
    readonly staffId: string;
    readonly reason: DisclosureReason;
    readonly text: string;
  },
): Promise<void> {
  await tx
    .insertInto('disclosures')
    .values({
      account_id: disclosure.accountId,
      staff_id: disclosure.staffId,
      reason: disclosure.reason,
      text: disclosure.text,
      until: sql<Date>`now() + make_interval(mins => ${disclosureMinutes})`,
    })
    .execute();
  await recordStaffAction(tx, {
    actor: disclosure.staffId,
    action: 'person-viewed',
    subject: { kind: 'account', id: disclosure.accountId },
    details: { reason: disclosure.reason },
  });
}

export async function findOpenDisclosure(db: Db, accountId: string, staffId: string): Promise<Date | null> {
  const row = await db
    .selectFrom('disclosures')
    .select('until')
    .where('account_id', '=', accountId)
    .where('staff_id', '=', staffId)
    // A time far in the future was written while the clock was wrong.
    .where('until', '>', now)
    .where('until', '<=', sql<Date>`now() + make_interval(mins => ${disclosureMinutes})`)
    .orderBy('until', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.until ?? null;
}

/** Returns the newest first, without the members of staff. */
export const findDisclosures = (db: Db, accountId: string): Promise<z.input<typeof Disclosure>[]> =>
  db
    .selectFrom('disclosures')
    .select(['disclosed_at as at', 'reason', 'text'])
    .where('account_id', '=', accountId)
    .orderBy('disclosed_at', 'desc')
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
