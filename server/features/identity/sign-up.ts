import type { FastifyReply, FastifyRequest } from 'fastify';
import type { User } from '#contract/identity.ts';
import { isAddressTaken } from '../../domain/accounts.ts';
import type { Context } from '../../domain/context.ts';
import { endSession } from '../../domain/sessions.ts';
import { isUniqueViolation } from '../../db/errors.ts';
import { networksOf } from '../../platform/networks.ts';
import { ProblemError } from '../../platform/problem.ts';
import { verificationMailJob } from './jobs.ts';
import { requireGoodPassword } from './password-policy.ts';
import { deviceTokenOf } from './known-devices.ts';
import { admit, openSession } from './sign-in.ts';
import { acceptedNow, requireCurrentTerms } from './terms.ts';
import { verifyBy } from './verify-by.ts';

interface NewAccount {
  readonly email: string;
  readonly password: string;
  /** The version of the terms that the page showed. */
  readonly terms: string;
}

/**
 * Creates an account, queues the verification mail in the same transaction, and signs in. The first mail does not start
 * the cooldown: the first resend is free. Only accounts that are created count as sign-ups.
 * @throws ProblemError auth/email-already-in-use, auth/password-does-not-meet-requirements, auth/too-many-requests,
 *   sign-up/too-many-requests, terms-changed
 */
export async function signUp(
  context: Context,
  { email, password, terms }: NewAccount,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<User> {
  const { db, limiter, passwords } = context;
  const networks = networksOf(request.ip);
  requireCurrentTerms(terms);
  requireGoodPassword(context.config, password, email);
  // Once sign-ups are refused, all answers are the same, so that they do not reveal whether an address is taken.
  await limiter.requireRoom(db, 'signUpByAddress', networks);
  await limiter.requireRoom(db, 'signUpMails');
  // Checked before anything is counted or hashed: a refused sign-up does not use up the limits of others behind the same address.
  if (await isAddressTaken(db, email, null)) {
    await limiter.requireAttempt(db, 'refusedSignUpByAddress', networks);
    throw new ProblemError('auth/email-already-in-use');
  }
  await limiter.requireAttempt(db, 'signUpByAddress', networks);
  const passwordHash = await passwords.hash(password);
  const before = await context.callers.find(request, reply);
  const opened = await db
    .transaction()
    .execute(async (tx) => {
      await limiter.requireAttempt(tx, 'signUpMails');
      if (await isAddressTaken(tx, email, null)) throw new ProblemError('auth/email-already-in-use');
      const { id } = await tx
        .insertInto('accounts')
        .values({ email, password_hash: passwordHash, verify_by: verifyBy(), ...acceptedNow(terms) })
        .returning('id')
        .executeTakeFirstOrThrow();
      await limiter.requireAttempt(tx, 'verificationMailByRecipient', email);
      await verificationMailJob.queue(tx, { accountId: id, email });
      if (before) await endSession(tx, before.account.id, before.id);
      return openSession(tx, id, request, deviceTokenOf(context, request));
    })
    .catch(async (error: unknown) => {
      await limiter.forgiveAttempt(db, 'signUpByAddress', networks);
      // Two sign-ups at the same moment: the index decides.
      throw isUniqueViolation(error) ? new ProblemError('auth/email-already-in-use') : error;
    });
  return admit(context, reply, opened);
}
