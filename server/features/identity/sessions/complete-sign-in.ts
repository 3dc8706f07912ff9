import type { FastifyReply, FastifyRequest } from 'fastify';
import type { User } from '#contract/identity.ts';
import type { Assertion, Proof } from '#contract/second-factor.ts';
import type { Db } from '../../../db/client.ts';
import type { Context } from '../../../domain/context.ts';
import { type LockedAccount, lockAccount } from '../../../domain/sessions.ts';
import { ProblemError } from '../../../platform/http/problem.ts';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import { acceptAuthenticatorCode } from '../second-factor/authenticator.ts';
import { deviceTokenOf, isKnownDevice } from './known-devices.ts';
import { provePasskey } from '../second-factor/passkeys.ts';
import { countTry, endPendingSignIn, findPendingSignIn, pendingCookieOf } from './pending-sign-ins.ts';
import { tellOfFactor, spendRecoveryCode } from '../second-factor/second-factor.ts';
import { admit, countSession, finishSignIn, type OpenedSession } from './sign-in.ts';

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
  const cookie = pendingCookieOf(context);
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
  const device = deviceTokenOf(context, request);
  const isKnown = await isKnownDevice(db, account.email, device);
  const [rule, ...subject] = isKnown
    ? (['secondFactorByDevice', account.id, device] as const)
    : (['secondFactorByAccount', account.id] as const);
  await limiter.requireAttempt(db, rule, ...subject);
  const triesLeft = await countTry(db, token);
  if (triesLeft === null) throw new ProblemError('auth/sign-in-expired');

  const before = await context.authentication.authenticate(request, reply);
  let opened: OpenedSession;
  try {
    const accept = await prepare(context, box, proof, token, account.id);
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
    await giveUp(context, token, account.id);
    pendingCookieOf(context).clear(reply);
    throw new ProblemError('auth/sign-in-expired');
  }
  await limiter.refundAttempt(db, rule, ...subject);
  pendingCookieOf(context).clear(reply);
  return admit(context, reply, opened);
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
  const { accountId, note } = await provePasskey(context, passkey, { purpose: 'sign-in', boundTo }, null);
  const device = deviceTokenOf(context, request);
  const before = await context.authentication.authenticate(request, reply);
  const opened = await db.transaction().execute(async (tx) => {
    const held = await lockAccount(tx, accountId);
    if (!held || held.isDeletionPending) throw new ProblemError('auth/invalid-passkey');
    await note(tx);
    const isKnown = await isKnownDevice(tx, held.email, device);
    await countSession(context, tx, held.id, isKnown ? device : null);
    return finishSignIn(context, tx, held, request, { device, isKnown, before });
  });
  return admit(context, reply, opened);
}

/** @returns uses the proof up, in the transaction that holds the account; what is wrong throws, here or there */
async function prepare(
  context: Context,
  box: SecretBox,
  { code, recoveryCode, passkey }: Proof,
  token: string,
  accountId: string,
): Promise<(tx: Db, held: LockedAccount) => Promise<void>> {
  if (passkey !== undefined) {
    const { note } = await provePasskey(
      context,
      passkey,
      { purpose: 'second-factor', boundTo: token },
      accountId,
    ).catch(asWrong);
    return (tx) => note(tx).catch(asWrong);
  }
  return async (tx, held) => {
    if (code !== undefined && (await acceptAuthenticatorCode(tx, box, held.id, code))) return undefined;
    if (recoveryCode !== undefined) {
      const left = await spendRecoveryCode(tx, held.id, recoveryCode);
      if (left !== null) return tellOfFactor(tx, held, 'recovery-code-used', String(left));
    }
    throw new ProblemError('auth/invalid-verification-code');
  };
}

/** Whichever of the three was wrong, it is wrong in one way. */
function asWrong(error: unknown): never {
  const isInvalid = error instanceof ProblemError && error.code === 'auth/invalid-passkey';
  throw isInvalid ? new ProblemError('auth/invalid-verification-code', { cause: error }) : error;
}

/** Ends what has used up its tries. Whoever got so far knows the password: its owner hears of it, but not without end. */
async function giveUp({ db, limiter }: Context, token: string, accountId: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const held = await lockAccount(tx, accountId);
    if (!(await endPendingSignIn(tx, token)) || !held) return;
    if ((await limiter.countAttempt(tx, 'secondFactorMailByRecipient', held.email)) > 0) return;
    await tellOfFactor(tx, held, 'refused');
  });
}
