import { sql } from 'kysely';
import type { ActionMode } from '#contract/identity.ts';
import { type Db, now } from '#server/db/client.ts';
import { lockAccount } from '#server/domain/accounts/sessions.ts';
import type { Attempt } from '#server/platform/jobs/define-job.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { hashToken, newToken } from '#server/platform/crypto/tokens.ts';

export const recoveryTtl = '30 days';

/** Validity of each kind of code, as PostgreSQL intervals (identity rule 1). */
const codeTtls: Record<ActionMode, string> = {
  verifyEmail: '3 days',
  verifyAndChangeEmail: '3 days',
  resetPassword: '1 hour',
  recoverEmail: recoveryTtl,
  refuseEmailChange: '7 days',
};

/** Time in which an expired code stays in the database, so that its link is reported as expired and not as invalid. */
const usedCodeRetention = '30 days';

export interface Action {
  readonly mode: ActionMode;
  readonly email: string;
}

export interface Code extends Action {
  readonly codeHash: Buffer;
  readonly accountId: string;
  readonly mailId: string | null;
  readonly isUsed: boolean;
  readonly isExpired: boolean;
  readonly accountEmail: string;
  readonly isAccountVerified: boolean;
  readonly pendingEmail: string | null;
}

/**
 * Creates a code. The database stores only its hash. A new code replaces older codes of the same mode, with two
 * exceptions. Codes of earlier attempts at the same mail stay, because that mail may have arrived (decision 23).
 * Recovery codes stay, because an attacker who changes the address twice must not end the owner's recovery, and because
 * a pending deletion sends a second one.
 * @param expiresAt overrides the expiry of the mode
 * @returns the code for the link
 */
export async function issueCode(
  db: Db,
  mode: ActionMode,
  accountId: string,
  email: string,
  { jobId }: Pick<Attempt, 'jobId'>,
  expiresAt?: Date,
): Promise<string> {
  const { token, hash } = newToken();
  await db.transaction().execute(async (tx) => {
    if (mode !== 'recoverEmail')
      await tx
        .deleteFrom('action_codes')
        .where('account_id', '=', accountId)
        .where('mode', '=', mode)
        .where('mail_id', 'is distinct from', jobId)
        .execute();
    await tx
      .insertInto('action_codes')
      .values({
        code_hash: hash,
        mode,
        account_id: accountId,
        email,
        mail_id: jobId,
        expires_at: expiresAt ?? sql<Date>`now() + ${codeTtls[mode]}::interval`,
      })
      .execute();
  });
  return token;
}

/**
 * Does not use the code.
 * @throws ProblemError auth/invalid-action-code, auth/expired-action-code
 */
export const checkCode = async (db: Db, text: string): Promise<Code> =>
  requireUsable(await selectCode(db, text).executeTakeFirst());

/**
 * Uses a code. Locks the account, then the code, as all changes of accounts do, so that only one of several parallel
 * calls succeeds. Call it in a transaction.
 * @throws ProblemError auth/invalid-action-code, auth/expired-action-code
 */
export async function useCode(db: Db, text: string): Promise<Code> {
  const owner = await db
    .selectFrom('action_codes')
    .select('account_id')
    .where('code_hash', '=', hashToken(text))
    .executeTakeFirst();
  if (owner) await lockAccount(db, owner.account_id);
  const code = requireUsable(await selectCode(db, text).forUpdate('c').executeTakeFirst());
  await markUsed(db, code);
  return code;
}

/**
 * @returns the id of the account
 * @throws ProblemError auth/invalid-action-code, auth/expired-action-code
 */
export async function useResetCode(db: Db, text: string): Promise<string> {
  const { mode, accountId } = await useCode(db, text);
  if (mode !== 'resetPassword') throw new ProblemError('auth/invalid-action-code');
  return accountId;
}

export async function deleteCodes(db: Db, accountId: string, modes: readonly ActionMode[]): Promise<void> {
  await db.deleteFrom('action_codes').where('account_id', '=', accountId).where('mode', 'in', modes).execute();
}

/** Call it after a change of the password, because an attacker may have requested the pending changes. */
export async function cancelPendingChanges(db: Db, accountId: string): Promise<void> {
  await deleteCodes(db, accountId, ['resetPassword', 'verifyAndChangeEmail']);
  await db.updateTable('accounts').set({ pending_email: null }).where('id', '=', accountId).execute();
}

export async function deleteExpiredCodes(db: Db): Promise<void> {
  await db
    .deleteFrom('action_codes')
    .where('expires_at', '<', sql<Date>`now() - ${usedCodeRetention}::interval`)
    .execute();
  await db.deleteFrom('held_addresses').where('until', '<', now).execute();
}

const selectCode = (db: Db, text: string) =>
  db
    .selectFrom('action_codes as c')
    .innerJoin('accounts as a', 'a.id', 'c.account_id')
    .select([
      'c.code_hash as codeHash',
      'c.mode',
      'c.account_id as accountId',
      'c.email',
      'c.mail_id as mailId',
      'a.email as accountEmail',
      'a.email_verified as isAccountVerified',
      'a.pending_email as pendingEmail',
      sql<boolean>`c.used_at is not null`.as('isUsed'),
      sql<boolean>`c.expires_at <= now()`.as('isExpired'),
    ])
    .where('c.code_hash', '=', hashToken(text))
    // Recovery codes do not work while the account is disabled. While its deletion is pending, only they work.
    .where('a.disabled_at', 'is', null)
    .where('a.suspended_until', 'is', null)
    .where((eb) => eb.or([eb('a.deletes_at', 'is', null), eb('c.mode', '=', 'recoverEmail')]));

function requireUsable(code: Code | undefined): Code {
  if (!code) throw new ProblemError('auth/invalid-action-code');
  const { mode, email, accountEmail, pendingEmail, isUsed, isExpired } = code;
  // Other codes than those for recovery prove only the address that they were mailed to.
  const provable = mode === 'recoverEmail' ? email : mode === 'verifyAndChangeEmail' ? pendingEmail : accountEmail;
  // People click links twice, and mail programs preload links. A repeated verification succeeds while the address is
  // verified.
  const isHarmlessRepeat = isUsed && mode === 'verifyEmail' && code.isAccountVerified;
  if (email !== provable || (isUsed && !isHarmlessRepeat)) throw new ProblemError('auth/invalid-action-code');
  if (isExpired && !isHarmlessRepeat) throw new ProblemError('auth/expired-action-code');
  return code;
}

/** Marks a code as used, together with codes in copies of the same mail and all recovery codes for the same address. */
async function markUsed(db: Db, { accountId, codeHash, mailId, mode, email }: Code): Promise<void> {
  await db
    .updateTable('action_codes')
    .set({ used_at: now })
    .where('account_id', '=', accountId)
    .where((eb) => {
      const same = [eb('code_hash', '=', codeHash), eb('mail_id', '=', mailId)];
      return eb.or(mode === 'recoverEmail' ? [...same, eb.and({ mode, email })] : same);
    })
    .where('used_at', 'is', null)
    .execute();
}
