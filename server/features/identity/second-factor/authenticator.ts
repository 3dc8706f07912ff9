import { type Db, now } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { type Session, lockAccountOfSession } from '#server/domain/accounts/sessions.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import type { SecretBox } from '#server/platform/crypto/secret-box.ts';
import { base32, findTotpStep, newTotpSecret, otpauthUri, totpStep } from '#server/platform/crypto/totp.ts';
import { addFactor, recordFactorRemoval } from './second-factor.ts';

/**
 * Creates a secret for an authenticator app. The secret takes effect after a code confirms it. A second call replaces
 * an unconfirmed secret.
 * @returns the secret in base32, and the `otpauth:` URI for the QR code
 * @throws ProblemError auth/second-factor-already-in-use, auth/too-many-requests, auth/unauthenticated
 */
export async function beginAuthenticator(
  { db, limiter, institution }: Context,
  box: SecretBox,
  session: Session,
): Promise<{ secret: string; uri: string }> {
  await limiter.requireAttempt(db, 'setUpFactorByAccount', session.account.id);
  const secret = newTotpSecret();
  const sealed = await box.seal(secret, session.account.id);
  const email = await db.transaction().execute(async (tx) => {
    const account = await lockAccountOfSession(tx, session);
    const row = await findAuthenticator(tx, account.id);
    if (row?.confirmed_at) throw new ProblemError('auth/second-factor-already-in-use');
    await tx
      .insertInto('authenticators')
      .values({ account_id: account.id, secret: sealed })
      .onConflict((conflict) =>
        conflict.column('account_id').doUpdateSet({ secret: sealed, last_step: 0, used_steps: [] }),
      )
      .execute();
    return account.email;
  });
  return { secret: base32(secret), uri: otpauthUri(secret, `${institution.abbreviation} alumni archive`, email) };
}

/**
 * Enables the authenticator app with a code from it. The code counts as used.
 * @returns new recovery codes if this is the first factor; otherwise null
 * @throws ProblemError auth/invalid-verification-code, auth/second-factor-already-in-use, auth/too-many-requests,
 *   auth/unauthenticated
 */
export async function confirmAuthenticator(
  { db, limiter }: Context,
  box: SecretBox,
  session: Session,
  code: string,
): Promise<string[] | null> {
  await limiter.requireAttempt(db, 'setUpFactorByAccount', session.account.id);
  return db.transaction().execute(async (tx) => {
    const account = await lockAccountOfSession(tx, session);
    const row = await findAuthenticator(tx, account.id);
    if (row?.confirmed_at) throw new ProblemError('auth/second-factor-already-in-use');
    if (!row) throw new ProblemError('auth/invalid-verification-code');
    return addFactor({ limiter }, tx, session, account, {
      change: 'authenticator-added',
      add: async () => {
        if (!(await acceptStep(tx, box, account.id, row, code)))
          throw new ProblemError('auth/invalid-verification-code');
        await tx
          .updateTable('authenticators')
          .set({ confirmed_at: now })
          .where('account_id', '=', account.id)
          .execute();
      },
    });
  });
}

export async function removeAuthenticator({ db }: Context, session: Session): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const account = await lockAccountOfSession(tx, session);
    const row = await findAuthenticator(tx, account.id);
    if (!row?.confirmed_at) throw new ProblemError('not-found');
    await tx.deleteFrom('authenticators').where('account_id', '=', account.id).execute();
    await recordFactorRemoval(tx, account, 'authenticator-removed');
  });
}

/**
 * Checks a code of an authenticator app and marks it as used. Call it in a transaction that locks the account.
 * @returns whether the code was correct
 */
export async function acceptAuthenticatorCode(
  tx: Db,
  box: SecretBox,
  accountId: string,
  code: string,
): Promise<boolean> {
  const row = await findAuthenticator(tx, accountId);
  return row?.confirmed_at ? acceptStep(tx, box, accountId, row, code) : false;
}

/** Number of stored time steps. They prevent the reuse of codes even after the clock was set back. */
const maxUsedSteps = 100;

const findAuthenticator = (tx: Db, accountId: string) =>
  tx
    .selectFrom('authenticators')
    .select(['secret', 'confirmed_at', 'last_step', 'used_steps'])
    .where('account_id', '=', accountId)
    .executeTakeFirst();

async function acceptStep(
  tx: Db,
  box: SecretBox,
  accountId: string,
  { secret, last_step, used_steps }: { secret: Buffer; last_step: string; used_steps: number[] },
  code: string,
): Promise<boolean> {
  const step = findTotpStep(await box.open(secret, accountId), code, Number(last_step), totpStep(), used_steps);
  if (step === null) return false;
  await tx
    .updateTable('authenticators')
    .set({ last_step: step, used_steps: [...used_steps, step].slice(-maxUsedSteps) })
    .where('account_id', '=', accountId)
    .execute();
  return true;
}
