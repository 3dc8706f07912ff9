import { sql } from 'kysely';
import type { ActionMode } from '#contract/identity.ts';
import { type Db, now } from '#server/db/client.ts';
import { isAddressTaken } from '#server/domain/accounts/accounts.ts';
import { endFirstClaim } from '#server/domain/membership/claims.ts';
import { clearMailFailure } from '#server/domain/mail/mail-failures.ts';
import { notify } from '#server/domain/notifications/notify.ts';
import { resumeListings } from '#server/domain/people/people.ts';
import { endSessions } from '#server/domain/accounts/sessions.ts';
import { cancelRequests } from '#server/domain/staff/approvals.ts';
import { queueInvitations } from '#server/domain/staff/invitations.ts';
import type { Limiter } from '#server/domain/rate-limit-rules.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { disconnect } from '../campus/identities.ts';
import { journalCancellationJob, recoverEmailMailJob, resetMailJob, addressReclaimedJob } from '../jobs.ts';
import { forgetDevices } from '../sessions/known-devices.ts';
import { endPendingSignIns } from '../sessions/pending-sign-ins.ts';
import { removeFactorsOfAttacker } from '../second-factor/second-factor.ts';
import { type Action, type Code, deleteCodes, recoveryTtl, useCode } from './action-codes.ts';

const unusablePasswordHash = '!';

/** A password reset is not here, because it needs the new password (`change-password.ts`). */
const effects: Partial<Record<ActionMode, (db: Db, code: Code, limiter: Limiter) => Promise<void>>> = {
  verifyEmail,
  verifyAndChangeEmail: changeEmail,
  recoverEmail,
  refuseEmailChange,
};

/**
 * Uses a code and performs its action. Call it in a transaction.
 * @throws ProblemError auth/invalid-action-code, auth/expired-action-code, auth/email-already-in-use
 */
export async function applyCode(limiter: Limiter, db: Db, text: string): Promise<Action> {
  const code = await useCode(db, text);
  const { mode, email } = code;
  const perform = effects[mode];
  if (!perform) throw new ProblemError('auth/invalid-action-code');
  await perform(db, code, limiter);
  return { mode, email };
}

async function verifyEmail(db: Db, { accountId, email, isAccountVerified }: Code): Promise<void> {
  if (isAccountVerified) return;
  await db.updateTable('accounts').set({ email_verified: true }).where('id', '=', accountId).execute();
  await queueInvitations(db, accountId);
  await clearMailFailure(db, email);
  await notify(db, accountId, 'email-verified', email);
}

/** If the old address was verified, reserves it and mails a recovery code to it. */
async function changeEmail(db: Db, { accountId, email, accountEmail, isAccountVerified }: Code): Promise<void> {
  if (await isAddressTaken(db, email, accountId)) throw new ProblemError('auth/email-already-in-use');
  await moveAccount(db, accountId, email);
  await notify(db, accountId, 'email-changed', email);
  // Codes that were mailed to the old address prove nothing about the new one.
  await deleteCodes(db, accountId, ['verifyEmail', 'resetPassword']);
  if (!isAccountVerified) return;
  await db
    .insertInto('held_addresses')
    .values({
      email: accountEmail,
      account_id: accountId,
      since: now,
      until: sql<Date>`now() + ${recoveryTtl}::interval`,
    })
    .onConflict((conflict) =>
      conflict.column('email').doUpdateSet((eb) => ({
        account_id: eb.ref('excluded.account_id'),
        since: eb.ref('excluded.since'),
        until: eb.ref('excluded.until'),
      })),
    )
    .execute();
  await recoverEmailMailJob.queue(db, { accountId, email: accountEmail });
}

/**
 * Restores a previous address. The person who changed it knew the password, so this invalidates the password, all
 * sessions, all codes, recent factors and the university account, and queues a password reset mail. The removed address
 * gets a mail as well. Older recovery codes stay, because they belong to addresses before this one.
 */
async function recoverEmail(db: Db, { accountId, email, accountEmail }: Code, limiter: Limiter): Promise<void> {
  if (await isAddressTaken(db, email, accountId)) throw new ProblemError('auth/email-already-in-use');
  await moveAccount(db, accountId, email);
  await notify(db, accountId, 'email-changed', email);
  await db.updateTable('accounts').set({ password_hash: unusablePasswordHash }).where('id', '=', accountId).execute();
  await endSessions(db, accountId);
  await forgetDevices(db, accountId);
  await endPendingSignIns(db, accountId);
  await removeFactorsSinceChange(db, accountId, email);
  await disconnect(db, { id: accountId, email, emailVerified: true });
  const given = await db
    .deleteFrom('held_addresses as h')
    .where('account_id', '=', accountId)
    .where('since', '>=', (eb) =>
      eb.selectFrom('held_addresses').select('since').where('email', '=', email).where('account_id', '=', accountId),
    )
    .returning('email')
    .execute();
  const addresses = given.map((held) => held.email).filter((one) => one !== email);
  await sql`
    delete from action_codes
    where account_id = ${accountId} and (mode <> 'recoverEmail' or email = any(${addresses}::text[]))`.execute(db);
  await cancelDeletion(db, accountId);
  if (accountEmail !== email) await addressReclaimedJob.queue(db, { email: accountEmail });
  // Clear the limits that an attacker may have used up, so that the owner gets the mail and can sign in.
  for (const rule of ['signInByAccount', 'resetMailByRecipient'] as const) await limiter.clearAttempts(db, rule, email);
  await limiter.countAttempt(db, 'resetMailByRecipient', email);
  await resetMailJob.queue(db, { email });
}

/** Cancels the email changes that staff requested, including an approved one whose link was not opened yet. */
async function refuseEmailChange(db: Db, { accountId }: Code): Promise<void> {
  await cancelRequests(db, 'address-change', { accountId }, accountId);
  await deleteCodes(db, accountId, ['verifyAndChangeEmail']);
  await db.updateTable('accounts').set({ pending_email: null }).where('id', '=', accountId).execute();
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
async function removeFactorsSinceChange(db: Db, accountId: string, email: string): Promise<void> {
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
