import { sql } from 'kysely';
import { Id } from '#contract/fields.ts';
import type { ReportReason } from '#contract/report-values.ts';
import type { Db } from '#server/db/client.ts';
import { findItemScope } from '#server/domain/roster/item-scope.ts';
import { hashToken } from '#server/platform/crypto/tokens.ts';

interface MessageRecord {
  readonly id: string;
  readonly senderId: string;
  readonly recipientId: string;
  readonly sentAt: Date;
  readonly senderName: string | null;
}

export async function findMessage(db: Db, code: string): Promise<MessageRecord | null> {
  const [id, token = ''] = code.split('.');
  if (!Id.safeParse(id).success) return null;
  const { rows } = await sql<MessageRecord>`
    select m.id, m.sender_id as "senderId", m.recipient_id as "recipientId", m.sent_at as "sentAt", l.name as "senderName"
    from messages m left join listings l on l.account_id = m.sender_id and l.audience = 'members'
    where m.id = ${id} and ${hashToken(token)} = any(m.report_hashes)`.execute(db);
  return rows[0] ?? null;
}

/** Replaces an open report of this message. A closed one stays as it is. */
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
