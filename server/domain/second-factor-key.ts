import type { Db } from '../db/client.ts';
import { createSecretBox, hasSecretKey } from '../platform/secret-box.ts';

/** How the key in the data folder stands to what was sealed with it. */
export type KeyState = 'not needed' | 'right' | 'missing' | 'another';

/** Looks at the key without making one: a new one in place of a lost one would seal the loss. */
export async function lookAtSecondFactorKey(db: Db, dataDir: string): Promise<KeyState> {
  // First the row, then the file: whoever has made a row had the file before.
  const newest = await db
    .selectFrom('authenticators')
    .select(['account_id', 'secret'])
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!newest) return 'not needed';
  if (!hasSecretKey(dataDir)) return 'missing';
  return createSecretBox(dataDir)
    .open(newest.secret, newest.account_id)
    .then(
      () => 'right',
      () => 'another',
    );
}
