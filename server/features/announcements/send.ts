import { sql } from 'kysely';
import * as z from 'zod/mini';
import type { AnnouncementScope } from '#contract/staff/announcements.ts';
import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { lockAccount } from '#server/domain/accounts/sessions.ts';
import { ActionRefused, type ApprovedAction, requestApproval } from '#server/domain/staff/approvals.ts';
import { recordStaffAction, toAuditCode } from '#server/domain/staff/audit-log.ts';
import { findScopes } from '#server/domain/staff/guard.ts';
import { scheduledAnnouncementJob, sendAnnouncementsJob } from './jobs.ts';
import { lockAnnouncement, needsApproval } from './queries.ts';
import { type Author, addRecipients, countRecipients } from './recipients.ts';

/**
 * Begins to send an announcement, in a transaction that has locked it.
 * @param scopes of the member of staff: no one outside gets it
 * @returns the number of recipients
 */
async function startSending(tx: Db, id: string, { accountId, scopes }: Author): Promise<number> {
  const people = await addRecipients(tx, id, scopes);
  const { rows } = await sql<AnnouncementScope>`
    update announcements set state = 'sending', people = ${people}, started_at = now() where id = ${id}
    returning college, department, year_from as "yearFrom", year_to as "yearTo"`.execute(tx);
  await sendAnnouncementsJob.queue(tx, {}, { key: 'next', delaySeconds: 0 });
  const { college = null, department = null, yearFrom = null, yearTo = null } = rows[0] ?? {};
  await recordStaffAction(tx, {
    actor: accountId,
    action: 'announcement-sent',
    subject: { kind: 'announcement', id },
    details: { people, college: toCode(college), department: toCode(department), yearFrom, yearTo },
  });
  return people;
}

interface Sending {
  readonly announcementId: string;
  readonly version: number;
  /** Null: at once. */
  readonly sendAt: Date | null;
}

/** Sends a locked announcement, schedules it, or requests the approval that it needs. */
export async function send(
  context: Context,
  tx: Db,
  sending: Sending,
  author: Author,
  people: number,
): Promise<'sending' | 'scheduled' | 'requested'> {
  const { announcementId, version, sendAt } = sending;
  if (!(await needsApproval(tx, author.accountId, people))) return sendOrSchedule(tx, sending, author, false);
  const requestId = await requestApproval(context, tx, {
    kind: 'announcement',
    payload: { announcementId, version },
    people,
    requestedBy: author.accountId,
  });
  await sql`
    update announcements set state = 'draft', approval_id = ${requestId}, send_at = ${sendAt}
    where id = ${announcementId}`.execute(tx);
  return 'requested';
}

async function sendOrSchedule(
  tx: Db,
  { announcementId, version, sendAt }: Sending,
  author: Author,
  isApproved: boolean,
): Promise<'sending' | 'scheduled'> {
  const delaySeconds = sendAt === null ? 0 : Math.ceil((sendAt.getTime() - Date.now()) / 1000);
  if (delaySeconds <= 0) {
    await startSending(tx, announcementId, author);
    return 'sending';
  }
  const { accountId: scheduledBy } = author;
  await sql`update announcements set state = 'scheduled', send_at = ${sendAt} where id = ${announcementId}`.execute(tx);
  const job = { announcementId, version, scheduledBy, isApproved };
  await scheduledAnnouncementJob.queue(tx, job, { key: `${announcementId} ${version}`, delaySeconds });
  await recordStaffAction(tx, {
    actor: scheduledBy,
    action: 'announcement-scheduled',
    subject: { kind: 'announcement', id: announcementId },
  });
  return 'scheduled';
}

/**
 * Sends a scheduled announcement to those whom it addresses now. It is a draft again if there is no one, or if who
 * scheduled it may no longer send it.
 */
export const sendScheduled = (
  context: Context,
  {
    announcementId,
    version,
    scheduledBy: accountId,
    isApproved,
  }: Omit<Sending, 'sendAt'> & { scheduledBy: string; isApproved: boolean },
): Promise<void> =>
  context.db.transaction().execute(async (tx) => {
    // One after another, so that parallel ones cannot avoid an approval.
    await lockAccount(tx, accountId);
    const author: Author = { accountId, scopes: (await findScopes(tx, accountId))('announcements') };
    const { rows } = await sql`
      select from announcements
      where id = ${announcementId} and state = 'scheduled' and version = ${version} for update`.execute(tx);
    if (rows.length === 0) return;
    const isOwn = (await lockAnnouncement(tx, announcementId, author)) !== null;
    const people = isOwn ? await countRecipients(tx, announcementId, author.scopes) : 0;
    const sending = { announcementId, version, sendAt: null };
    if (people === 0)
      await sql`update announcements set state = 'draft', send_at = null, approval_id = null where id = ${announcementId}`.execute(
        tx,
      );
    else if (isApproved) await sendOrSchedule(tx, sending, author, true);
    else await send(context, tx, sending, author, people);
  });

const toCode = (name: string | null): string | null => (name === null ? null : toAuditCode(name));

/** An approval is for one version of an announcement. */
const AnnouncementPayload = z.object({ announcementId: z.string(), version: z.int() });

/** Refused if the announcement was changed since the request. */
export const announcementAction: ApprovedAction = {
  kind: 'announcement',
  right: 'announcements',
  describe: async (db, payload) => {
    const { announcementId } = AnnouncementPayload.parse(payload);
    const announcement = await db
      .selectFrom('announcements')
      .select(['subject', 'college', 'department', 'year_from as from', 'year_to as to', 'send_at as sendAt'])
      .where('id', '=', announcementId)
      .executeTakeFirst();
    if (!announcement) return 'a deleted announcement';
    const { subject, college, department, from, to, sendAt } = announcement;
    const years = from === null && to === null ? null : `class of ${from ?? '…'} to ${to ?? '…'}`;
    const time = sendAt && `sent at ${sendAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    return [`“${subject}”`, ...[college, department, years, time].filter((part) => part !== null)].join(', ');
  },
  run: async (_, tx, { payload, requestedBy }) => {
    const { announcementId, version } = AnnouncementPayload.parse(payload);
    const scopesOf = await findScopes(tx, requestedBy);
    const author = { accountId: requestedBy, scopes: scopesOf('announcements') };
    const announcement = await lockAnnouncement(tx, announcementId, author);
    if (!announcement) throw new ActionRefused('The announcement was deleted, or the requester may no longer send it.');
    if (announcement.state !== 'draft') throw new ActionRefused('The announcement has already been sent.');
    if (announcement.version !== version) throw new ActionRefused('The announcement was changed after the request.');
    if ((await countRecipients(tx, announcementId, author.scopes)) === 0)
      throw new ActionRefused('The announcement has no recipients any more.');
    await sendOrSchedule(tx, { announcementId, version, sendAt: announcement.sendAt }, author, true);
  },
};
