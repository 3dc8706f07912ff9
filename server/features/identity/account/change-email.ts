import type { User } from '#contract/identity.ts';
import type { Db } from '#server/db/client.ts';
import { isUniqueViolation } from '#server/db/errors.ts';
import { isAddressTaken } from '#server/domain/accounts/accounts.ts';
import type { Context } from '#server/domain/context.ts';
import type { Limiter } from '#server/domain/rate-limit-rules.ts';
import { type LockedAccount, type Session, lockAccountOfSession } from '#server/domain/accounts/sessions.ts';
import type { Network } from '#server/platform/limits/networks.ts';
import { ProblemError, invalidField } from '#server/platform/http/problem.ts';
import { changeEmailMailJob, verificationMailJob } from '../jobs.ts';
import { countSignUpMail } from './sign-up-mails.ts';
import { toVerificationDeadline } from '../action-codes/verify-by.ts';

/**
 * Changes the email address. An unverified address may belong to another person, so it is replaced immediately, and all
 * links mailed to it stop working. A verified address stays until the new one is verified (identity rule 4).
 * @param email canonical
 * @param networks the networks of the visitor's IP address
 * @throws ProblemError auth/email-already-in-use, auth/too-many-requests, auth/unauthenticated
 */
export async function changeEmail(
  { db, limiter }: Context,
  session: Session,
  email: string,
  networks: readonly Network[],
): Promise<{ pending: boolean; user: User }> {
  await limiter.requireAttempt(db, 'changeEmailByAccount', session.account.id);
  return db
    .transaction()
    .execute(async (tx) => {
      const account = await lockAccountOfSession(tx, session);
      const isPending = await requestAddress(tx, limiter, account, { email, networks });
      return { pending: isPending, user: isPending ? session.user : { ...session.user, email } };
    })
    .catch(convertTakenAddress);
}

/**
 * Changes the address of a locked account, or requests the email change if the current address is verified.
 * @returns whether the new address must be verified first
 * @throws ProblemError validation-failed, auth/email-already-in-use, auth/too-many-requests
 */
export async function requestAddress(
  tx: Db,
  limiter: Limiter,
  account: LockedAccount,
  { email, networks }: { email: string; networks: readonly Network[] },
): Promise<boolean> {
  if (email === account.email) throw invalidField('/email', 'This is already your address');
  if (await isAddressTaken(tx, email, account.id)) throw new ProblemError('auth/email-already-in-use');
  if (!account.emailVerified) await countSignUpMail(limiter, tx, networks);
  await limiter.requireAttempt(tx, 'verificationMailByRecipient', email);
  if (account.emailVerified) {
    await tx.updateTable('accounts').set({ pending_email: email }).where('id', '=', account.id).execute();
    await changeEmailMailJob.queue(tx, { accountId: account.id, email });
    return true;
  }
  await tx
    .updateTable('accounts')
    // An account without a deadline, such as an imported one, gets none.
    .set((eb) => ({
      email,
      verify_by: eb.case().when('verify_by', 'is not', null).then(toVerificationDeadline()).end(),
    }))
    .where('id', '=', account.id)
    .execute();
  await tx.deleteFrom('action_codes').where('account_id', '=', account.id).execute();
  await verificationMailJob.queue(tx, { accountId: account.id, email });
  return false;
}

/** Converts the error of the unique index, when a parallel request gave the address to another account. */
export function convertTakenAddress(error: unknown): never {
  throw isUniqueViolation(error) ? new ProblemError('auth/email-already-in-use') : error;
}
