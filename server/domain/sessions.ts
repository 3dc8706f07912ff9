import { sql } from 'kysely';
import { type User } from '#contract/identity.ts';
import { recentSignIn } from '#contract/times.ts';
import type { Db } from '../db/client.ts';
import { picturePath } from '../platform/media.ts';
import { hashToken, newToken } from '../platform/tokens.ts';
import type { Account } from './accounts.ts';

/** Days that a session lives without being used. */
export const sessionDays = 30;

/** A session and whose it is, as one look-up finds them. */
export interface Session {
  readonly id: string;
  readonly account: Account;
  readonly user: User;
  /** Whether the password was typed within the last five minutes. */
  readonly isRecent: boolean;
  /** Whether the cookie and the row should be rolled forward: once an hour is often enough. */
  readonly isDueToRoll: boolean;
}

/** @returns the cookie's value, which is stored nowhere */
export async function startSession(db: Db, accountId: string, userAgent: string): Promise<string> {
  const { token, hash } = newToken();
  await db
    .insertInto('sessions')
    .values({
      token_hash: hash,
      account_id: accountId,
      user_agent: userAgent.slice(0, 300),
      expires_at: sql<Date>`now() + make_interval(days => ${sessionDays})`,
    })
    .execute();
  return token;
}

/**
 * The session behind a cookie, in one statement. There is no cache in front of it: what is revoked is revoked at once.
 */
export async function findSession(db: Db, token: string): Promise<Session | null> {
  const row = await db
    .selectFrom('sessions as s')
    .innerJoin('accounts as a', 'a.id', 's.account_id')
    .leftJoin('profiles as p', 'p.account_id', 'a.id')
    .select([
      's.id as session_id',
      'a.id',
      'a.email',
      'a.email_verified',
      'a.display_name',
      'p.picture',
      'p.department',
      sql<boolean>`s.authenticated_at > now() - make_interval(secs => ${recentSignIn})`.as('recent'),
      sql<boolean>`s.seen_at < now() - interval '1 hour'`.as('due'),
      sql<boolean>`exists (select from notifications n where n.account_id = a.id and n.read_at is null)`.as('news'),
    ])
    .where('s.token_hash', '=', hashToken(token))
    .where('s.expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  if (!row) return null;
  const account: Account = {
    id: row.id,
    email: row.email,
    emailVerified: row.email_verified,
    displayName: row.display_name,
  };
  return {
    id: row.session_id,
    account,
    user: {
      uid: row.id,
      email: row.email,
      emailVerified: row.email_verified,
      displayName: row.display_name,
      imgURL: row.picture === null ? null : picturePath(row.picture, 96),
      department: row.department,
      hasNews: row.news,
    },
    isRecent: row.recent,
    isDueToRoll: row.due,
  };
}

/** Another thirty days from now. */
export async function rollSession(db: Db, sessionId: string): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ seen_at: sql<Date>`now()`, expires_at: sql<Date>`now() + make_interval(days => ${sessionDays})` })
    .where('id', '=', sessionId)
    .execute();
}

/** Notes that the password has just been typed. */
export async function markAuthenticated(db: Db, sessionId: string): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ authenticated_at: sql<Date>`now()` })
    .where('id', '=', sessionId)
    .execute();
}

/** Ends one session of an account. @returns whether there was one */
export async function endSession(db: Db, accountId: string, sessionId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('account_id', '=', accountId)
    .where('id', '=', sessionId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Ends every session of an account, all but `keep` where one is named. */
export async function endSessions(db: Db, accountId: string, keep?: string): Promise<void> {
  let query = db.deleteFrom('sessions').where('account_id', '=', accountId);
  if (keep !== undefined) query = query.where('id', '!=', keep);
  await query.execute();
}
