import type { Db } from '../db/client.ts';
import { requireFinishedRestore } from '../platform/storage/data-folder.ts';
import type { Log } from '../platform/log/log.ts';
import { createSecretBox, hasSecretKey, secretKeyPath } from '../platform/crypto/secret-box.ts';
import type { Context } from './context.ts';

/** How the key in the data folder stands to what was sealed with it. */
export type KeyState = 'not needed' | 'right' | 'missing' | 'another';

/** Looks at the key without making one: a new one in place of a lost one would seal the loss. */
export async function checkSecondFactorKey(db: Db, dataDir: string): Promise<KeyState> {
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

/**
 * Creates the key for an archive that does not need one yet. A new key in place of a lost one would make every authenticator app
 * useless. Logs an error if the key does not match the stored secrets.
 * @throws Error with a sentence for the operator when the key is missing
 */
export async function openSecondFactorKey({ db, config: { dataDir } }: Context, log: Log): Promise<void> {
  const state = await checkSecondFactorKey(db, dataDir);
  const path = secretKeyPath(dataDir);
  if (state === 'missing') {
    // A restore that has begun since puts the rows there first.
    requireFinishedRestore(dataDir);
    const { count } = await db
      .selectFrom('authenticators')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    throw new Error(
      [
        `${path} is missing, and ${count} people have an authenticator app that works with it alone. Is DATA_DIR right, and its disk there?`,
        'If the file is lost, put it back from a backup:',
        `  tar xzf FILE -C '${dataDir}' --strip-components=1 keys/second-factor.key`,
        'To begin anew without it, make one by hand. Whoever has an app then needs a recovery code, or you: npm run archive -- user reset-second-factor EMAIL',
        `  (umask 077; head -c 32 /dev/urandom | base64 > '${path}')`,
      ].join('\n'),
    );
  }
  if (state === 'another')
    log.error(
      `second-factor.key is another one than the newest authenticator app was set up with: its codes are refused. Put the right one back from a backup (keys/second-factor.key in it) as ${path}, and start again`,
    );
  await createSecretBox(dataDir).ensureKey();
}
