import * as z from 'zod/mini';
import { type ModerationNotificationKind, moderationNotificationKinds } from '#contract/notifications.ts';
import type { Db } from '#server/db/client.ts';
import { defineMailJob } from '#server/platform/jobs/define-job.ts';
import { formatDay } from '../format-day.ts';
import { notify } from '../notifications/notify.ts';

/** What staff have done to something of an account, as its owner is notified of it. Never contains who reported it. */
const ModerationNotice = z.object({
  kind: z.enum(moderationNotificationKinds),
  accountId: z.string(),
  text: z.string(),
  title: z.string(),
  until: z.nullable(z.string()),
});
export type ModerationNotice = z.infer<typeof ModerationNotice>;

/** Mails the notice to its account, even if the account is suspended. The handler is in `features/reports/tasks.ts`. */
export const moderationMailJob = defineMailJob('moderation:notice-mail', ModerationNotice, 'normal');

export async function queueModerationNotice(
  tx: Db,
  accountId: string,
  kind: ModerationNotificationKind,
  { text = '', title = '', until = null }: { text?: string; title?: string; until?: Date | null },
): Promise<void> {
  await notify(tx, accountId, kind, text);
  await moderationMailJob.queue(tx, { accountId, kind, text, title, until: until?.toISOString() ?? null });
}

export const describeSuspension = (until: Date): string =>
  `This account is suspended until ${formatDay(until)}. If you think that this is wrong, reply to the email about it or write to the alumni office.`;
