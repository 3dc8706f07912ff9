import { randomBytes } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { SecondFactor } from '#contract/second-factor.ts';
import type { Db } from '../../../db/client.ts';
import { type LockedAccount, endSessions, type Session } from '../../../domain/sessions.ts';
import { base32 } from '../../../platform/crypto/totp.ts';
import { hashToken } from '../../../platform/crypto/tokens.ts';
import { type FactorChange, factorChangedJob } from '../jobs.ts';

/*
 * An account has a second factor as soon as it has an authenticator app or a passkey; its password alone then opens
 * nothing. Recovery codes come with the first factor, and go with the last one.
 */

/** Codes that somebody gets at a time. */
const recoveryCodeCount = 10;

/** 80 bits: whoever has stolen their digests cannot find them by trying. */
const recoveryCodeBytes = 10;

/** Whether more than the password is asked for. */
export async function hasSecondFactor(db: Db, accountId: string): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (select from authenticators where account_id = ${accountId} and confirmed_at is not null)
        or exists (select from passkeys where account_id = ${accountId}) as has`.execute(db);
  return rows[0]?.has ?? false;
}

/** What an account has, for its owner. */
export async function findSecondFactor(db: Db, accountId: string): Promise<SecondFactor> {
  const authenticator = await db
    .selectFrom('authenticators')
    .select('confirmed_at')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  const passkeys = await db
    .selectFrom('passkeys')
    .select(['id', 'name', 'created_at', 'used_at'])
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .execute();
  const addedAt = authenticator?.confirmed_at;
  return {
    authenticator: addedAt ? { addedAt: addedAt.toISOString() } : null,
    passkeys: passkeys.map(({ id, name, created_at, used_at }) => ({
      id,
      name,
      createdAt: created_at.toISOString(),
      usedAt: used_at?.toISOString() ?? null,
    })),
    recoveryCodes: await countRecoveryCodes(db, accountId),
  };
}

/**
 * Adds a factor, and tells of it. The first one brings recovery codes, and ends every other session: they were opened
 * with the password alone, which is not enough any more. Belongs into a transaction that holds the session.
 * @returns the recovery codes, where there were none
 */
export async function addFactor(
  tx: Db,
  session: Session,
  account: LockedAccount,
  { change, detail = '', add }: { change: FactorChange; detail?: string; add: () => Promise<void> },
): Promise<string[] | null> {
  const isFirst = !(await hasSecondFactor(tx, account.id));
  await add();
  await queueFactorMail(tx, account, change, detail);
  if (!isFirst) return null;
  await endSessions(tx, account.id, session.id);
  return createRecoveryCodes(tx, account.id);
}

/** After a factor has been removed: without another one, recovery codes would recover nothing. */
export async function recordFactorRemoval(
  tx: Db,
  account: LockedAccount,
  change: FactorChange,
  detail = '',
): Promise<void> {
  await deleteUnneededRecoveryCodes(tx, account.id);
  await queueFactorMail(tx, account, change, detail);
}

/** A mail about a change, to a mailbox of which somebody has said that it is theirs. */
export async function queueFactorMail(
  tx: Db,
  { id, email, emailVerified }: Pick<LockedAccount, 'id' | 'email' | 'emailVerified'>,
  change: FactorChange,
  detail = '',
): Promise<void> {
  if (!emailVerified) return;
  await factorChangedJob.queue(tx, { email, change, detail, isOn: await hasSecondFactor(tx, id) });
}

/**
 * Days until a factor stands against its account's own mailbox. Before that, a link that was mailed takes it away: whoever has stolen a
 * password would keep its owner out with a factor of their own.
 */
const recentFactorDays = 7;

/** Takes away what is too young to stand against the mailbox. @returns whether there was something */
export const removeRecentFactors = (tx: Db, accountId: string): Promise<boolean> =>
  removeFactorsSince(tx, accountId, toFactorCutoff(sql<Date>`now()`));

const toFactorCutoff = (moment: Date | RawBuilder<Date>) =>
  sql<Date>`${moment}::timestamptz - make_interval(days => ${recentFactorDays})`;

/**
 * Takes away what a thief may have set up who has changed the address: everything since then, and what was young at that moment; and all
 * recovery codes, for nobody knows who had them made.
 */
export async function removeFactorsOfThief(tx: Db, accountId: string, since: Date): Promise<void> {
  await removeFactorsSince(tx, accountId, toFactorCutoff(since));
  await tx.deleteFrom('recovery_codes').where('account_id', '=', accountId).execute();
}

/** Takes away all of it. @returns whether there was something that counted */
export const removeAllFactors = (tx: Db, accountId: string): Promise<boolean> =>
  removeFactorsSince(tx, accountId, sql<Date>`'-infinity'`);

/** Takes away what was set up after a moment. @returns whether there was something that counted */
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

/** Ten new recovery codes in place of the old ones. @returns them as they are shown, this once */
export async function createRecoveryCodes(tx: Db, accountId: string): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodeCount }, () => base32(randomBytes(recoveryCodeBytes)));
  await tx.deleteFrom('recovery_codes').where('account_id', '=', accountId).execute();
  await tx
    .insertInto('recovery_codes')
    .values(codes.map((code) => ({ account_id: accountId, code_hash: hashToken(code) })))
    .execute();
  return codes.map((code) => (code.match(/.{4}/gu) ?? []).join('-'));
}

/** Uses a recovery code up. @returns how many are left; null when it is none, or not one any more */
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
