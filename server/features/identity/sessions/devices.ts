import type * as z from 'zod/mini';
import { sql } from 'kysely';
import type { Device } from '#contract/identity.ts';
import type { Db } from '../../../db/client.ts';
import type { Session } from '../../../domain/sessions.ts';

/** Returns the sessions of an account, the most recently used first. */
export async function findDevices(db: Db, { id, account }: Session): Promise<z.input<typeof Device>[]> {
  const rows = await db
    .selectFrom('sessions')
    .select(['id', 'user_agent', 'created_at', 'seen_at'])
    .where('account_id', '=', account.id)
    .where('expires_at', '>', sql<Date>`now()`)
    .orderBy('seen_at', 'desc')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    current: row.id === id,
    createdAt: row.created_at,
    seenAt: row.seen_at,
    userAgent: row.user_agent,
  }));
}
