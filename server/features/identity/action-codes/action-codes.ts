import { sql } from 'kysely';
import type { ActionMode } from '#contract/identity.ts';
import { type Db, now } from '#server/db/client.ts';
import { isAddressTaken } from '#server/domain/accounts/accounts.ts';
import { endFirstClaim } from '#server/domain/membership/claims.ts';
import { clearMailFailure } from '#server/domain/mail/mail-failures.ts';
import { notify } from '#server/domain/notifications/notify.ts';
import { resumeListings } from '#server/domain/people/people.ts';
import { endSessions, lockAccount } from '#server/domain/accounts/sessions.ts';
import { cancelRequests } from '#server/domain/staff/approvals.ts';
import { queueInvitations } from '#server/domain/staff/invitations.ts';
import type { Attempt } from '#server/platform/jobs/define-job.ts';
import type { Limiter } from '#server/domain/rate-limit-rules.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { hashToken, newToken } from '#server/platform/crypto/tokens.ts';
import { disconnect } from '../campus/identities.ts';
import { journalCancellationJob, recoverEmailMailJob, resetMailJob, addressReclaimedJob } from '../jobs.ts';
import { forgetDevices } from '../sessions/known-devices.ts';
import { endPendingSignIns } from '../sessions/pending-sign-ins.ts';
import { removeFactorsOfAttacker } from '../second-factor/second-factor.ts';

export const recoveryTtl = '30 days';

/** Validity of each kind of code, as PostgreSQL intervals (identity rule 1). */
const codeTtls: Record<ActionMode, string> = {
  verifyEmail: '3 days',
  verifyAndChangeEmail: '3 days',
  resetPassword: '1 hour',
  recoverEmail: recoveryTtl,
  refuseEmailChange: '7 days',
};

/** Modes of codes that work only while their address is the current one. */
const ownAddressModes: ReadonlySet<ActionMode> = new Set(['verifyEmail', 'resetPassword', 'refuseEmailChange']);

const unusablePasswordHash = '!';

/** Time in which an expired code stays in the database, so that its link is reported as expired and not as invalid. */
const usedCodeRetention = '30 days';

export interface Action {
  readonly mode: ActionMode;
  readonly email: string;
}

interface CodeRow extends Action {
  readonly codeHash: Buffer;
  readonly accountId: string;
  readonly mailId: string | null;
  readonly used: boolean;
  readonly expired: boolean;
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
  if (mode !== 'recoverEmail')
    await db
      .deleteFrom('action_codes')
      .where('account_id', '=', accountId)
      .where('mode', '=', mode)
      .where('mail_id', 'is distinct from', jobId)
      .execute();
  const { token, hash } = newToken();
  await db
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
  return token;
}

/**
 * Does not use the code.
 * @throws ProblemError auth/invalid-action-code, auth/expired-action-code
 */
export async function checkCode(db: Db, code: string): Promise<Action & { accountId: string }> {
  const { mode, email, accountId } = await readCode(db, code, false);
  return { mode, email, accountId };
}

/**
 * Uses a code and performs its action. The row is locked, so that only one of several parallel calls succeeds. Call it
 * in a transaction. A password reset is not handled here, because it needs the new password (`change-password.ts`).
 * @throws ProblemError auth/invalid-action-code, auth/expired-action-code, auth/email-already-in-use
 */
export async function applyCode(limiter: Limiter, db: Db, code: string): Promise<Action> {
  const row = await readCode(db, code, true);
  switch (row.mode) {
    case 'verifyEmail':
      await verifyEmail(db, row);
      break;
    case 'verifyAndChangeEmail':
      await changeEmail(db, row);
      break;
    case 'recoverEmail':
      await recoverEmail(limiter, db, row);
      break;
    case 'refuseEmailChange':
      await refuseEmailChange(db, row);
      break;
    case 'resetPassword':
      throw new ProblemError('auth/invalid-action-code');
  }
  return { mode: row.mode, email: row.email };
}

/**
 * @returns the id of the account
 * @throws ProblemError auth/invalid-action-code, auth/expired-action-code
 */
export async function useResetCode(db: Db, code: string): Promise<string> {
  const row = await readCode(db, code, true);
  if (row.mode !== 'resetPassword') throw new ProblemError('auth/invalid-action-code');
  await markUsed(db, row);
  return row.accountId;
}

/** Call it after a change of the password, because an attacker may have requested the pending changes. */
export async function cancelPendingChanges(db: Db, accountId: string): Promise<void> {
  await db
    .deleteFrom('action_codes')
    .where('account_id', '=', accountId)
    .where('mode', 'in', ['resetPassword', 'verifyAndChangeEmail'])
    .execute();
  await db.updateTable('accounts').set({ pending_email: null }).where('id', '=', accountId).execute();
}

export async function deleteExpiredCodes(db: Db): Promise<void> {
  await db
    .deleteFrom('action_codes')
    .where('expires_at', '<', sql<Date>`now() - ${usedCodeRetention}::interval`)
    .execute();
  await db.deleteFrom('held_addresses').where('until', '<', now).execute();
}

/** @param shouldLock locks the account, then the code; all changes of accounts lock in this order */
async function readCode(db: Db, code: string, shouldLock: boolean): Promise<CodeRow> {
  if (shouldLock) {
    const owner = await db
      .selectFrom('action_codes')
      .select('account_id')
      .where('code_hash', '=', hashToken(code))
      .executeTakeFirst();
    if (owner) await lockAccount(db, owner.account_id);
  }
  let query = db
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
      sql<boolean>`c.used_at is not null`.as('used'),
      sql<boolean>`c.expires_at <= now()`.as('expired'),
    ])
    .where('c.code_hash', '=', hashToken(code))
    // Recovery codes do not work while the account is disabled. While its deletion is pending, only they work.
    .where('a.disabled_at', 'is', null)
    .where('a.suspended_until', 'is', null)
    .where((eb) => eb.or([eb('a.deletes_at', 'is', null), eb('c.mode', '=', 'recoverEmail')]));
  if (shouldLock) query = query.forUpdate('c');
  const row = await query.executeTakeFirst();
  if (!row) throw new ProblemError('auth/invalid-action-code');

  const isOwnAddress = row.email === row.accountEmail;
  // These codes prove only the address that they were mailed to, so it has to be the current one.
  if (ownAddressModes.has(row.mode) && !isOwnAddress) {
    throw new ProblemError('auth/invalid-action-code');
  }
  if (row.mode === 'verifyAndChangeEmail' && !row.used && row.email !== row.pendingEmail) {
    throw new ProblemError('auth/invalid-action-code');
  }
  // People click links twice, and mail programs preload links. A repeated verification succeeds while the address is
  // verified.
  const isHarmlessRepeat = row.used && row.mode === 'verifyEmail' && row.isAccountVerified;
  if (row.used && !isHarmlessRepeat) throw new ProblemError('auth/invalid-action-code');
  if (row.expired && !isHarmlessRepeat) throw new ProblemError('auth/expired-action-code');
  return row;
}

/** Marks a code as used, together with codes in copies of the same mail and all recovery codes for the same address. */
async function markUsed(db: Db, { accountId, codeHash, mailId, mode, email }: CodeRow): Promise<void> {
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

async function verifyEmail(db: Db, row: CodeRow): Promise<void> {
  await markUsed(db, row);
  if (row.isAccountVerified) return;
  await db.updateTable('accounts').set({ email_verified: true }).where('id', '=', row.accountId).execute();
  await queueInvitations(db, row.accountId);
  await clearMailFailure(db, row.email);
  await notify(db, row.accountId, 'email-verified', row.email);
}

/** If the old address was verified, reserves it and mails a recovery code to it. */
async function changeEmail(db: Db, row: CodeRow): Promise<void> {
  if (await isAddressTaken(db, row.email, row.accountId)) throw new ProblemError('auth/email-already-in-use');
  await markUsed(db, row);
  await moveAccount(db, row.accountId, row.email);
  await notify(db, row.accountId, 'email-changed', row.email);
  // Codes that were mailed to the old address prove nothing about the new one.
  await db
    .deleteFrom('action_codes')
    .where('account_id', '=', row.accountId)
    .where('mode', 'in', ['verifyEmail', 'resetPassword'])
    .execute();
  if (!row.isAccountVerified) return;
  await db
    .insertInto('held_addresses')
    .values({
      email: row.accountEmail,
      account_id: row.accountId,
      since: now,
      until: sql<Date>`now() + ${codeTtls.recoverEmail}::interval`,
    })
    .onConflict((conflict) =>
      conflict.column('email').doUpdateSet((eb) => ({
        account_id: eb.ref('excluded.account_id'),
        since: eb.ref('excluded.since'),
        until: eb.ref('excluded.until'),
      })),
    )
    .execute();
  await recoverEmailMailJob.queue(db, { accountId: row.accountId, email: row.accountEmail });
}

/**
 * Restores a previous address. The person who changed it knew the password, so this invalidates the password, all
 * sessions, all codes, recent factors and the university account, and queues a password reset mail. The removed address
 * gets a mail as well. Older recovery codes stay, because they belong to addresses before this one.
 */
async function recoverEmail(limiter: Limiter, db: Db, row: CodeRow): Promise<void> {
  if (await isAddressTaken(db, row.email, row.accountId)) throw new ProblemError('auth/email-already-in-use');
  await markUsed(db, row);
  await moveAccount(db, row.accountId, row.email);
  await notify(db, row.accountId, 'email-changed', row.email);
  await db
    .updateTable('accounts')
    .set({ password_hash: unusablePasswordHash })
    .where('id', '=', row.accountId)
    .execute();
  await endSessions(db, row.accountId);
  await forgetDevices(db, row.accountId);
  await endPendingSignIns(db, row.accountId);
  await removeFactorsSinceChange(db, row);
  await disconnect(db, { id: row.accountId, email: row.email, emailVerified: true });
  const given = await db
    .deleteFrom('held_addresses as h')
    .where('account_id', '=', row.accountId)
    .where('since', '>=', (eb) =>
      eb
        .selectFrom('held_addresses')
        .select('since')
        .where('email', '=', row.email)
        .where('account_id', '=', row.accountId),
    )
    .returning('email')
    .execute();
  const addresses = given.map(({ email }) => email).filter((email) => email !== row.email);
  await db
    .deleteFrom('action_codes')
    .where('account_id', '=', row.accountId)
    .where((eb) => {
      const ofOtherModes = eb('mode', '!=', 'recoverEmail');
      return addresses.length > 0 ? eb.or([ofOtherModes, eb('email', 'in', addresses)]) : ofOtherModes;
    })
    .execute();
  await cancelDeletion(db, row.accountId);
  if (row.accountEmail !== row.email) await addressReclaimedJob.queue(db, { email: row.accountEmail });
  // Clear the limits that an attacker may have used up, so that the owner gets the mail and can sign in.
  for (const rule of ['signInByAccount', 'resetMailByRecipient'] as const)
    await limiter.clearAttempts(db, rule, row.email);
  await limiter.countAttempt(db, 'resetMailByRecipient', row.email);
  await resetMailJob.queue(db, { email: row.email });
}

/** Cancels the email changes that staff requested, including an approved one whose link was not opened yet. */
async function refuseEmailChange(db: Db, row: CodeRow): Promise<void> {
  await markUsed(db, row);
  await cancelRequests(db, 'address-change', { accountId: row.accountId }, row.accountId);
  await db
    .deleteFrom('action_codes')
    .where('account_id', '=', row.accountId)
    .where('mode', '=', 'verifyAndChangeEmail')
    .execute();
  await db.updateTable('accounts').set({ pending_email: null }).where('id', '=', row.accountId).execute();
}

async function cancelDeletion(db: Db, accountId: string): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('accounts')
    .set({ deletes_at: null })
    .where('id', '=', accountId)
    .where('deletes_at', 'is not', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  await resumeListings(db, accountId);
  await journalCancellationJob.queue(db, { accountId, at: new Date().toISOString() });
}

/** Removes the factors that were added since shortly before the email change, which may be an attacker's. */
async function removeFactorsSinceChange(db: Db, { accountId, email }: CodeRow): Promise<void> {
  const hold = await db
    .selectFrom('held_addresses')
    .select('since')
    .where('email', '=', email)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (hold) await removeFactorsOfAttacker(db, accountId, hold.since);
}

async function moveAccount(db: Db, accountId: string, email: string): Promise<void> {
  await endFirstClaim(db, accountId);
  await db
    .updateTable('accounts')
    .set({ email, email_verified: true, pending_email: null })
    .where('id', '=', accountId)
    .execute();
  await queueInvitations(db, accountId);
}
