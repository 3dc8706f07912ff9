import { sql } from 'kysely';
import { Id } from '#contract/fields.ts';
import { confirmReportHours } from '#contract/report-values.ts';
import type { Db } from '#server/db/client.ts';
import { hashToken, newToken } from '#server/platform/crypto/tokens.ts';
import { joinItem } from './report-content.ts';

/**
 * The report stores only a digest of the code.
 * @returns null if the report is confirmed already or was deleted
 */
export async function issueConfirmCode(db: Db, reportId: string): Promise<{ email: string; code: string } | null> {
  const { token, hash } = newToken();
  const row = await db
    .updateTable('reports')
    .set({ confirm_hashes: sql<Buffer[]>`array_append(confirm_hashes, ${hash}::bytea)` })
    .where('id', '=', reportId)
    .where('is_confirmed', '=', false)
    .returning('guest_email as email')
    .executeTakeFirst();
  return row?.email ? { email: row.email, code: `${reportId}.${token}` } : null;
}

/** Succeeds again for a confirmed report. @returns whether the code is valid */
export async function confirmReport(db: Db, code: string): Promise<boolean> {
  const [id, token = ''] = code.split('.');
  if (!Id.safeParse(id).success) return false;
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ id: string; wasConfirmed: boolean }>`
      select id, is_confirmed as "wasConfirmed" from reports
      where id = ${id} and ${hashToken(token)} = any(confirm_hashes)
        and (is_confirmed or created_at > now() - make_interval(hours => ${confirmReportHours}))
      for update`.execute(tx);
    const [report] = rows;
    if (!report) return false;
    if (report.wasConfirmed) return true;
    await tx.updateTable('reports').set({ is_confirmed: true }).where('id', '=', report.id).execute();
    await joinItem(tx, report.id);
    return true;
  });
}
