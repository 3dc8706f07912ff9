import { sql } from 'kysely';
import { secondFactorTtlSeconds } from '#contract/durations.ts';
import { type Db, now } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { createCookie } from '#server/platform/http/cookies.ts';
import { hashToken, newToken } from '#server/platform/crypto/tokens.ts';

/*
 * Pending sign-ins: the password was correct or the university confirmed the account, and the second factor is missing.
 * A pending sign-in is not a session and allows no access. It ends after five minutes, after five attempts, or when the
 * password changes.
 */

const maxAttempts = 5;

/** The database stores only the hash of the token. */
export const createPendingCookie = ({ config }: Context) =>
  createCookie('pending', secondFactorTtlSeconds, config.http.publicUrl);

/**
 * Call it in the transaction that locks the account and has compared its password, or found its university account.
 * @returns the token for the cookie
 */
export async function startPendingSignIn(tx: Db, accountId: string, isByCampus = false): Promise<string> {
  const { token, hash } = newToken();
  await tx
    .insertInto('pending_sign_ins')
    .values({
      token_hash: hash,
      account_id: accountId,
      is_by_campus: isByCampus,
      expires_at: sql<Date>`now() + make_interval(secs => ${secondFactorTtlSeconds})`,
    })
    .execute();
  return token;
}

export interface PendingAccount {
  readonly id: string;
  readonly email: string;
  readonly isByCampus: boolean;
}

export async function findPendingSignIn(db: Db, token: string): Promise<PendingAccount | null> {
  const row = await db
    .selectFrom('pending_sign_ins as p')
    .innerJoin('accounts as a', 'a.id', 'p.account_id')
    .select(['a.id', 'a.email', 'p.is_by_campus as isByCampus'])
    .where('p.token_hash', '=', hashToken(token))
    .where('p.expires_at', '>', now)
    .where('p.tries', '<', maxAttempts)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Counts an attempt before it is checked, so that parallel attempts cannot exceed the limit.
 * @returns the number of remaining attempts; null if none was left
 */
export async function countAttempt(db: Db, token: string): Promise<number | null> {
  const row = await db
    .updateTable('pending_sign_ins')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('token_hash', '=', hashToken(token))
    .where('expires_at', '>', now)
    .where('tries', '<', maxAttempts)
    .returning('tries')
    .executeTakeFirst();
  return row ? maxAttempts - row.tries : null;
}

/** @returns whether the sign-in was still pending, which is true for only one of several parallel calls */
export async function endPendingSignIn(db: Db, token: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('pending_sign_ins')
    .where('token_hash', '=', hashToken(token))
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function endPendingSignIns(db: Db, accountId: string): Promise<void> {
  await db.deleteFrom('pending_sign_ins').where('account_id', '=', accountId).execute();
}

export async function deleteExpiredPendingSignIns(db: Db): Promise<void> {
  await db.deleteFrom('pending_sign_ins').where('expires_at', '<', now).execute();
}
