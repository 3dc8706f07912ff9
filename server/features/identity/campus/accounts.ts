import type { FastifyReply, FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import type { User } from '#contract/identity.ts';
import type { Db } from '#server/db/client.ts';
import { isUniqueViolation } from '#server/db/errors.ts';
import { isAddressTaken } from '#server/domain/accounts/accounts.ts';
import type { CampusIdentity } from '#server/domain/campus-arrival.ts';
import type { Context } from '#server/domain/context.ts';
import { notify } from '#server/domain/notifications/notify.ts';
import {
  type Session,
  endSession,
  endSessions,
  lockAccount,
  lockAccountOfSession,
} from '#server/domain/accounts/sessions.ts';
import { queueInvitations } from '#server/domain/staff/invitations.ts';
import { networksOf } from '#server/platform/limits/networks.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { requireGoodPassword } from '../account/password-policy.ts';
import { requireCurrentTerms, toAcceptedColumns } from '../account/terms.ts';
import { cancelPendingChanges } from '../action-codes/action-codes.ts';
import { queueFactorMail } from '../second-factor/second-factor.ts';
import { getOrCreateDeviceToken, isKnownDevice } from '../sessions/known-devices.ts';
import { endPendingSignIns } from '../sessions/pending-sign-ins.ts';
import { openSession, openSessionOrPendingSignIn, setSessionCookies, setSignInCookies } from '../sessions/sign-in.ts';
import { findConnection, findOwner } from './identities.ts';

interface Identified {
  readonly issuer: string;
  readonly identity: CampusIdentity;
}

/**
 * Signs in to the account that a university account is connected with. The session does not count as recent, and a
 * second factor is still needed, because others may have access to the university account.
 * @throws ProblemError auth/invalid-credential, auth/multi-factor-required, auth/too-many-requests, auth/user-disabled
 */
export async function signInWithCampus(
  context: Context,
  accountId: string,
  { issuer, identity: { subject } }: Identified,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<User> {
  const device = getOrCreateDeviceToken(context, request);
  const opened = await context.db.transaction().execute(async (tx) => {
    const locked = await lockAccount(tx, accountId);
    // It may have been disconnected in the meantime.
    const { numUpdatedRows } = await tx
      .updateTable('campus_identities')
      .set({ used_at: sql<Date>`now()` })
      .where('account_id', '=', accountId)
      .where('issuer', '=', issuer)
      .where('subject', '=', subject)
      .executeTakeFirst();
    if (!locked || locked.isDeletionPending || numUpdatedRows === 0n) throw new ProblemError('auth/invalid-credential');
    const isKnown = await isKnownDevice(tx, locked.email, device);
    return openSessionOrPendingSignIn(context, tx, locked, request, {
      device,
      isKnown,
      before: null,
      isByCampus: true,
    });
  });
  return setSignInCookies(context, reply, opened);
}

/**
 * Creates an account with the trusted address of a university account, which is verified at once. Never adds to an
 * existing account: another person may have created it with this address.
 * @throws ProblemError auth/email-already-in-use, auth/credential-already-in-use, auth/sign-in-expired, terms-changed,
 *   auth/password-does-not-meet-requirements, auth/too-many-requests
 */
export async function signUpWithCampus(
  context: Context,
  { password, terms }: { readonly password: string; readonly terms: string },
  identified: Identified,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<User> {
  const { db, limiter, passwordHasher } = context;
  const { email } = identified.identity;
  if (email === null) throw new ProblemError('auth/sign-in-expired');
  requireCurrentTerms(terms);
  requireGoodPassword(context.config, password, email);
  await limiter.requireAttempt(db, 'signUpByAddress', networksOf(request.ip));
  const passwordHash = await passwordHasher.hash(password);
  const before = await context.authentication.authenticate(request, reply);
  const opened = await db
    .transaction()
    .execute(async (tx) => {
      if (await isAddressTaken(tx, email, null)) throw new ProblemError('auth/email-already-in-use');
      const { id } = await tx
        .insertInto('accounts')
        .values({ email, email_verified: true, password_hash: passwordHash, ...toAcceptedColumns(terms) })
        .returning('id')
        .executeTakeFirstOrThrow();
      await addIdentity(tx, id, identified, email);
      await queueInvitations(tx, id);
      if (before) await endSession(tx, before.account.id, before.id);
      return openSession(tx, id, request, getOrCreateDeviceToken(context, request));
    })
    .catch((error: unknown) => {
      throw isUniqueViolation(error) ? new ProblemError('auth/email-already-in-use') : error;
    });
  return setSessionCookies(context, reply, opened);
}

/**
 * Connects a university account. Ends all other sessions and pending changes, because an attacker who created the
 * account may still have them.
 * @throws ProblemError auth/credential-already-in-use, auth/provider-already-linked, auth/sign-in-expired,
 *   auth/unverified-email
 */
export async function connect({ db }: Context, session: Session, identified: Identified): Promise<void> {
  const { email } = identified.identity;
  await db.transaction().execute(async (tx) => {
    const account = await lockAccountOfSession(tx, session);
    if (!account.emailVerified) throw new ProblemError('auth/unverified-email');
    const owner = await findOwner(tx, identified.issuer, identified.identity.subject);
    if (owner === account.id) return;
    if (owner === null && (await findConnection(tx, account.id)))
      throw new ProblemError('auth/provider-already-linked');
    if (email === null) throw new ProblemError('auth/sign-in-expired');
    await addIdentity(tx, account.id, identified, email);
    await endSessions(tx, account.id, session.id);
    await endPendingSignIns(tx, account.id);
    await cancelPendingChanges(tx, account.id);
    await notify(tx, account.id, 'campus-connected');
    await queueFactorMail(tx, account, 'campus-connected');
  });
}

/** @throws ProblemError auth/credential-already-in-use */
async function addIdentity(
  tx: Db,
  accountId: string,
  { issuer, identity: { subject } }: Identified,
  email: string,
): Promise<void> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('campus_identities')
    .values({ account_id: accountId, issuer, subject, email })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows === 0n) throw new ProblemError('auth/credential-already-in-use');
}
