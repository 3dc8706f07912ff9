import { sql } from 'kysely';
import type { Db } from '#server/db/client.ts';
import { newToken } from '#server/platform/crypto/tokens.ts';

/**
 * Creates the code of the report link for one copy of a message mail. The record of the message stores only a digest of
 * the code.
 * @returns null when the record has been deleted
 */
export async function issueReportCode(db: Db, messageId: string): Promise<string | null> {
  const { token, hash } = newToken();
  const { numUpdatedRows } = await db
    .updateTable('messages')
    .set({ report_hashes: sql<Buffer[]>`array_append(report_hashes, ${hash}::bytea)` })
    .where('id', '=', messageId)
    .executeTakeFirst();
  return numUpdatedRows > 0n ? `${messageId}.${token}` : null;
}
