import type { User } from '#contract/identity.ts';
import type { Assertion, Proof } from '#contract/second-factor.ts';
import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { type LockedAccount, lockAccount } from '#server/domain/accounts/sessions.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import type { Exchange } from '#server/platform/http/set-up-http.ts';
import type { SecretBox } from '#server/platform/crypto/secret-box.ts';
import { acceptAuthenticatorCode } from '../second-factor/authenticator.ts';
import { isKnownDevice } from './known-devices.ts';
import { verifyPasskey } from '../second-factor/passkeys.ts';
import {
  type PendingAccount,
  countAttempt,
  createPendingCookie,
  endPendingSignIn,
  findPendingSignIn,
} from './pending-sign-ins.ts';
import { queueFactorMail, useRecoveryCode } from '../second-factor/second-factor.ts';
import { type OpenedSession, finishSignIn, readBrowser, setSessionCookies } from './sign-in.ts';

interface PendingSignIn {
  readonly token: string;
  readonly account: PendingAccount;
}

/** @throws ProblemError auth/sign-in-expired if none is pending, or its time or attempts are used up */
export async function requirePendingSignIn(context: Context, { request, reply }: Exchange): Promise<PendingSignIn> {
  const cookie = createPendingCookie(context);
  const token = cookie.read(request);
  const account = token ? await findPendingSignIn(context.db, token) : null;
  if (token && account) return { token, account };
  cookie.clear(reply);
  throw new ProblemError('auth/sign-in-expired');
}

/**
 * Completes a pending sign-in with a second factor. Attempts are counted before they are checked, for the pending
 * sign-in and for the account. After the fifth wrong attempt the pending sign-in ends, and a mail warns the owner that
 * another person may have the password, or the university account.
 * @throws ProblemError auth/invalid-verification-code, auth/sign-in-expired, auth/too-many-requests
 */
export async function completeSignIn(
  context: Context,
  box: SecretBox,
  proof: Proof,
  exchange: Exchange,
): Promise<User> {
  const { db, limiter } = context;
  const { token, account } = await requirePendingSignIn(context, exchange);
  const browser = await readBrowser(context, exchange);
  const { device } = browser;
  const isKnown = await isKnownDevice(db, account.email, device);
  const [rule, ...subject] = isKnown
    ? (['secondFactorByDevice', account.id, device] as const)
    : (['secondFactorByAccount', account.id] as const);
  await limiter.requireAttempt(db, rule, ...subject);
  const attemptsLeft = await countAttempt(db, token);
  if (attemptsLeft === null) throw new ProblemError('auth/sign-in-expired');

  let opened: OpenedSession;
  try {
    const accept = await prepareProof(context, box, proof, token, account.id);
    opened = await db.transaction().execute(async (tx) => {
      const locked = await lockAccount(tx, account.id);
      // The password may have been changed, or another request may have completed the sign-in.
      if (!locked || !(await endPendingSignIn(tx, token))) throw new ProblemError('auth/sign-in-expired');
      await accept(tx, locked);
      return finishSignIn(context, tx, locked, { ...browser, isKnown, isByCampus: account.isByCampus });
    });
  } catch (error) {
    const isWrongCode = error instanceof ProblemError && error.code === 'auth/invalid-verification-code';
    if (!isWrongCode || attemptsLeft > 0) throw error;
    await abandonSignIn(context, token, account);
    createPendingCookie(context).clear(exchange.reply);
    throw new ProblemError('auth/sign-in-expired');
  }
  await limiter.refundAttempt(db, rule, ...subject);
  createPendingCookie(context).clear(exchange.reply);
  return setSessionCookies(context, exchange, opened);
}

/** A passkey verifies the user, so it counts as two factors. @throws ProblemError auth/invalid-passkey */
export async function signInWithPasskey(
  context: Context,
  passkey: Assertion,
  boundTo: string,
  exchange: Exchange,
): Promise<User> {
  const { db } = context;
  const { accountId, recordUse } = await verifyPasskey(context, passkey, { purpose: 'sign-in', boundTo }, null);
  const browser = await readBrowser(context, exchange);
  const opened = await db.transaction().execute(async (tx) => {
    const locked = await lockAccount(tx, accountId);
    if (!locked || locked.isDeletionPending) throw new ProblemError('auth/invalid-passkey');
    await recordUse(tx);
    const isKnown = await isKnownDevice(tx, locked.email, browser.device);
    return finishSignIn(context, tx, locked, { ...browser, isKnown });
  });
  return setSessionCookies(context, exchange, opened);
}

async function prepareProof(
  context: Context,
  box: SecretBox,
  { code, recoveryCode, passkey }: Proof,
  token: string,
  accountId: string,
): Promise<(tx: Db, locked: LockedAccount) => Promise<void>> {
  if (passkey !== undefined) {
    const { recordUse } = await verifyPasskey(
      context,
      passkey,
      { purpose: 'second-factor', boundTo: token },
      accountId,
    ).catch(throwInvalidCode);
    return (tx) => recordUse(tx).catch(throwInvalidCode);
  }
  return async (tx, locked) => {
    if (code !== undefined && (await acceptAuthenticatorCode(tx, box, locked.id, code))) return undefined;
    if (recoveryCode !== undefined) {
      const left = await useRecoveryCode(tx, locked.id, recoveryCode);
      if (left !== null) return queueFactorMail(tx, locked, 'recovery-code-used', String(left));
    }
    throw new ProblemError('auth/invalid-verification-code');
  };
}

/** Throws the same problem for a wrong passkey as for a wrong code. */
function throwInvalidCode(error: unknown): never {
  const isInvalid = error instanceof ProblemError && error.code === 'auth/invalid-passkey';
  throw isInvalid ? new ProblemError('auth/invalid-verification-code', { cause: error }) : error;
}

async function abandonSignIn(
  { db, limiter }: Context,
  token: string,
  { id, isByCampus }: PendingAccount,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const locked = await lockAccount(tx, id);
    if (!(await endPendingSignIn(tx, token)) || !locked) return;
    if ((await limiter.countAttempt(tx, 'secondFactorMailByRecipient', locked.email)) > 0) return;
    await queueFactorMail(tx, locked, isByCampus ? 'campus-refused' : 'refused');
  });
}
