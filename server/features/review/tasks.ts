import { sql } from 'kysely';
import { findActiveAddress } from '#server/domain/accounts/accounts.ts';
import type { Context } from '#server/domain/context.ts';
import { createMailBranding } from '#server/domain/mail/mail-branding.ts';
import { findScopes } from '#server/domain/staff/guard.ts';
import type { Reviewables } from '#server/domain/staff/review.ts';
import { isActiveRole, isReadyStaff } from '#server/domain/staff/roles.ts';
import type { JobHandlers } from '#server/platform/jobs/define-job.ts';
import type { Mailer } from '#server/platform/mail/mail.ts';
import { carryOutDecision } from './carry-out.ts';
import { carryOutDecisionJob, waitingMailJob, waitingMailsJob } from './jobs.ts';
import { composeWaiting } from './mails.ts';
import { countItems, toReviewer } from './queue.ts';

export function reviewTasks(context: Context, mailer: Mailer, reviewables: Reviewables): JobHandlers {
  const { db } = context;
  return {
    ...carryOutDecisionJob.handle(({ decisionId }) => carryOutDecision(context, reviewables, decisionId)),
    ...waitingMailsJob.handle(async () => {
      const { rows } = await sql<{ id: string }>`
        select distinct r.account_id as id from staff_roles r where ${isActiveRole} and ${isReadyStaff}`.execute(db);
      await db.transaction().execute(async (tx) => {
        for (const { id } of rows) await waitingMailJob.queue(tx, { accountId: id });
      });
    }),
    ...waitingMailJob.handle(async ({ accountId }, attempt) => {
      const to = await findActiveAddress(db, accountId);
      const { kinds } = toReviewer(context, reviewables, accountId, await findScopes(db, accountId));
      if (to === null || kinds.length === 0) return;
      const counts = (await countItems(db, kinds)).filter(({ waiting }) => waiting > 0);
      const [oldest] = counts.flatMap((count) => count.oldest ?? []).toSorted((one, other) => +one - +other);
      if (oldest) await mailer.send(composeWaiting(createMailBranding(context), to, { counts, oldest }), attempt);
    }),
  };
}
