import { sql } from 'kysely';
import type { Db } from '#server/db/client.ts';
import { hashToken, newToken } from '#server/platform/crypto/tokens.ts';

/** The recipient's row stores only a digest. */
export async function issueUnsubscribeCode(db: Db, recipientId: string): Promise<string> {
  const { token, hash } = newToken();
  await sql`
    update announcement_recipients set unsubscribe_hashes = array_append(unsubscribe_hashes, ${hash}::bytea)
    where id = ${recipientId}`.execute(db);
  return `${recipientId}.${token}`;
}

const codePattern = /^(?<id>[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.(?<token>[\w-]{43})$/u;

/** Returns the recipient's row and account of a code, or null for a code that is not valid. Codes do not expire. */
export async function findUnsubscribing(
  db: Db,
  code: string,
): Promise<{ readonly recipientId: string; readonly accountId: string } | null> {
  const { id = '', token = '' } = codePattern.exec(code)?.groups ?? {};
  if (id === '') return null;
  const { rows } = await sql<{ recipientId: string; accountId: string }>`
    select id as "recipientId", account_id as "accountId" from announcement_recipients
    where id = ${id} and ${hashToken(token)}::bytea = any(unsubscribe_hashes)`.execute(db);
  return rows[0] ?? null;
}

/** Works any number of times. @returns false for a code that is not valid */
export async function unsubscribe(db: Db, code: string): Promise<boolean> {
  const found = await findUnsubscribing(db, code);
  if (!found) return false;
  const { recipientId, accountId } = found;
  await db.transaction().execute(async (tx) => {
    await sql`
      update accounts set takes_announcements = false where id = ${accountId} and takes_announcements`.execute(tx);
    await sql`
      update announcement_recipients set unsubscribed_at = now()
      where id = ${recipientId} and unsubscribed_at is null`.execute(tx);
  });
  return true;
}
