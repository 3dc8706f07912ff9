import type { User } from '#contract/identity.ts';
import { isUniqueViolation } from '../../db/errors.ts';
import { isAddressTaken } from '../../domain/accounts.ts';
import type { Context } from '../../domain/context.ts';
import type { Session } from '../../domain/sessions.ts';
import { requireAttempt } from '../../platform/limits.ts';
import { ProblemError } from '../../platform/problem.ts';
import { changeEmailMailJob, verificationMailJob } from './jobs.ts';

/**
 * Changes the address. One that has never been verified is replaced at once: it may belong to a stranger, and every link
 * that was mailed there dies. A verified one stays until the new one has proved itself (identity rule 4).
 * @param email canonical
 * @throws ProblemError auth/email-already-in-use, auth/too-many-requests
 */
export async function changeEmail(
  { db }: Context,
  { account, user }: Session,
  email: string,
): Promise<{ pending: boolean; user: User }> {
  await requireAttempt(db, 'changeEmailByAccount', account.id);
  if (email === account.email) {
    throw new ProblemError('validation-failed', {
      errors: [{ pointer: '/email', message: 'This is your address already' }],
    });
  }
  if (await isAddressTaken(db, email, account.id)) throw new ProblemError('auth/email-already-in-use');

  if (account.emailVerified) {
    await db.transaction().execute(async (tx) => {
      await tx.updateTable('accounts').set({ pending_email: email }).where('id', '=', account.id).execute();
      await changeEmailMailJob.queue(tx, { accountId: account.id, email });
    });
    return { pending: true, user };
  }
  await db
    .transaction()
    .execute(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('accounts')
        .set({ email })
        .where('id', '=', account.id)
        .where('email_verified', '=', false)
        .executeTakeFirst();
      // Verified in this very moment, from another window: then the other way must be gone.
      if (numUpdatedRows === 0n) throw new ProblemError('auth/requires-recent-login');
      await tx.deleteFrom('action_codes').where('account_id', '=', account.id).execute();
      await verificationMailJob.queue(tx, { accountId: account.id, email });
    })
    .catch((error: unknown) => {
      throw isUniqueViolation(error) ? new ProblemError('auth/email-already-in-use') : error;
    });
  return { pending: false, user: { ...user, email } };
}
