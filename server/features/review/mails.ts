import type { ReviewKind } from '#contract/staff/values.ts';
import { formatDay } from '#server/domain/format-day.ts';
import { type MailBranding, composeMail } from '#server/domain/mail/mail-branding.ts';
import type { Message } from '#server/platform/mail/mail.ts';

const listFormat = new Intl.ListFormat('en-GB');

export interface WaitingItems {
  readonly counts: readonly { readonly kind: ReviewKind; readonly waiting: number; readonly hasMore: boolean }[];
  readonly oldest: Date;
}

/** Creates the daily mail to a member of staff. It has counts and a date only: mailboxes are no place for the rest. */
export function composeWaiting(branding: MailBranding, to: string, { counts, oldest }: WaitingItems): Message {
  const sum = counts.reduce((all, { waiting }) => all + waiting, 0);
  const more = counts.some(({ hasMore }) => hasMore) ? 'More than ' : '';
  const texts = counts.map(
    ({ kind, waiting, hasMore }) => `${hasMore ? 'more than ' : ''}${waiting} ${kind}${waiting === 1 ? '' : 's'}`,
  );
  return composeMail(branding, to, {
    subject: `${more}${sum} ${sum === 1 ? 'item waits' : 'items wait'} for a decision`,
    paragraphs: [`In the review queue: ${listFormat.format(texts)}. The oldest waits since ${formatDay(oldest)}.`],
    action: { label: 'Open the review queue', url: `${branding.publicUrl}/staff/review` },
    footer: 'You received this email because of your staff role in the alumni archive. It is sent once a day.',
  });
}
