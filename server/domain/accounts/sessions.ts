import { CompiledQuery, type InferResult, sql } from 'kysely';
import { type User } from '#contract/identity.ts';
import { recentSignInSeconds } from '#contract/durations.ts';
import { type Db, now } from '#server/db/client.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { picturePath } from '../people/picture-sizes.ts';
import { hashToken, newToken } from '#server/platform/crypto/tokens.ts';
import type { Account } from './accounts.ts';
import { awaitsConfirmationSql } from '../membership/membership-status.ts';

export const sessionTtlDays = 30;

export interface Session {
  readonly id: string;
  readonly account: Account;
  readonly user: User;
  /** Whether the password was entered within the last five minutes. */
  readonly isRecent: boolean;
  /** Whether the session was last renewed more than an hour ago. */
  readonly isDueForRenewal: boolean;
}

/** Maximum number of sessions, and of known devices, per account. A new one replaces the least recently used. */
export const maxDevicesPerAccount = 50;

const maxUnreadCount = 100;

/**
 * Starts a session.
 * @param isRecent false: the password was not entered, so that sensitive actions and the staff console ask for it
 * @returns its token for the cookie; the database stores only a hash
 */
export async function startSession(db: Db, accountId: string, userAgent: string, isRecent: boolean): Promise<string> {
  const { token, hash } = newToken();
  await db
    .insertInto('sessions')
    .values({
      token_hash: hash,
      account_id: accountId,
      user_agent: userAgent.slice(0, 300),
      ...(!isRecent && { authenticated_at: sql<Date>`'epoch'` }),
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

/**
 * Compiled once, because building this query takes as long as running it. Its only parameter is the list of token
 * hashes.
 */
let sessionQuery: ReturnType<typeof buildSessionQuery> | undefined;
const buildSessionQuery = (db: Db) =>
  db
    .selectFrom('sessions as s')
    .innerJoin('accounts as a', 'a.id', 's.account_id')
    .leftJoin('profiles as p', 'p.account_id', 'a.id')
    .select([
      's.token_hash as tokenHash',
      's.id as sessionId',
      'a.id',
      'a.email',
      'a.email_verified as emailVerified',
      'a.display_name as displayName',
      'a.membership_status as status',
      'a.confirm_by as confirmBy',
      sql<boolean>`${sql.raw(awaitsConfirmationSql)}`.as('awaitsConfirmation'),
      // Evaluated only in the mode `confirmed`.
      sql<boolean | null>`case when (select mode = 'confirmed' from membership_mode)
        then exists (select from claims where claims.account_id = a.id and state = 'waiting') end`.as('isWaiting'),
      sql<boolean>`exists (select from staff_roles r where r.account_id = a.id and (r.ends_at is null or r.ends_at > now()))`.as(
        'isStaff',
      ),
      'p.picture',
      'p.department',
      'p.year_graduated as yearGraduated',
      // A time far in the future was written while the clock was wrong.
      sql<boolean>`s.authenticated_at between now() - make_interval(secs => ${sql.lit(recentSignInSeconds)})
        and now() + make_interval(secs => ${sql.lit(recentSignInSeconds)})`.as('isRecent'),
      sql<boolean>`s.seen_at < now() - interval '1 hour'`.as('isDueForRenewal'),
      sql<number>`(select count(*) from (
        select from notifications n where n.account_id = a.id and n.read_at is null limit ${sql.lit(maxUnreadCount)}
      ) as unread)::int`.as('unread'),
    ])
    // A subquery hides the number of hashes from the planner, so that it keeps one plan instead of planning each
    // execution.
    .where('s.token_hash', '=', sql<Buffer>`any((select ${[]}::bytea[])::bytea[])`)
    .where('s.expires_at', '>', now)
    .where('a.is_active', '=', sql.lit(true))
    .compile();
type SessionRow = InferResult<ReturnType<typeof buildSessionQuery>>[number];

/** Never cached, so that a revoked session ends immediately. */
export const findSession = async (db: Db, token: string): Promise<Session | null> =>
  (await findSessions(db, [token])).get(token) ?? null;

export async function findSessions(db: Db, tokens: readonly string[]): Promise<ReadonlyMap<string, Session>> {
  sessionQuery ??= buildSessionQuery(db);
  const tokensByHash = new Map(tokens.map((token) => [hashToken(token).toString('hex'), token]));
  const hashes = Array.from(tokensByHash.keys(), (hash) => Buffer.from(hash, 'hex'));
  const query: typeof sessionQuery = { ...sessionQuery, parameters: [hashes] };
  const { rows } = await db.executeQuery(query);
  return new Map(rows.map((row) => [tokensByHash.get(row.tokenHash.toString('hex')) ?? '', toSession(row)] as const));
}

function toSession(row: SessionRow): Session {
  const { id, email, emailVerified, displayName, awaitsConfirmation, department, yearGraduated, unread, isStaff } = row;
  const { sessionId, picture, status, confirmBy, isWaiting, isRecent, isDueForRenewal } = row;
  return {
    id: sessionId,
    account: { id, email, emailVerified, displayName, awaitsConfirmation },
    user: {
      uid: id,
      email,
      emailVerified,
      displayName,
      imgURL: picture === null ? null : picturePath(picture, 96),
      department,
      yearGraduated,
      unread,
      membership: isWaiting === null ? null : { status, confirmBy: confirmBy?.toISOString() ?? null, isWaiting },
      isStaff,
    },
    isRecent,
    isDueForRenewal,
  };
}

/**
 * Returns whether the session of a cookie is still stored, even if the session has expired. If the clock was wrong, the
 * session becomes valid again.
 */
export async function hasExpiredSession(db: Db, token: string): Promise<boolean> {
  const row = await db
    .selectFrom('sessions')
    .select('id')
    .where('token_hash', '=', hashToken(token))
    .executeTakeFirst();
  return row !== undefined;
}

export interface LockedAccount extends Account {
  readonly passwordHash: string;
  readonly isDisabled: boolean;
  readonly suspendedUntil: Date | null;
  /** Whether the deletion was requested and a previous email address can still cancel it. */
  readonly isDeletionPending: boolean;
}

/**
 * Columns of a locked account. Named instead of `*`: a migration that adds a column would break prepared statements.
 */
const lockedColumns = `id, email, email_verified as "emailVerified", display_name as "displayName", password_hash as "passwordHash",
  disabled_at is not null as "isDisabled", suspended_until as "suspendedUntil", deletes_at is not null as "isDeletionPending",
  ${awaitsConfirmationSql} as "awaitsConfirmation"`;

/**
 * Locks an active account and its session for the rest of the transaction, so that changes to one account are
 * serialized, and a request of an ended session changes nothing.
 * @throws ProblemError auth/unauthenticated if the session has ended
 */
export async function lockAccountOfSession(tx: Db, { id, account }: Session): Promise<LockedAccount> {
  const { rows } = await tx.executeQuery<LockedAccount>(
    CompiledQuery.raw(
      `with owner as (select ${lockedColumns} from accounts where id = $1 and is_active for no key update),
       held_session as (
         -- Reads \`owner\`, so that it locks after the account, as everything that ends sessions does.
         select from sessions s join owner on owner.id = s.account_id where s.id = $2 for key share of s
       )
       select owner.* from owner, held_session`,
      [account.id, id],
    ),
  );
  if (!rows[0]) throw new ProblemError('auth/unauthenticated');
  return rows[0];
}

export async function lockAccount(tx: Db, accountId: string): Promise<LockedAccount | null> {
  const { rows } = await tx.executeQuery<LockedAccount>(
    // Inserts that only reference the account, such as a notification, do not wait for this lock.
    CompiledQuery.raw(`select ${lockedColumns} from accounts where id = $1 for no key update`, [accountId]),
  );
  return rows[0] ?? null;
}

/** Extends a session by `sessionTtlDays` from now, and updates the day on which its account was last used. */
export async function renewSession(db: Db, sessionId: string): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ seen_at: now, expires_at: sql<Date>`now() + make_interval(days => ${sessionTtlDays})` })
    .where('id', '=', sessionId)
    .execute();
  // At most once a day, because the update locks the row of the account.
  await sql`
    update accounts set last_seen_at = now()
    where id = (select account_id from sessions where id = ${sessionId})
      and last_seen_at < now() - interval '1 day'`.execute(db);
}

export async function recordAuthentication(db: Db, sessionId: string): Promise<void> {
  await db.updateTable('sessions').set({ authenticated_at: now }).where('id', '=', sessionId).execute();
}

export async function endSession(db: Db, accountId: string, sessionId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('account_id', '=', accountId)
    .where('id', '=', sessionId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function endSessions(db: Db, accountId: string, keep?: string): Promise<number> {
  let query = db.deleteFrom('sessions').where('account_id', '=', accountId);
  if (keep !== undefined) query = query.where('id', '!=', keep);
  const { numDeletedRows } = await query.executeTakeFirst();
  return Number(numDeletedRows);
}
