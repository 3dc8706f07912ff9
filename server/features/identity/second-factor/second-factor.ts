import type * as z from 'zod/mini';
import { randomBytes } from 'node:crypto';
import { type NotNull, type RawBuilder, sql } from 'kysely';
import type { SecondFactor } from '#contract/second-factor.ts';
import { type Db, now } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { holdConsoleForFactor } from '#server/domain/staff/console-access.ts';
import { type LockedAccount, endSessions, type Session } from '#server/domain/accounts/sessions.ts';
import { base32 } from '#server/platform/crypto/totp.ts';
import { hashToken } from '#server/platform/crypto/tokens.ts';
import { isActiveRole } from '#server/domain/staff/roles.ts';
import { type FactorChange, factorChangedJob } from '../jobs.ts';

/*
 * An account has a second factor if it has a confirmed authenticator app or a passkey. Its password alone is then not
 * enough to sign in. Recovery codes are created with the first factor and deleted with the last one.
 */

const recoveryCodeCount = 10;

/** 80 bits: too many for a brute-force search with a stolen hash. */
const recoveryCodeBytes = 10;

export async function hasSecondFactor(db: Db, accountId: string): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (select from authenticators where account_id = ${accountId} and confirmed_at is not null)
        or exists (select from passkeys where account_id = ${accountId}) as has`.execute(db);
  return rows[0]?.has ?? false;
}

export async function findSecondFactor(db: Db, accountId: string): Promise<z.input<typeof SecondFactor>> {
  const authenticator = await db
    .selectFrom('authenticators')
    .select('confirmed_at as addedAt')
    .where('account_id', '=', accountId)
    .where('confirmed_at', 'is not', null)
    .$narrowType<{ addedAt: NotNull }>()
    .executeTakeFirst();
  const passkeys = await db
    .selectFrom('passkeys')
    .select(['id', 'name', 'created_at as createdAt', 'used_at as usedAt'])
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .execute();
  return {
    authenticator: authenticator ?? null,
    passkeys,
    recoveryCodes: await countRecoveryCodes(db, accountId),
  };
}

/**
 * Adds a factor and queues a mail about it. The first factor also creates recovery codes and ends all other sessions,
 * because they were opened with the password alone. Call it in a transaction that locks the account of the session.
 * @returns new recovery codes if this is the first factor; otherwise null
 */
export async function addFactor(
  context: Pick<Context, 'limiter'>,
  tx: Db,
  session: Session,
  account: LockedAccount,
  { change, detail = '', add }: { change: FactorChange; detail?: string; add: () => Promise<void> },
): Promise<string[] | null> {
  const isFirst = !(await hasSecondFactor(tx, account.id));
  await add();
  await queueFactorMail(tx, account, change, detail);
  await holdConsoleForFactor(context, tx, account.id, isFirst);
  if (!isFirst) return null;
  await endSessions(tx, account.id, session.id);
  return createRecoveryCodes(tx, account.id);
}

/** Deletes the recovery codes if no factor is left. */
export async function recordFactorRemoval(
  tx: Db,
  account: LockedAccount,
  change: FactorChange,
  detail = '',
): Promise<void> {
  await deleteUnneededRecoveryCodes(tx, account.id);
  await queueFactorMail(tx, account, change, detail);
}

export type FactorOwner = Pick<LockedAccount, 'id' | 'email' | 'emailVerified'>;

export async function queueFactorMail(
  tx: Db,
  { id, email, emailVerified }: FactorOwner,
  change: FactorChange,
  detail = '',
): Promise<void> {
  if (!emailVerified) return;
  await factorChangedJob.queue(tx, { email, change, detail, isOn: await hasSecondFactor(tx, id) });
}

/**
 * Days after which a factor survives a password reset by mail. A newer factor is removed by the reset: an attacker who
 * has stolen the password could otherwise lock the owner out with their own factor.
 */
const recentFactorDays = 7;

/**
 * Removes the factors that are too recent to survive a password reset. Those of staff stay, because access to the
 * mailbox must not be enough to open the staff console: an owner or the operator removes them.
 * @returns whether any factor was removed
 */
export const removeRecentFactors = async (tx: Db, accountId: string): Promise<boolean> =>
  !(await isStaff(tx, accountId)) && removeFactorsSince(tx, accountId, toFactorCutoff(now));

async function isStaff(tx: Db, accountId: string): Promise<boolean> {
  const { rows } = await sql`
    select from staff_roles r where r.account_id = ${accountId} and ${isActiveRole}`.execute(tx);
  return rows.length > 0;
}

const toFactorCutoff = (moment: Date | RawBuilder<Date>) =>
  sql<Date>`${moment}::timestamptz - make_interval(days => ${recentFactorDays})`;

/**
 * Removes the factors that an attacker may have added: those since the email change, and those that were recent at that
 * time. Also deletes all recovery codes, because the attacker may have created them. The factors of staff stay, as in
 * `removeRecentFactors`.
 * @param since time of the email change
 */
export async function removeFactorsOfAttacker(tx: Db, accountId: string, since: Date): Promise<void> {
  if (await isStaff(tx, accountId)) return;
  await removeFactorsSince(tx, accountId, toFactorCutoff(since));
  await tx.deleteFrom('recovery_codes').where('account_id', '=', accountId).execute();
}

export const removeAllFactors = (tx: Db, accountId: string): Promise<boolean> =>
  removeFactorsSince(tx, accountId, sql<Date>`'-infinity'`);

async function removeFactorsSince(tx: Db, accountId: string, since: RawBuilder<Date>): Promise<boolean> {
  const authenticators = await tx
    .deleteFrom('authenticators')
    .where('account_id', '=', accountId)
    .where((eb) => eb.or([eb('confirmed_at', 'is', null), eb('confirmed_at', '>=', since)]))
    .returning('confirmed_at')
    .execute();
  const passkeys = await tx
    .deleteFrom('passkeys')
    .where('account_id', '=', accountId)
    .where('created_at', '>=', since)
    .returning('id')
    .execute();
  await deleteUnneededRecoveryCodes(tx, accountId);
  return passkeys.length > 0 || authenticators.some(({ confirmed_at }) => confirmed_at !== null);
}

/** @returns ten new codes to display; only their hashes are stored */
export async function createRecoveryCodes(tx: Db, accountId: string): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodeCount }, () => base32(randomBytes(recoveryCodeBytes)));
  await tx.deleteFrom('recovery_codes').where('account_id', '=', accountId).execute();
  await tx
    .insertInto('recovery_codes')
    .values(codes.map((code) => ({ account_id: accountId, code_hash: hashToken(code) })))
    .execute();
  return codes.map((code) => (code.match(/.{4}/gu) ?? []).join('-'));
}

/** @returns the number of remaining codes; null if the code is wrong or was used before */
export async function useRecoveryCode(tx: Db, accountId: string, code: string): Promise<number | null> {
  const { numDeletedRows } = await tx
    .deleteFrom('recovery_codes')
    .where('account_id', '=', accountId)
    .where('code_hash', '=', hashToken(code))
    .executeTakeFirst();
  return numDeletedRows > 0n ? countRecoveryCodes(tx, accountId) : null;
}

async function countRecoveryCodes(db: Db, accountId: string): Promise<number> {
  const { left } = await db
    .selectFrom('recovery_codes')
    .select(sql<number>`count(*)::int`.as('left'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return left;
}

async function deleteUnneededRecoveryCodes(tx: Db, accountId: string): Promise<void> {
  if (await hasSecondFactor(tx, accountId)) return;
  await tx.deleteFrom('recovery_codes').where('account_id', '=', accountId).execute();
}
