import type * as z from 'zod/mini';
import { sql } from 'kysely';
import type { Announcement, AnnouncementSummary } from '#contract/staff/announcements.ts';
import { announcementApprovalAbove } from '#contract/staff/values.ts';
import type { Db } from '#server/db/client.ts';
import { type Author, countRecipients, isOwnAnnouncement } from './recipients.ts';

const listedAnnouncements = 50;

const summaryColumns = sql`
  n.id, n.subject, w.email as "createdBy", n.updated_at as "updatedAt", n.started_at as "startedAt", n.send_at as "sendAt", n.people,
  json_build_object('college', n.college, 'department', n.department, 'yearFrom', n.year_from, 'yearTo', n.year_to) as scope,
  case when n.state = 'draft' and q.state in ('waiting', 'approved') then 'requested' else n.state end as state,
  (select json_build_object(
      'waiting', count(*) filter (where r.result is null),
      'sent', count(*) filter (where r.result = 'sent'),
      'bounced', count(*) filter (where r.result = 'bounced'
        or (r.result = 'sent' and a.mail_failed_to = a.email and a.mail_failed_at >= r.done_at)),
      'unsubscribed', count(r.unsubscribed_at),
      'leftOut', count(*) filter (where r.result = 'left-out'))
    from announcement_recipients r join accounts a on a.id = r.account_id where r.announcement_id = n.id) as progress`;

const announcementTables = sql`
  announcements n left join approvals q on q.id = n.approval_id left join accounts w on w.id = n.created_by`;

export async function findAnnouncements(db: Db, author: Author): Promise<z.input<typeof AnnouncementSummary>[]> {
  const { rows } = await sql<z.input<typeof AnnouncementSummary>>`
    select ${summaryColumns} from ${announcementTables} where ${isOwnAnnouncement(author)}
    order by n.updated_at desc, n.id limit ${listedAnnouncements}`.execute(db);
  return rows;
}

export async function findAnnouncement(
  db: Db,
  id: string,
  { accountId, scopes }: Author,
): Promise<z.input<typeof Announcement> | null> {
  const { rows } = await sql<Omit<z.input<typeof Announcement>, 'recipients' | 'needsApproval'>>`
    select ${summaryColumns}, n.text, n.reply_name as "replyName", n.version,
      case when n.state = 'draft' and q.state = 'waiting' then q.runs_at end as "runsAt", coalesce(q.failure, '') as failure
    from ${announcementTables} where n.id = ${id} and ${isOwnAnnouncement({ accountId, scopes })}`.execute(db);
  const [row] = rows;
  if (!row) return null;
  const isUnsent = row.state === 'draft' || row.state === 'requested' || row.state === 'scheduled';
  const recipients = isUnsent ? await countRecipients(db, id, scopes) : 0;
  return {
    ...row,
    recipients,
    needsApproval: isUnsent && (await needsApproval(db, accountId, recipients)),
  };
}

export interface LockedAnnouncement {
  readonly version: number;
  readonly state: 'draft' | 'scheduled' | 'sending' | 'sent' | 'stopped';
  readonly sendAt: Date | null;
  readonly isWritten: boolean;
  readonly requestId: string | null;
}

/** Prevents changes while the sending begins. Returns null if staff may not see such an announcement. */
export async function lockAnnouncement(tx: Db, id: string, author: Author): Promise<LockedAnnouncement | null> {
  const { rows } = await sql<LockedAnnouncement>`
    select n.version, n.state, n.send_at as "sendAt", n.subject <> '' and n.text <> '' as "isWritten",
      (select q.id from approvals q where q.id = n.approval_id and q.state in ('waiting', 'approved')) as "requestId"
    from announcements n where n.id = ${id} and ${isOwnAnnouncement(author)} for update of n`.execute(tx);
  return rows[0] ?? null;
}

export const needsApproval = async (db: Db, accountId: string, people: number): Promise<boolean> =>
  people + (await countSentTo(db, accountId)) > announcementApprovalAbove;

/** Returns to how many people a member of staff has sent announcements in the last 24 hours that needed no approval. */
async function countSentTo(db: Db, accountId: string): Promise<number> {
  const { rows } = await sql<{ people: number }>`
    select coalesce(sum((r.details ->> 'people')::int), 0)::int as people from audit_records r
    where r.actor = ${accountId} and r.action = 'announcement-sent' and r.recorded_at > now() - interval '24 hours'
      and not exists (
        select from announcements n join approvals q on q.id = n.approval_id and q.state = 'done'
        where n.id::text = r.subject)`.execute(db);
  return rows[0]?.people ?? 0;
}
