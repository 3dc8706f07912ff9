import { now } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { findActiveAddress, isInactive } from '#server/domain/accounts/accounts.ts';
import { endGracePeriods } from '#server/domain/membership/membership-mode.ts';
import { createMailBranding } from '#server/domain/mail/mail-branding.ts';
import { appendEntries, createEntry } from '#server/domain/accounts/deletion-journal.ts';
import { type Attempt, type JobHandlers, takeFailedJobs } from '#server/platform/jobs/define-job.ts';
import { deleteExpiredWindows } from '#server/platform/limits/rate-limits.ts';
import type { Mailer, Message } from '#server/platform/mail/mail.ts';
import { deleteExpiredCodes, issueCode } from './action-codes/action-codes.ts';
import { deleteDueAccounts, deleteUnverifiedAccounts, findPendingDeletion } from './account/delete-account.ts';
import {
  accountDeletedJob,
  addressRequestMailJob,
  changeEmailMailJob,
  nightlyCleanUpJob,
  pendingDeletionMailJob,
  factorChangedJob,
  gracePeriodsJob,
  hourlyCleanUpJob,
  hideUnusedJob,
  newDeviceJob,
  journalDeletionJob,
  journalCancellationJob,
  passwordChangedJob,
  signedOutMailJob,
  recoverEmailMailJob,
  resetMailJob,
  addressReclaimedJob,
  verificationMailJob,
} from './jobs.ts';
import { requestAddressEndNotices } from './campus/address-end-notices.ts';
import { requestGraceMails } from './account/grace-periods.ts';
import { hideUnusedAccounts } from './account/unused-accounts.ts';
import { deleteExpiredDevices } from './sessions/known-devices.ts';
import * as mails from './mails.ts';
import { noticeMailTasks } from './notice-mails.ts';
import { deleteExpiredChallenges } from './second-factor/passkeys.ts';
import { postponeWhileDisabled } from './account/pending-deletions.ts';
import { deleteExpiredPendingSignIns } from './sessions/pending-sign-ins.ts';

export function identityTasks(context: Context, mailer: Mailer): JobHandlers {
  const { db } = context;
  const branding = createMailBranding(context);
  const accountWith = (email: string) =>
    db
      .selectFrom('accounts')
      .select(['id', 'email_verified as emailVerified', 'mail_failed_to as mailFailedTo', 'verify_by as verifyBy'])
      .where('email', '=', email)
      .where('is_active', '=', true)
      .executeTakeFirst();
  const send = async (mail: Message, attempt: Attempt) => {
    if (!(await isInactive(db, mail.to))) await mailer.send(mail, attempt);
  };

  return {
    ...journalDeletionJob.handle((entry) => appendEntries(context, [entry])),
    ...journalCancellationJob.handle(async ({ accountId, at }) => {
      const entry = await createEntry(context.config.dataDir, 'returned', { accountId, at: new Date(at) });
      await appendEntries(context, [entry]);
    }),
    ...verificationMailJob.handle(async ({ accountId, email }, attempt) => {
      const account = await accountWith(email);
      // The account was deleted or has another address now, so the mail would be wrong.
      if (account?.id !== accountId) return;
      const { emailVerified, mailFailedTo, verifyBy } = account;
      if (emailVerified) {
        if (mailFailedTo === email) await mailer.send(mails.composeAddressTest(branding, email), attempt);
        return;
      }
      const code = await issueCode(db, 'verifyEmail', accountId, email, attempt);
      await mailer.send(mails.composeVerification(branding, email, { code, verifyBy }), attempt);
    }),
    ...resetMailJob.handle(async ({ email }, attempt) => {
      const account = await accountWith(email);
      if (!account) return;
      const code = await issueCode(db, 'resetPassword', account.id, email, attempt);
      await mailer.send(mails.composePasswordReset(branding, email, code), attempt);
    }),
    ...changeEmailMailJob.handle(async ({ accountId, email }, attempt) => {
      const account = await db
        .selectFrom('accounts')
        .select('pending_email')
        .where('id', '=', accountId)
        .where('is_active', '=', true)
        .executeTakeFirst();
      // Another change was requested since, or a new password cancelled this one.
      if (account?.pending_email !== email) return;
      const code = await issueCode(db, 'verifyAndChangeEmail', accountId, email, attempt);
      await mailer.send(mails.composeEmailChange(branding, email, code), attempt);
    }),
    ...addressRequestMailJob.handle(async ({ accountId, email: newEmail }, attempt) => {
      const to = await findActiveAddress(db, accountId);
      if (to === null) return;
      const code = await issueCode(db, 'refuseEmailChange', accountId, to, attempt);
      await mailer.send(mails.composeAddressRequest(branding, to, newEmail, code), attempt);
    }),
    ...recoverEmailMailJob.handle(async ({ accountId, email }, attempt) => {
      const hold = await db
        .selectFrom('held_addresses as h')
        .innerJoin('accounts as a', 'a.id', 'h.account_id')
        .select(['h.until', 'a.email as current'])
        .where('h.email', '=', email)
        .where('h.account_id', '=', accountId)
        .where('a.is_active', '=', true)
        .executeTakeFirst();
      // The account was recovered or deleted before the mail was sent.
      if (!hold) return;
      const code = await issueCode(db, 'recoverEmail', accountId, email, attempt, hold.until);
      await mailer.send(mails.composeEmailRecovery(branding, email, hold.current, code), attempt);
    }),
    ...pendingDeletionMailJob.handle(async ({ accountId, email, isByOffice = false }, attempt) => {
      const account = await findPendingDeletion(db, accountId, email);
      // The account was restored or deleted before the mail was sent.
      if (!account) return;
      const { deletesAt, heldUntil } = account;
      const code = heldUntil ? await issueCode(db, 'recoverEmail', accountId, email, attempt, heldUntil) : null;
      await mailer.send(mails.composePendingDeletion(branding, email, { deletesAt, code, isByOffice }), attempt);
    }),
    ...addressReclaimedJob.handle(async ({ email }, attempt) =>
      send(mails.composeAddressRemoved(branding, email), attempt),
    ),
    ...signedOutMailJob.handle(async ({ email }, attempt) => send(mails.composeSignedOut(branding, email), attempt)),
    ...passwordChangedJob.handle(async ({ email }, attempt) =>
      send(mails.composePasswordChanged(branding, email), attempt),
    ),
    ...newDeviceJob.handle(async ({ email, device }, attempt) =>
      send(mails.composeNewDevice(branding, email, device), attempt),
    ),
    ...factorChangedJob.handle(async ({ email, ...change }, attempt) =>
      send(mails.composeFactorChanged(branding, email, change), attempt),
    ),
    ...accountDeletedJob.handle(async ({ email }, attempt) =>
      send(mails.composeAccountDeleted(branding, email), attempt),
    ),
    ...nightlyCleanUpJob.handle(async () => {
      await db.transaction().execute((tx) => postponeWhileDisabled(tx));
      await deleteExpiredCodes(db);
      await db.deleteFrom('sessions').where('expires_at', '<', now).execute();
      await deleteExpiredDevices(db);
      const errors = [...(await deleteDueAccounts(context)), ...(await deleteUnverifiedAccounts(context))];
      // The error is logged, and the next attempt of the job tries these accounts again.
      if (errors[0]) throw new Error(`Failed to delete ${errors.length} accounts: ${errors[0].message}`);
    }),
    ...hideUnusedJob.handle(async () => {
      await requestAddressEndNotices(context);
      await hideUnusedAccounts(context);
    }),
    ...gracePeriodsJob.handle(async () => {
      if ((await endGracePeriods(db)) > 0) context.listCache.clear();
      await requestGraceMails(db);
    }),
    ...noticeMailTasks(context, mailer),
    ...hourlyCleanUpJob.handle(async () => {
      // Failed jobs contain the address of a deleted account, so delete them.
      await takeFailedJobs(db, accountDeletedJob);
      await deleteExpiredWindows(db);
      await deleteExpiredChallenges(db);
      await deleteExpiredPendingSignIns(db);
    }),
  };
}
