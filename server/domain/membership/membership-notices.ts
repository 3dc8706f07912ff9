import * as z from 'zod/mini';
import type { NotificationKind } from '#contract/notifications.ts';
import type { Db } from '#server/db/client.ts';
import { defineMailJob } from '#server/platform/jobs/define-job.ts';
import { type AdoptedField, adoptedFields } from './adopt-entry.ts';
import { notify } from '../notifications/notify.ts';

/**
 * Outcomes that the owner of an account is notified of, in the archive and by mail. `reopened`: vouches that confirmed
 * the account no longer count. `withdrawn`: staff withdrew the confirmation.
 */
export const membershipOutcomes = [
  'confirmed',
  'rejected',
  'disputed',
  'expired',
  'reopened',
  'withdrawn',
  'change-accepted',
  'change-refused',
] as const;
export type MembershipOutcome = (typeof membershipOutcomes)[number];

const notificationKinds = {
  confirmed: 'membership-confirmed',
  rejected: 'membership-rejected',
  disputed: 'membership-disputed',
  expired: 'membership-expired',
  // Both notifications say that the alumni office is checking the membership. Their emails differ.
  reopened: 'membership-disputed',
  // Both notifications say that the alumni office could not confirm the person. Their emails differ.
  withdrawn: 'membership-rejected',
  'change-accepted': 'change-accepted',
  'change-refused': 'change-refused',
} as const satisfies Record<MembershipOutcome, NotificationKind>;

export const outcomeMailJob = defineMailJob(
  'membership:outcome-mail',
  z.object({
    accountId: z.string(),
    outcome: z.enum(membershipOutcomes),
    reason: z.string(),
    changed: z._default(z.array(z.enum(adoptedFields)), []),
  }),
  'normal',
);

export const entryNoticeMailJob = defineMailJob(
  'membership:entry-notice-mail',
  z.object({ accountId: z.string(), entryId: z.int() }),
  'normal',
);

/**
 * Notifies the owner of an account of an outcome, in the transaction of the decision.
 * @param more `reason`: text by staff for a rejection or a withdrawal. `changed`: fields of the profile that the
 * confirmation has changed
 */
export async function queueOutcome(
  tx: Db,
  accountId: string,
  outcome: MembershipOutcome,
  { reason = '', changed = [] }: { reason?: string; changed?: readonly AdoptedField[] } = {},
): Promise<void> {
  // The page about the membership shows the other reasons.
  const detail = outcome.startsWith('change-') ? reason : changed.join(',');
  await notify(tx, accountId, notificationKinds[outcome], detail);
  await outcomeMailJob.queue(tx, { accountId, outcome, reason, changed: [...changed] });
}
