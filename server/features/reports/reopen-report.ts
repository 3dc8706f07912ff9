import { sql } from 'kysely';
import type { Db } from '#server/db/client.ts';
import type { Reopening } from '#server/domain/staff/review.ts';
import { lockContent } from './report-content.ts';

/** Copies the reports, in the scope that they had. What the decision did stays in effect. */
export async function reopenReport(tx: Db, id: string): Promise<Reopening> {
  await lockContent(tx, id);
  const { rows: open } = await sql`
    select from reports o join reports r on r.id = ${id} and o.kind = r.kind
      and case r.kind when 'message' then o.message_id = r.message_id
        else coalesce(o.photo_id, o.subject_id) = coalesce(r.photo_id, r.subject_id) end
    where o.closed_at is null and o.is_confirmed limit 1`.execute(tx);
  if (open.length > 0) return { refusal: 'A report about the same waits in the queue already.' };
  const copy = (of: ReturnType<typeof sql>, itemId: string | null) => sql<{ id: string }>`
    insert into reports (kind, subject_id, subject_email, subject_name, reporter_id, guest_email, message_id, photo_id, reason, text, item_id, created_at)
    select kind, subject_id, subject_email, subject_name, reporter_id, guest_email, message_id, photo_id, reason, text, ${itemId}::uuid,
      -- In the same order as before.
      clock_timestamp()
    from reports where ${of} order by created_at, id returning id`;
  const { rows } = await copy(sql`id = ${id}`, null).execute(tx);
  const [item] = rows;
  if (!item) throw new Error('The report does not exist.');
  await copy(sql`item_id = ${id} and is_confirmed`, item.id).execute(tx);
  // Otherwise a reported person who has changed the class would choose who decides.
  await sql`
    update reports n set (college, department, year_graduated) = (r.college, r.department, r.year_graduated)
    from reports r where r.id = ${id} and (n.id = ${item.id} or n.item_id = ${item.id})`.execute(tx);
  return { id: item.id };
}
