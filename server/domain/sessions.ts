import { sql } from 'kysely';
import { type User } from '#contract/identity.ts';
import { recentSignInSeconds } from '#contract/times.ts';
import type { Db } from '../db/client.ts';
import { ProblemError } from '../platform/http/problem.ts';
import { picturePath } from '../platform/media/media.ts';
import { hashToken, newToken } from '../platform/crypto/tokens.ts';
import type { Account } from './accounts.ts';

/** Days that a session lives without being used. */
export const sessionTtlDays = 30;

/** A session and whose it is, as one look-up finds them. */
export interface Session {
  readonly id: string;
  readonly account: Account;
  readonly user: User;
  /** Whether the password was typed within the last five minutes. */
  readonly isRecent: boolean;
  /** Whether the cookie and the row should be rolled forward: once an hour is often enough. */
  readonly isDueForRenewal: boolean;
}

/** Sessions, and known devices, that an account has at most; the one used longest ago makes room. */
export const maxDevicesPerAccount = 50;

/** More than this the bell does not say. */
const maxUnreadCount = 100;

/** @returns the cookie's value, which is stored nowhere */
export async function startSession(db: Db, accountId: string, userAgent: string): Promise<string> {
  const { token, hash } = newToken();
  await db
    .insertInto('sessions')
    .values({
      token_hash: hash,
      account_id: accountId,
      user_agent: userAgent.slice(0, 300),
      expires_at: sql<Date>`now() + make_interval(days => ${sessionTtlDays})`,
    })
    .execute();
  await db
    .deleteFrom('sessions')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('sessions')
        .select('id')
        .where('account_id', '=', accountId)
        .orderBy('seen_at', 'desc')
        .offset(maxDevicesPerAccount),
    )
    .execute();
  return token;
}

/** Built once: every request asks it, and building it takes as long as asking it. Its one parameter is the token's hash. */
let sessionQuery: ReturnType<typeof buildSessionQuery> | undefined;
const buildSessionQuery = (db: Db) =>
  db
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
      // A time in the future was written by a wrong clock.
      sql<boolean>`s.authenticated_at between now() - make_interval(secs => ${sql.lit(recentSignInSeconds)})
        and now() + make_interval(secs => ${sql.lit(recentSignInSeconds)})`.as('recent'),
      sql<boolean>`s.seen_at < now() - interval '1 hour'`.as('due'),
      sql<number>`(select count(*) from (
        select from notifications n where n.account_id = a.id and n.read_at is null limit ${sql.lit(maxUnreadCount)}
      ) as unread)::int`.as('unread'),
    ])
    .where('s.token_hash', '=', Buffer.alloc(0))
    .where('s.expires_at', '>', sql<Date>`now()`)
    .where('a.is_active', '=', sql.lit(true))
    .compile();

/**
 * The session behind a cookie, in one statement. There is no cache in front of it: what is revoked is revoked at once.
 */
export async function findSession(db: Db, token: string): Promise<Session | null> {
  sessionQuery ??= buildSessionQuery(db);
  const query: typeof sessionQuery = { ...sessionQuery, parameters: [hashToken(token)] };
  const { rows } = await db.executeQuery(query);
  const [row] = rows;
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
      unread: row.unread,
    },
    isRecent: row.recent,
    isDueForRenewal: row.due,
  };
}

/** Whether a cookie belongs to a session that has ended by the clock alone, and is not deleted yet: should the clock be wrong, it goes on. */
export async function hasExpiredSession(db: Db, token: string): Promise<boolean> {
  const row = await db
    .selectFrom('sessions')
    .select('id')
    .where('token_hash', '=', hashToken(token))
    .executeTakeFirst();
  return row !== undefined;
}

/** An account as it stands while its row is locked. */
export interface LockedAccount extends Account {
  readonly passwordHash: string;
  /** Switched off by the operator. */
  readonly isDisabled: boolean;
  /** Its owner has asked for its deletion, and an old address can still restore it. */
  readonly isDeletionPending: boolean;
}

/**
 * Locks the account for the rest of the transaction, so that acts on one account happen one after another, and asks once
 * more whether this session lives: whoever has ended it in the meantime has also ended what it was about to do.
 * @throws ProblemError auth/unauthenticated
 */
export async function lockAccountOfSession(tx: Db, { id, account }: Session): Promise<LockedAccount> {
  const held = await lockAccount(tx, account.id);
  const session = await tx.selectFrom('sessions').select('id').where('id', '=', id).executeTakeFirst();
  if (!held || held.isDisabled || held.isDeletionPending || !session) throw new ProblemError('auth/unauthenticated');
  return held;
}

/** Locks an account for the rest of the transaction. @returns null when it has been deleted */
export async function lockAccount(tx: Db, accountId: string): Promise<LockedAccount | null> {
  const row = await tx
    .selectFrom('accounts')
    // One by one: a column that a newer version adds would change what a prepared statement answers.
    .select(['id', 'email', 'email_verified', 'display_name', 'password_hash', 'disabled_at', 'deletes_at'])
    .where('id', '=', accountId)
    // Rows that only refer to the account, such as a notice, need not wait.
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!row) return null;
  const { id, email, email_verified, display_name, password_hash, disabled_at, deletes_at } = row;
  return {
    id,
    email,
    emailVerified: email_verified,
    displayName: display_name,
    passwordHash: password_hash,
    isDisabled: disabled_at !== null,
    isDeletionPending: deletes_at !== null,
  };
}

/** Another thirty days from now. */
export async function renewSession(db: Db, sessionId: string): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ seen_at: sql<Date>`now()`, expires_at: sql<Date>`now() + make_interval(days => ${sessionTtlDays})` })
    .where('id', '=', sessionId)
    .execute();
  // To the day: no request waits for the account's row more often than that.
  await sql`
    update accounts set last_seen_at = now()
    where id = (select account_id from sessions where id = ${sessionId}) and last_seen_at < now() - interval '1 day'`.execute(
    db,
  );
}

/** Notes that the password has just been typed. */
export async function recordAuthentication(db: Db, sessionId: string): Promise<void> {
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

/** Ends every session of an account, all but `keep` where one is named. @returns how many there were */
export async function endSessions(db: Db, accountId: string, keep?: string): Promise<number> {
  let query = db.deleteFrom('sessions').where('account_id', '=', accountId);
  if (keep !== undefined) query = query.where('id', '!=', keep);
  const { numDeletedRows } = await query.executeTakeFirst();
  return Number(numDeletedRows);
}
