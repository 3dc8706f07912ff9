import type { FastifyReply, FastifyRequest } from 'fastify';
import type { User } from '#contract/identity.ts';
import type { Assertion, Proof } from '#contract/second-factor.ts';
import type { Db } from '../../../db/client.ts';
import type { Context } from '../../../domain/context.ts';
import { type LockedAccount, lockAccount } from '../../../domain/sessions.ts';
import { ProblemError } from '../../../platform/http/problem.ts';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import { acceptAuthenticatorCode } from '../second-factor/authenticator.ts';
import { getOrCreateDeviceToken, isKnownDevice } from './known-devices.ts';
import { verifyPasskey } from '../second-factor/passkeys.ts';
import { countAttempt, endPendingSignIn, findPendingSignIn, createPendingCookie } from './pending-sign-ins.ts';
import { queueFactorMail, useRecoveryCode } from '../second-factor/second-factor.ts';
import { setSessionCookies, countSession, finishSignIn, type OpenedSession } from './sign-in.ts';

/** The account whose password was typed in this browser. */
interface PendingSignIn {
  readonly token: string;
  readonly account: { readonly id: string; readonly email: string };
}

/** @throws ProblemError auth/sign-in-expired when none was begun, or it has taken too long or too many tries */
export async function requirePendingSignIn(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<PendingSignIn> {
  const cookie = createPendingCookie(context);
  const token = cookie.read(request);
  const account = token ? await findPendingSignIn(context.db, token) : null;
  if (token && account) return { token, account };
  cookie.clear(reply);
  throw new ProblemError('auth/sign-in-expired');
}

/**
 * Completes a sign-in that a password has begun. Tries are counted before they are looked at, for the pending sign-in and
 * for the account; after the fifth wrong one the password has to be typed again, and the owner hears that somebody has it.
 * @throws ProblemError auth/invalid-verification-code, auth/sign-in-expired, auth/too-many-requests
 */
export async function completeSignIn(
  context: Context,
  box: SecretBox,
  proof: Proof,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<User> {
  const { db, limiter } = context;
  const { token, account } = await requirePendingSignIn(context, request, reply);
  const device = getOrCreateDeviceToken(context, request);
  const isKnown = await isKnownDevice(db, account.email, device);
  const [rule, ...subject] = isKnown
    ? (['secondFactorByDevice', account.id, device] as const)
    : (['secondFactorByAccount', account.id] as const);
  await limiter.requireAttempt(db, rule, ...subject);
  const triesLeft = await countAttempt(db, token);
  if (triesLeft === null) throw new ProblemError('auth/sign-in-expired');

  const before = await context.authentication.authenticate(request, reply);
  let opened: OpenedSession;
  try {
    const accept = await prepareProof(context, box, proof, token, account.id);
    opened = await db.transaction().execute(async (tx) => {
      const held = await lockAccount(tx, account.id);
      // A new password in the meantime has ended it, and so has another completion.
      if (!held || !(await endPendingSignIn(tx, token))) throw new ProblemError('auth/sign-in-expired');
      await accept(tx, held);
      await countSession(context, tx, held.id, isKnown ? device : null);
      return finishSignIn(context, tx, held, request, { device, isKnown, before });
    });
  } catch (error) {
    const isWrong = error instanceof ProblemError && error.code === 'auth/invalid-verification-code';
    if (!isWrong || triesLeft > 0) throw error;
    await abandonSignIn(context, token, account.id);
    createPendingCookie(context).clear(reply);
    throw new ProblemError('auth/sign-in-expired');
  }
  await limiter.refundAttempt(db, rule, ...subject);
  createPendingCookie(context).clear(reply);
  return setSessionCookies(context, reply, opened);
}

/** Signs in with a passkey alone: it is something that somebody has, and asks for what only they can give. */
export async function signInWithPasskey(
  context: Context,
  passkey: Assertion,
  boundTo: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<User> {
  const { db } = context;
  const { accountId, recordUse } = await verifyPasskey(context, passkey, { purpose: 'sign-in', boundTo }, null);
  const device = getOrCreateDeviceToken(context, request);
  const before = await context.authentication.authenticate(request, reply);
  const opened = await db.transaction().execute(async (tx) => {
    const held = await lockAccount(tx, accountId);
    if (!held || held.isDeletionPending) throw new ProblemError('auth/invalid-passkey');
    await recordUse(tx);
    const isKnown = await isKnownDevice(tx, held.email, device);
    await countSession(context, tx, held.id, isKnown ? device : null);
    return finishSignIn(context, tx, held, request, { device, isKnown, before });
  });
  return setSessionCookies(context, reply, opened);
}

/** @returns uses the proof up, in the transaction that holds the account; what is wrong throws, here or there */
async function prepareProof(
  context: Context,
  box: SecretBox,
  { code, recoveryCode, passkey }: Proof,
  token: string,
  accountId: string,
): Promise<(tx: Db, held: LockedAccount) => Promise<void>> {
  if (passkey !== undefined) {
    const { recordUse } = await verifyPasskey(
      context,
      passkey,
      { purpose: 'second-factor', boundTo: token },
      accountId,
    ).catch(throwInvalidCode);
    return (tx) => recordUse(tx).catch(throwInvalidCode);
  }
  return async (tx, held) => {
    if (code !== undefined && (await acceptAuthenticatorCode(tx, box, held.id, code))) return undefined;
    if (recoveryCode !== undefined) {
      const left = await useRecoveryCode(tx, held.id, recoveryCode);
      if (left !== null) return queueFactorMail(tx, held, 'recovery-code-used', String(left));
    }
    throw new ProblemError('auth/invalid-verification-code');
  };
}

/** Whichever of the three was wrong, it is wrong in one way. */
function throwInvalidCode(error: unknown): never {
  const isInvalid = error instanceof ProblemError && error.code === 'auth/invalid-passkey';
  throw isInvalid ? new ProblemError('auth/invalid-verification-code', { cause: error }) : error;
}

/** Ends what has used up its tries. Whoever got so far knows the password: its owner hears of it, but not without end. */
async function abandonSignIn({ db, limiter }: Context, token: string, accountId: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const held = await lockAccount(tx, accountId);
    if (!(await endPendingSignIn(tx, token)) || !held) return;
    if ((await limiter.countAttempt(tx, 'secondFactorMailByRecipient', held.email)) > 0) return;
    await queueFactorMail(tx, held, 'refused');
  });
}
