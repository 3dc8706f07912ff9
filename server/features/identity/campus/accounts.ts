import type { User } from '#contract/identity.ts';
import { type Db, now } from '#server/db/client.ts';
import { type CampusIdentity, findConnection } from '#server/domain/campus-arrival.ts';
import type { Context } from '#server/domain/context.ts';
import { notify } from '#server/domain/notifications/notify.ts';
import { type Session, endSessions, lockAccount, lockAccountOfSession } from '#server/domain/accounts/sessions.ts';
import { queueInvitations } from '#server/domain/staff/invitations.ts';
import { networksOf } from '#server/platform/limits/networks.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import type { Exchange } from '#server/platform/http/set-up-http.ts';
import { requireGoodPassword } from '../account/password-policy.ts';
import { createAccount } from '../account/sign-up.ts';
import { requireCurrentTerms } from '../account/terms.ts';
import { cancelPendingChanges } from '../action-codes/action-codes.ts';
import { queueFactorMail } from '../second-factor/second-factor.ts';
import { isKnownDevice } from '../sessions/known-devices.ts';
import { endPendingSignIns } from '../sessions/pending-sign-ins.ts';
import { openSessionOrPendingSignIn, readBrowser, setSignInCookies } from '../sessions/sign-in.ts';
import { findOwner } from './identities.ts';

/**
 * Signs in to the account that a university account is connected with. The session does not count as recent, and a
 * second factor is still needed, because others may have access to the university account.
 * @throws ProblemError auth/invalid-credential, auth/multi-factor-required, auth/too-many-requests, auth/user-disabled
 */
export async function signInWithCampus(
  context: Context,
  accountId: string,
  { issuer, subject }: CampusIdentity,
  exchange: Exchange,
): Promise<User> {
  const browser = await readBrowser(context, exchange);
  const opened = await context.db.transaction().execute(async (tx) => {
    const locked = await lockAccount(tx, accountId);
    // It may have been disconnected in the meantime.
    const { numUpdatedRows } = await tx
      .updateTable('campus_identities')
      .set({ used_at: now })
      .where('account_id', '=', accountId)
      .where('issuer', '=', issuer)
      .where('subject', '=', subject)
      .executeTakeFirst();
    if (!locked || locked.isDeletionPending || numUpdatedRows === 0n) throw new ProblemError('auth/invalid-credential');
    const isKnown = await isKnownDevice(tx, locked.email, browser.device);
    return openSessionOrPendingSignIn(context, tx, locked, { ...browser, isKnown, isByCampus: true });
  });
  return setSignInCookies(context, exchange, opened);
}

/**
 * Creates an account with the trusted address of a university account, which is verified at once. Never adds to an
 * existing account: another person may have created it with this address.
 */
export async function signUpWithCampus(
  context: Context,
  { password, terms }: { password: string; terms: string },
  identity: CampusIdentity,
  exchange: Exchange,
): Promise<User> {
  const { config, db, limiter } = context;
  const { email } = identity;
  if (email === null) throw new ProblemError('auth/sign-in-expired');
  requireCurrentTerms(terms);
  requireGoodPassword(config, password, email);
  await limiter.requireAttempt(db, 'signUpByAddress', networksOf(exchange.request.ip));
  const account = { email, password, terms, isVerified: true };
  return createAccount(context, account, exchange, async (tx, id) => {
    await addIdentity(tx, id, identity);
    await queueInvitations(tx, id);
  });
}

/** Connects a university account. An attacker who created the account may still have sessions and pending changes. */
export async function connect({ db }: Context, session: Session, identity: CampusIdentity): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const account = await lockAccountOfSession(tx, session);
    const owner = await findOwner(tx, identity);
    if (owner === account.id) return;
    if (owner === null && (await findConnection(tx, account.id)))
      throw new ProblemError('auth/provider-already-linked');
    await addIdentity(tx, account.id, identity);
    await endSessions(tx, account.id, session.id);
    await endPendingSignIns(tx, account.id);
    await cancelPendingChanges(tx, account.id);
    await notify(tx, account.id, 'campus-connected');
    await queueFactorMail(tx, account, 'campus-connected');
  });
}

/** @throws ProblemError auth/credential-already-in-use, auth/sign-in-expired */
async function addIdentity(tx: Db, accountId: string, { issuer, subject, email }: CampusIdentity): Promise<void> {
  if (email === null) throw new ProblemError('auth/sign-in-expired');
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('campus_identities')
    .values({ account_id: accountId, issuer, subject, email })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows === 0n) throw new ProblemError('auth/credential-already-in-use');
}
