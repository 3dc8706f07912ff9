import type { User } from '#contract/identity.ts';
import type { ProblemCode } from '#contract/problem.ts';
import { isAddressTaken } from '#server/domain/accounts/accounts.ts';
import type { Context } from '#server/domain/context.ts';
import type { Db } from '#server/db/client.ts';
import { networksOf } from '#server/platform/limits/networks.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import type { Exchange } from '#server/platform/http/set-up-http.ts';
import { convertTakenAddress } from './change-email.ts';
import { verificationMailJob } from '../jobs.ts';
import { requireGoodPassword } from './password-policy.ts';
import { openSession, readBrowser, setSessionCookies } from '../sessions/sign-in.ts';
import { countSignUpMail, requireSignUpMailsBelowLimit } from './sign-up-mails.ts';
import { toAcceptedColumns, requireCurrentTerms } from './terms.ts';
import { toVerificationDeadline } from '../action-codes/verify-by.ts';

interface NewAccount {
  readonly email: string;
  readonly password: string;
  readonly terms: string;
}

/** Problems that are not the visitor's fault: the address was taken in parallel, or the server was busy. */
const uncountedProblems: ReadonlySet<ProblemCode> = new Set(['auth/email-already-in-use', 'unavailable']);

/**
 * Creates an account, queues the verification mail in the same transaction, and signs in. The first mail does not start
 * the cooldown, so the first resend is immediate. A sign-up that fails because the address is taken or the server is
 * busy does not count against the limit.
 * @throws ProblemError auth/email-already-in-use, auth/password-does-not-meet-requirements, auth/too-many-requests,
 *   sign-up/too-many-requests, terms-changed
 */
export async function signUp(
  context: Context,
  { email, password, terms }: NewAccount,
  exchange: Exchange,
): Promise<User> {
  const { db, limiter } = context;
  const networks = networksOf(exchange.request.ip);
  requireCurrentTerms(terms);
  requireGoodPassword(context.config, password, email);
  // Check the limits first: above them all responses are the same and do not reveal whether an address is taken.
  await limiter.requireBelowLimit(db, 'signUpByAddress', networks);
  await requireSignUpMailsBelowLimit(limiter, db, networks);
  // Check before counting: a refused sign-up must not use up the limits of others behind the same IP address.
  if (await isAddressTaken(db, email, null)) {
    await limiter.requireAttempt(db, 'refusedSignUpByAddress', networks);
    throw new ProblemError('auth/email-already-in-use');
  }
  await limiter.requireBelowLimit(db, 'verificationMailByRecipient', email);
  await limiter.requireAttempt(db, 'signUpByAddress', networks);
  const account = { email, password, terms, isVerified: false };
  return createAccount(context, account, exchange, async (tx, id) => {
    await countSignUpMail(limiter, tx, networks);
    await limiter.requireAttempt(tx, 'verificationMailByRecipient', email);
    await verificationMailJob.queue(tx, { accountId: id, email });
  }).catch(async (error: unknown) => {
    if (error instanceof ProblemError && uncountedProblems.has(error.code))
      await limiter.refundAttempt(db, 'signUpByAddress', networks);
    throw error;
  });
}

/**
 * Creates an account and signs in.
 * @param complete runs in the same transaction
 * @throws ProblemError auth/email-already-in-use
 */
export async function createAccount(
  context: Context,
  { email, password, terms, isVerified }: NewAccount & { readonly isVerified: boolean },
  exchange: Exchange,
  complete: (tx: Db, id: string) => Promise<void>,
): Promise<User> {
  const passwordHash = await context.passwordHasher.hash(password);
  const browser = await readBrowser(context, exchange);
  const opened = await context.db
    .transaction()
    .execute(async (tx) => {
      if (await isAddressTaken(tx, email, null)) throw new ProblemError('auth/email-already-in-use');
      const { id } = await tx
        .insertInto('accounts')
        .values({
          email,
          email_verified: isVerified,
          password_hash: passwordHash,
          verify_by: isVerified ? null : toVerificationDeadline(),
          ...toAcceptedColumns(terms),
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      await complete(tx, id);
      return openSession(tx, id, browser);
    })
    .catch(convertTakenAddress);
  return setSessionCookies(context, exchange, opened);
}
