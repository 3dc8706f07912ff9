import { sql } from 'kysely';
import { Id } from '#contract/fields.ts';
import type { PhotoModeration } from '#contract/gallery.ts';
import type { ReportKind, ReportReason } from '#contract/report-values.ts';
import type { ReportOutcome } from '#contract/staff-values.ts';
import type { Db } from '../../db/client.ts';
import { findItemScope } from '../../domain/roster/item-scope.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';

/** The record of a message: sender, recipient and time. */
interface MessageRecord {
  readonly id: string;
  readonly senderId: string;
  readonly recipientId: string;
  readonly sentAt: Date;
  /** The name as members see it; null while members do not see the sender. */
  readonly senderName: string | null;
}

/** Returns the message that a report link belongs to, or null for a wrong code or a deleted record. */
export async function findMessage(db: Db, code: string): Promise<MessageRecord | null> {
  const [id, token = ''] = code.split('.');
  if (!Id.safeParse(id).success) return null;
  const { rows } = await sql<MessageRecord>`
    select m.id, m.sender_id as "senderId", m.recipient_id as "recipientId", m.sent_at as "sentAt", l.name as "senderName"
    from messages m left join listings l on l.account_id = m.sender_id and l.audience = 'members'
    where m.id = ${id} and ${hashToken(token)} = any(m.report_hashes)`.execute(db);
  return rows[0] ?? null;
}

/** Saves the recipient's report of a message. It replaces an open one of this message. A closed one stays as it is. */
export async function saveReport(db: Db, message: MessageRecord, reason: ReportReason, text: string): Promise<void> {
  await db
    .insertInto('reports')
    .values({
      subject_id: message.senderId,
      reporter_id: message.recipientId,
      message_id: message.id,
      reason,
      text,
      ...(await findItemScope(db, message.senderId, null)),
    })
    .onConflict((conflict) =>
      conflict
        .column('message_id')
        .where('closed_at', 'is', null)
        .doUpdateSet({
          reason,
          text,
          version: sql<number>`reports.version + 1`,
        }),
    )
    .execute();
}

/** A report as the operator sees it. */
export interface Report {
  readonly id: string;
  readonly kind: ReportKind;
  /** The report whose item this one belongs to. Null: it has its own. */
  readonly itemId: string | null;
  /** Title of the photo. Null for other kinds, and after it was deleted. */
  readonly photoTitle: string | null;
  readonly photoId: string | null;
  readonly moderation: PhotoModeration | null;
  readonly outcome: ReportOutcome | null;
  readonly reason: string;
  readonly text: string;
  readonly createdAt: Date;
  readonly closedAt: Date | null;
  readonly closingNote: string;
  /** Null after the reported account was deleted. */
  readonly subjectId: string | null;
  readonly subjectEmail: string;
  readonly subjectName: string | null;
  /** Address of the account or of the guest. Null after the account was deleted. */
  readonly reporterEmail: string | null;
  /** Number of reports about the same account or address, including this one. */
  readonly aboutSubject: number;
}

/** Returns reports, oldest first. @param only filters by state or id; without it, all reports */
export async function findReports(db: Db, only: { isOpen?: boolean; id?: string } = {}): Promise<Report[]> {
  const { rows } = await sql<Report>`
    select r.id, r.kind, r.item_id as "itemId", p.title as "photoTitle", p.id as "photoId", p.moderation, r.outcome, r.reason, r.text, r.created_at as "createdAt", r.closed_at as "closedAt", r.closing_note as "closingNote",
      s.id as "subjectId", coalesce(s.email, r.subject_email) as "subjectEmail",
      coalesce(s.display_name, r.subject_name) as "subjectName", coalesce(o.email, r.guest_email) as "reporterEmail",
      (select count(*)::int from reports
       where is_confirmed and (subject_id = s.id or subject_email = coalesce(s.email, r.subject_email))) as "aboutSubject"
    from reports r left join accounts s on s.id = r.subject_id left join accounts o on o.id = r.reporter_id
      left join photos p on p.id = r.photo_id
    where r.is_confirmed and (${only.id ?? null}::uuid is null or r.id = ${only.id ?? null}::uuid)
      and (not ${only.isOpen ?? false} or r.closed_at is null)
    order by r.created_at, r.id`.execute(db);
  return rows;
}
