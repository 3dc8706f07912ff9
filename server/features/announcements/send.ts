import { sql } from 'kysely';
import * as z from 'zod/mini';
import type { AnnouncementScope } from '#contract/staff/announcements.ts';
import type { StaffScope } from '#contract/staff/scope.ts';
import type { Db } from '#server/db/client.ts';
import { ActionRefused, type ApprovedAction } from '#server/domain/staff/approvals.ts';
import { recordStaffAction, toAuditCode } from '#server/domain/staff/audit-log.ts';
import { findScopes } from '#server/domain/staff/guard.ts';
import { sendAnnouncementsJob } from './jobs.ts';
import { lockAnnouncement } from './queries.ts';
import { addRecipients } from './recipients.ts';

/**
 * Begins to send an announcement, in a transaction that has locked it.
 * @param scopes of the member of staff: no one outside gets it
 * @returns the number of recipients
 */
export async function startSending(
  tx: Db,
  id: string,
  { accountId, scopes }: { readonly accountId: string; readonly scopes: readonly StaffScope[] },
): Promise<number> {
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
      .select(['subject', 'college', 'department', 'year_from as from', 'year_to as to'])
      .where('id', '=', announcementId)
      .executeTakeFirst();
    if (!announcement) return 'a deleted announcement';
    const { subject, college, department, from, to } = announcement;
    const years = from === null && to === null ? null : `class of ${from ?? '…'} to ${to ?? '…'}`;
    return [`“${subject}”`, ...[college, department, years].filter((part) => part !== null)].join(', ');
  },
  run: async (_, tx, { payload, requestedBy }) => {
    const { announcementId, version } = AnnouncementPayload.parse(payload);
    const scopesOf = await findScopes(tx, requestedBy);
    const scopes = scopesOf('announcements');
    const announcement = await lockAnnouncement(tx, announcementId, scopes);
    if (!announcement) throw new ActionRefused('The announcement was deleted, or the requester may no longer send it.');
    if (announcement.state !== 'draft') throw new ActionRefused('The announcement has already been sent.');
    if (announcement.version !== version) throw new ActionRefused('The announcement was changed after the request.');
    if ((await startSending(tx, announcementId, { accountId: requestedBy, scopes })) === 0)
      throw new ActionRefused('The announcement has no recipients any more.');
  },
};
