import type { Db } from '#server/db/client.ts';
import type { Limiter } from '#server/domain/rate-limit-rules.ts';
import type { Network } from '#server/platform/limits/networks.ts';

/**
 * Requires that a mail to an unverified address could be sent now. Counts nothing.
 * @throws ProblemError auth/too-many-requests, sign-up/too-many-requests
 */
export async function requireSignUpMailsBelowLimit(
  limiter: Limiter,
  db: Db,
  networks: readonly Network[],
): Promise<void> {
  await limiter.requireBelowLimit(db, 'signUpMailsByAddress', networks);
  await limiter.requireBelowLimit(db, 'signUpMails');
}

/**
 * Counts a mail to an unverified address, for the networks of the visitor and for the whole installation. Call it
 * before other limits of the same transaction, so that all transactions lock the counts in the same order.
 * @throws ProblemError auth/too-many-requests, sign-up/too-many-requests
 */
export async function countSignUpMail(limiter: Limiter, tx: Db, networks: readonly Network[]): Promise<void> {
  await limiter.requireAttempt(tx, 'signUpMailsByAddress', networks);
  await limiter.requireAttempt(tx, 'signUpMails');
}
