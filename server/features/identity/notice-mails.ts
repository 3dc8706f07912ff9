import { sql } from 'kysely';
import { bulkBatchDelaySeconds, bulkBatchSize } from '#contract/bulk-mails.ts';
import { findCampus } from '#server/domain/campus-arrival.ts';
import type { Context } from '#server/domain/context.ts';
import { formatDay } from '#server/domain/format-day.ts';
import { type MailBranding, composeMail, createMailBranding } from '#server/domain/mail/mail-branding.ts';
import type { JobHandlers } from '#server/platform/jobs/define-job.ts';
import type { Mailer, Message } from '#server/platform/mail/mail.ts';
import type { NoticeMailKind } from '#server/db/schema.ts';
import { lastNoticeDays, firstNoticeDays } from './account/unused-accounts.ts';
import { composeAddressEnd, toAddressEnd } from './campus/address-end-notices.ts';
import { noticeMailJob, sendNoticesJob } from './jobs.ts';

export function noticeMailTasks(context: Context, mailer: Mailer): JobHandlers {
  const { db } = context;
  const branding = createMailBranding(context);
  return {
    ...sendNoticesJob.handle(async () => {
      await db.transaction().execute(async (tx) => {
        const { rows } = await sql<{ accountId: string; kind: NoticeMailKind }>`
          update notice_mails as n set queued_at = now()
          from (select account_id, kind from notice_mails where queued_at is null
                order by wanted_at, account_id limit ${bulkBatchSize} for update skip locked) as due
          where n.account_id = due.account_id and n.kind = due.kind
          returning n.account_id as "accountId", n.kind`.execute(tx);
        for (const mail of rows) await noticeMailJob.queue(tx, mail);
        if (rows.length === bulkBatchSize)
          await sendNoticesJob.queue(tx, {}, { key: 'next', delaySeconds: bulkBatchDelaySeconds });
      });
    }),
    ...noticeMailJob.handle(async ({ accountId, kind }, attempt) => {
      const account = await db
        .selectFrom('notice_mails as n')
        .innerJoin('accounts as a', 'a.id', 'n.account_id')
        .leftJoin('profiles as p', 'p.account_id', 'a.id')
        .select([
          'a.email',
          'a.password_hash as passwordHash',
          'a.last_seen_at as lastSeen',
          'a.hidden_until_sign_in as hiddenUntilSignIn',
          'a.membership_status as status',
          'a.confirm_by as confirmBy',
          'p.year_graduated as year',
          (eb) => eb.selectFrom('membership_mode').select('mode').as('mode'),
        ])
        .where('n.account_id', '=', accountId)
        .where('n.kind', '=', kind)
        .where('a.is_active', '=', true)
        .executeTakeFirst();
      // The owner has signed in, or the account was deleted or disabled, since the mail was queued.
      if (!account) return;
      const { email, confirmBy, lastSeen, year } = account;
      const classYear = year ?? undefined;
      if (kind === 'imported') {
        const isHidden = account.hiddenUntilSignIn !== null;
        const hasPassword = account.passwordHash !== '!';
        await mailer.send(composeImported(branding, email, { isHidden, hasPassword, classYear }), attempt);
      } else if (kind === 'unused-first' || kind === 'unused-last') {
        const days = kind === 'unused-first' ? firstNoticeDays : lastNoticeDays;
        await mailer.send(composeUnused(branding, email, { lastSeen, days, classYear }), attempt);
      } else if (kind === 'campus-first' || kind === 'campus-last') {
        // Not sent if the address was changed since the notice was requested.
        const ends = toAddressEnd(findCampus(context), email, year);
        if (ends !== null) await mailer.send(composeAddressEnd(branding, email, ends), attempt);
      } else if (account.mode === 'confirmed' && account.status === 'unconfirmed' && confirmBy) {
        // Not sent if the account was confirmed, or the grace period has ended, since the mail was requested.
        const isLast = kind === 'confirm-last';
        await mailer.send(composeGracePeriod(branding, email, { confirmBy, isLast, classYear }), attempt);
      }
    }),
  };
}

export const composeImported = (
  branding: MailBranding,
  to: string,
  { isHidden, hasPassword, classYear }: { isHidden: boolean; hasPassword: boolean; classYear: number | undefined },
): Message =>
  composeMail(branding, to, {
    subject: 'Your profile has moved to the new alumni website',
    preview: hasPassword ? 'Sign in to choose who sees it.' : 'Choose a password, then choose who sees your profile.',
    classYear,
    paragraphs: [
      `The alumni archive of ${branding.institution} has moved to a new website, and your profile was moved with it.`,
      isHidden
        ? 'No one else sees your profile until you sign in. When you sign in, it becomes visible again according to your privacy settings. You can change them for each field under Privacy in your settings.'
        : 'Sign in to choose who sees each field of your profile, under Privacy in your settings.',
      hasPassword
        ? 'Sign in with your existing password. If you have forgotten it, choose a new one on the sign-in page.'
        : 'Your password was not moved, so choose a new one first.',
      'If you do not want this, sign in and delete your account under Delete Account in your settings, or reply to this email and the alumni office will delete it.',
    ],
    action: hasPassword
      ? { label: 'Sign in', url: `${branding.publicUrl}/login` }
      : { label: 'Choose a password', url: `${branding.publicUrl}/reset-password` },
    footer: 'You receive this email once, because you had an account in the alumni archive before it moved.',
    links: [{ label: 'Privacy policy', url: `${branding.publicUrl}/privacy` }],
  });

export const composeUnused = (
  branding: MailBranding,
  to: string,
  { lastSeen, days, classYear }: { lastSeen: Date; days: number; classYear: number | undefined },
): Message =>
  composeMail(branding, to, {
    subject: 'Your profile will be hidden',
    preview: `Sign in within ${days} days to keep it visible.`,
    classYear,
    paragraphs: [
      `You last used the alumni archive of ${branding.institution} on ${formatDay(lastSeen)}.`,
      `If you do not sign in within ${days} days, your profile will be hidden from everyone else. Nothing is deleted: your profile becomes visible again as soon as you sign in.`,
    ],
    action: { label: 'Sign in', url: `${branding.publicUrl}/login` },
    footer:
      'You received this email because you have an account in the alumni archive. To leave it, sign in and delete your account under Delete Account in your settings.',
  });

export const composeGracePeriod = (
  branding: MailBranding,
  to: string,
  { confirmBy, isLast, classYear }: { confirmBy: Date; isLast: boolean; classYear: number | undefined },
): Message =>
  composeMail(branding, to, {
    subject: isLast ? 'Confirm soon that you studied here' : 'Confirm that you studied here',
    preview: `Confirm before ${formatDay(confirmBy)} to remain a member.`,
    classYear,
    paragraphs: [
      `The alumni archive of ${branding.institution} now confirms that its members studied there. Please confirm before ${formatDay(confirmBy)} that you studied there.`,
      `If you do not confirm before ${formatDay(confirmBy)}, other people no longer see your profile and your photos, and you see only what guests see. You can still confirm later. Nothing is deleted.`,
      'Have your matric number ready: most people need it.',
    ],
    action: { label: 'Confirm that you studied here', url: `${branding.publicUrl}/confirm` },
    footer: 'You received this email because you have an account in the alumni archive.',
  });
