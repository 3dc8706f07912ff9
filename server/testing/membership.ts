import { type EvidenceKind, assuranceOf } from '#contract/membership.ts';
import { endGracePeriods, requireConfirmation } from '../domain/membership-mode.ts';
import { setMembershipStatus } from '../domain/membership.ts';
import type { TestArchive, Visitor } from './archive.ts';

/** Switches the archive of a test to the mode `confirmed`. Existing accounts become unconfirmed, without a grace period. */
export async function enterConfirmedMode({ context: { db, listCache } }: TestArchive): Promise<void> {
  await requireConfirmation(db, 0);
  await endGracePeriods(db);
  listCache.clear();
}

/**
 * Confirms an account with one piece of evidence that refers to no roster entry.
 * @param more the kind of evidence, and how long ago the account was confirmed (a PostgreSQL interval, by default 0)
 */
export async function confirmMember(
  { context: { db, listCache }, pool }: TestArchive,
  { uid }: Pick<Visitor, 'uid'>,
  { kind = 'staff-review', age = '0 days' }: { readonly kind?: EvidenceKind; readonly age?: string } = {},
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await tx.insertInto('evidence').values({ account_id: uid, kind, assurance: assuranceOf[kind] }).execute();
    await setMembershipStatus(tx, uid, 'confirmed');
  });
  listCache.clear();
  await pool.query('update accounts set confirmed_at = confirmed_at - $2::interval where id = $1', [uid, age]);
  await pool.query('update evidence set created_at = created_at - $2::interval where account_id = $1', [uid, age]);
}
