import { sql } from 'kysely';
import { secondFactorTtlSeconds } from '#contract/durations.ts';
import type { Db } from '../../../db/client.ts';
import type { Context } from '../../../domain/context.ts';
import { createCookie } from '../../../platform/http/cookies.ts';
import { hashToken, newToken } from '../../../platform/crypto/tokens.ts';

/*
 * Somebody has typed the right password and owes the second factor. That is no session: it opens nothing, ends after five
 * minutes or five tries, and dies with the password that began it.
 */

/** Tries until the password has to be typed again. */
const maxAttempts = 5;

/** The only place where its token is; the database has the digest. */
export const createPendingCookie = ({ config }: Context) =>
  createCookie('pending', secondFactorTtlSeconds, config.http.publicUrl);

/** Belongs into the transaction that holds the account and has compared its password. @returns the cookie's value */
export async function startPendingSignIn(tx: Db, accountId: string): Promise<string> {
  const { token, hash } = newToken();
  await tx
    .insertInto('pending_sign_ins')
    .values({
      token_hash: hash,
      account_id: accountId,
      expires_at: sql<Date>`now() + make_interval(secs => ${secondFactorTtlSeconds})`,
    })
    .execute();
  return token;
}

/** @returns whose it is, while it can still be completed */
export async function findPendingSignIn(db: Db, token: string): Promise<{ id: string; email: string } | null> {
  const row = await db
    .selectFrom('pending_sign_ins as p')
    .innerJoin('accounts as a', 'a.id', 'p.account_id')
    .select(['a.id', 'a.email'])
    .where('p.token_hash', '=', hashToken(token))
    .where('p.expires_at', '>', sql<Date>`now()`)
    .where('p.tries', '<', maxAttempts)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Counts a try before it is looked at, so that parallel ones cannot slip through.
 * @returns how many are left after it; null when there was none left
 */
export async function countAttempt(db: Db, token: string): Promise<number | null> {
  const row = await db
    .updateTable('pending_sign_ins')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('token_hash', '=', hashToken(token))
    .where('expires_at', '>', sql<Date>`now()`)
    .where('tries', '<', maxAttempts)
    .returning('tries')
    .executeTakeFirst();
  return row ? maxAttempts - row.tries : null;
}

/** @returns whether it was still there: of any number of parallel completions one finds it */
export async function endPendingSignIn(db: Db, token: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('pending_sign_ins')
    .where('token_hash', '=', hashToken(token))
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** A new password makes worthless what was begun with the old one. */
export async function endPendingSignIns(db: Db, accountId: string): Promise<void> {
  await db.deleteFrom('pending_sign_ins').where('account_id', '=', accountId).execute();
}

/** Those that nobody has completed. */
export async function deleteExpiredPendingSignIns(db: Db): Promise<void> {
  await db
    .deleteFrom('pending_sign_ins')
    .where('expires_at', '<', sql<Date>`now()`)
    .execute();
}
