import { sql } from 'kysely';
import * as z from 'zod/mini';
import type { MembershipStatus } from '#contract/membership.ts';
import { type Db, now } from '#server/db/client.ts';
import { defineJob } from '#server/platform/jobs/define-job.ts';
import { endChanges, endIdentity } from './confirmed-identity.ts';
import { queueDepartmentDigest } from '../people/department-digest.ts';
import { findPerson, pauseListings, resumeListings } from '../people/people.ts';
import { findPictures } from '../people/pictures.ts';
import { lockAccount } from '../accounts/sessions.ts';

/*
 * Whether accounts must be confirmed, and which are. Each change of what an account counts as adds or removes its
 * listings in the same transaction (decision 60).
 */

/**
 * Whether the archive requires confirmation. The mode in effect is in the database, so that all processes and commands
 * agree on it.
 */
export async function requiresConfirmation(db: Db): Promise<boolean> {
  const { mode } = await db.selectFrom('membership_mode').select('mode').executeTakeFirstOrThrow();
  return mode === 'confirmed';
}

export async function findMembershipStatus(db: Db, accountId: string): Promise<MembershipStatus> {
  const { status } = await db
    .selectFrom('accounts')
    .select('membership_status as status')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  return status;
}

/**
 * Changes where the membership of an account stands. Every confirmation and every withdrawal passes through here. Ends
 * the grace period unless the account has this status already. After the commit, call `listCache.clear()`.
 * @returns whether the status changed
 */
export const setMembershipStatus = (tx: Db, accountId: string, status: MembershipStatus): Promise<boolean> =>
  changeMembership(tx, accountId, async () => {
    const { numUpdatedRows } = await tx
      .updateTable('accounts')
      .set({
        membership_status: status,
        confirmed_at: status === 'confirmed' ? now : null,
        confirm_by: null,
      })
      .where('id', '=', accountId)
      .where('membership_status', '<>', status)
      .executeTakeFirst();
    if (status === 'unconfirmed' || status === 'rejected') {
      await endIdentity(tx, accountId);
      await endChanges(tx, sql<boolean>`account_id = ${accountId}`);
    }
    return numUpdatedRows > 0n;
  });

export const endGracePeriod = (tx: Db, accountId: string): Promise<boolean> =>
  changeMembership(tx, accountId, async () => {
    const { numUpdatedRows } = await tx
      .updateTable('accounts')
      .set({ confirm_by: null })
      .where('id', '=', accountId)
      .where('confirm_by', '<=', now)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  });

export const startGracePeriod = (tx: Db, accountId: string, until: Date): Promise<boolean> =>
  changeMembership(tx, accountId, async () => {
    const { numUpdatedRows } = await tx
      .updateTable('accounts')
      .set({ confirm_by: until })
      .where('id', '=', accountId)
      .where('membership_status', '<>', 'confirmed')
      .where('confirm_by', 'is', null)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  });

async function changeMembership(tx: Db, accountId: string, write: () => Promise<boolean>): Promise<boolean> {
  if (!(await lockAccount(tx, accountId))) return false;
  const before = await findPerson(tx, accountId);
  if (!(await write())) return false;
  const after = await findPerson(tx, accountId);
  if (!before || !after || before.awaitsConfirmation === after.awaitsConfirmation) return true;
  if (after.awaitsConfirmation) {
    await pauseListings(tx, after, before);
    if ((await findPictures(tx, accountId)).length > 0) await withdrawPicturesJob.queue(tx, { accountId });
    return true;
  }
  await resumeListings(tx, accountId);
  await queueDepartmentDigest(tx, 'joined', after.department);
  return true;
}

/**
 * Gives all pictures of an account, or one photo, new URLs, because people who have seen them have the old ones. A job,
 * because files cannot change in a transaction. Its handler is in `features/profile/tasks.ts`.
 */
export const withdrawPicturesJob = defineJob(
  'profile:withdraw-pictures',
  z.object({ accountId: z.string(), photoId: z.optional(z.string()) }),
);
