import { sql } from 'kysely';
import * as z from 'zod/mini';
import { bulkBatchDelaySeconds, bulkBatchSize } from '#contract/bulk-mails.ts';
import { announcementApprovalAbove } from '#contract/staff/values.ts';
import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { createMailBranding } from '#server/domain/mail/mail-branding.ts';
import {
  addInvitations,
  countInvitable,
  finishInvitation,
  invitable,
  lockInvitations,
  prepareInvitation,
} from '#server/domain/roster/invitations.ts';
import { ActionRefused, type ApprovedAction } from '#server/domain/staff/approvals.ts';
import { recordStaffAction, toAuditCode } from '#server/domain/staff/audit-log.ts';
import { findScopes } from '#server/domain/staff/guard.ts';
import type { JobHandlers } from '#server/platform/jobs/define-job.ts';
import type { Mailer } from '#server/platform/mail/mail.ts';
import { composeInvitation } from './invitation-mails.ts';
import { invitationMailJob } from './jobs.ts';

const Part = z.object({ department: z.string(), year: z.nullable(z.int()) });

/** Queues invitations in batches, in a transaction that called `lockInvitations`. @param approval its id, or null */
export async function startInviting(
  tx: Db,
  chosen: ReturnType<typeof invitable>,
  { department, year }: z.infer<typeof Part>,
  { actor, approval }: { actor: string; approval: string | null },
): Promise<void> {
  const { ids, waiting } = await addInvitations(tx, chosen);
  for (const [at, id] of ids.entries()) {
    const delaySeconds = Math.floor((waiting + at) / bulkBatchSize) * bulkBatchDelaySeconds;
    await invitationMailJob.queue(tx, { id }, { key: id, delaySeconds });
  }
  const details = { people: ids.length, department: toAuditCode(department), year, approval };
  await recordStaffAction(tx, { actor, action: 'invitations-sent', details });
}

/** Counts what a member of staff has sent in the last 24 hours without an approval. */
export async function needsApproval(db: Db, accountId: string, people: number): Promise<boolean> {
  const { rows } = await sql<{ sent: number }>`
    select coalesce(sum((details ->> 'people')::int), 0)::int as sent from audit_records
    where actor = ${accountId} and action = 'invitations-sent' and recorded_at > now() - interval '24 hours'
      and details ->> 'approval' is null`.execute(db);
  return people + (rows[0]?.sent ?? 0) > announcementApprovalAbove;
}

const Payload = z.extend(Part, { people: z.int() });

/** Refused if the roster changed so that more people would be invited. */
export const invitationsAction: ApprovedAction = {
  kind: 'invitations',
  right: 'invitations',
  describe: async (_, payload) => {
    const { department, year } = Payload.parse(payload);
    return `${department}, ${year === null ? 'all years' : `class of ${year}`}`;
  },
  run: async ({ institution }, tx, { id, payload, requestedBy }) => {
    const { people, ...part } = Payload.parse(payload);
    const chosen = invitable(institution, (await findScopes(tx, requestedBy))('invitations'), part);
    await lockInvitations(tx);
    const found = await countInvitable(tx, chosen);
    if (found === 0 || found > people || !institution.allowsInvitations)
      throw new ActionRefused('The number of people to invite has changed. Count them again.');
    await startInviting(tx, chosen, part, { actor: requestedBy, approval: id });
  },
};

export function invitationTasks(context: Context, mailer: Mailer): JobHandlers {
  const { db, institution } = context;
  const branding = createMailBranding(context);
  return invitationMailJob.handle(async ({ id }, attempt) => {
    const mail = institution.allowsInvitations ? await prepareInvitation(db, institution, id) : null;
    if (mail) await mailer.send(composeInvitation(branding, mail.email, mail), attempt);
    await finishInvitation(db, id, mail !== null);
  });
}
