import type * as z from 'zod/mini';
import type { Device } from '#contract/identity.ts';
import { type Db, now } from '#server/db/client.ts';
import type { Session } from '#server/domain/accounts/sessions.ts';

export async function findDevices(db: Db, { id, account }: Session): Promise<z.input<typeof Device>[]> {
  return db
    .selectFrom('sessions')
    .select((eb) => [
      'id',
      eb('id', '=', id).$castTo<boolean>().as('current'),
      'created_at as createdAt',
      'seen_at as seenAt',
      'user_agent as userAgent',
    ])
    .where('account_id', '=', account.id)
    .where('expires_at', '>', now)
    .orderBy('seen_at', 'desc')
    .execute();
}
