import { sql } from 'kysely';
import type { Db } from '#server/db/client.ts';

/** Returns whether one of two people has blocked the other. */
export async function haveBlock(db: Db, one: string, other: string): Promise<boolean> {
  const { rows } = await sql`
    select from blocks
    where (account_id = ${one} and blocked_id = ${other})
      or (account_id = ${other} and blocked_id = ${one})`.execute(db);
  return rows.length > 0;
}
