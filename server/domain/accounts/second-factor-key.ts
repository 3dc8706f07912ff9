import type { Db } from '#server/db/client.ts';
import { requireFinishedRestore } from '#server/platform/storage/data-folder.ts';
import type { Log } from '#server/platform/log/log.ts';
import { createSecretBox, hasSecretKey, secretKeyPath } from '#server/platform/crypto/secret-box.ts';
import type { Context } from '../context.ts';

/** `not needed`: no authenticator secret is stored. */
export type SecondFactorKeyState = 'not needed' | 'valid' | 'missing' | 'mismatch';

/**
 * Checks the key against the newest stored secret. Never creates a key: a new one in place of a lost one would hide the
 * loss.
 */
export async function checkSecondFactorKey(db: Db, dataDir: string): Promise<SecondFactorKeyState> {
  // Read the row before the file: the file exists before the first row.
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
      () => 'valid',
      () => 'mismatch',
    );
}

/**
 * Creates the key if no authenticator secret is stored yet. Does not replace a lost key, because every authenticator
 * app would stop working. Logs an error if the key does not match the stored secrets.
 * @throws Error with instructions for the operator if the key is missing
 */
export async function openSecondFactorKey({ db, config: { dataDir } }: Context, log: Log): Promise<void> {
  const state = await checkSecondFactorKey(db, dataDir);
  const path = secretKeyPath(dataDir);
  if (state === 'missing') {
    // A restore in progress writes the rows before the key.
    requireFinishedRestore(dataDir);
    const { count } = await db
      .selectFrom('authenticators')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    throw new Error(
      [
        `${path} is missing, and ${count} people have an authenticator app that needs it. Check that DATA_DIR is right and its disk is mounted.`,
        'If the file is lost, restore it from a backup:',
        `  tar xzf FILE -C '${dataDir}' --strip-components=1 keys/second-factor.key`,
        'If there is no backup, create a new key with the command below. Everyone with an app then needs a recovery code, or your help: npm run archive -- user reset-second-factor EMAIL',
        `  (umask 077; head -c 32 /dev/urandom | base64 > '${path}')`,
      ].join('\n'),
    );
  }
  if (state === 'mismatch')
    log.error(
      `second-factor.key does not match the stored authenticator secrets, so codes of authenticator apps are refused. Restore keys/second-factor.key from a backup as ${path} and restart.`,
    );
  await createSecretBox(dataDir).ensureKey();
}
