import { existsSync } from 'node:fs';
import { access, constants, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { type SecondFactorKeyState, checkSecondFactorKey } from '#server/domain/accounts/second-factor-key.ts';
import { foreignFolderMessage, isForeignFolder } from '#server/startup/open-archive.ts';
import { ConfigError } from '#server/platform/config/config-error.ts';
import { readFirebaseKeys } from '#server/platform/crypto/firebase-scrypt.ts';
import { readLastBackup } from '#server/platform/storage/last-backup.ts';
import { readRefusedCleanUp, describeRefusal } from '#server/domain/people/refused-clean-up.ts';
import { formatMegabytes } from '#server/platform/storage/disk-reserve.ts';
import { type Check, type Finding, requireArchive, queryRows, fail, ok, warn } from './check.ts';

const lowDiskBytes = 2e9;

/** Age of the last backup, in milliseconds, above which the check warns. One missed night is tolerated. */
const maxBackupAgeMs = 2 * 24 * 60 * 60 * 1000;

/** Number of random pictures that the check looks for on disk. `backup --dry-run` looks for all. */
const maxSampledPictures = 200;

const privatePaths = [
  'media',
  'secrets',
  'outbox',
  'second-factor.key',
  'token-key.json',
  'installation.key',
  'deletions.jsonl',
  'operator.log',
  'postgres.log',
];

export const dataFolderChecks: readonly Check[] = [
  {
    name: 'disk',
    run: async ({ config: { dataDir, diskReserveBytes, objectStore } }) => {
      // The pictures may be on a separate disk.
      const media = join(dataDir, 'media');
      const folders = objectStore === null && existsSync(media) ? [dataDir, media] : [dataDir];
      return Promise.all(folders.map((folder) => checkDisk(folder, diskReserveBytes)));
    },
  },
  {
    name: 'data folder',
    run: async ({ config: { dataDir } }) => {
      const code = await access(dataDir, constants.W_OK).catch(({ code }: NodeJS.ErrnoException) => code);
      return code === undefined
        ? ok('Writable.')
        : fail(`${dataDir} is not writable (${code}). Change its owner to the user that runs the server.`);
    },
  },
  {
    name: 'modes',
    run: async ({ config: { dataDir } }) => {
      const findings: Finding[] = [];
      for (const path of privatePaths.map((name) => join(dataDir, name))) {
        const found = await stat(path).catch(() => null);
        if (found && (found.mode & 0o077) !== 0)
          findings.push(fail(`Other users can read ${path}. Run: chmod go= ${path}`));
      }
      return findings.length > 0 ? findings : ok('Other users cannot read secrets and pictures.');
    },
  },
  {
    name: 'second-factor.key',
    needs: 'tables',
    run: async (subject) => {
      const { pool, config, context } = requireArchive(subject);
      const state = await checkSecondFactorKey(context.db, config.dataDir);
      if (state === 'not needed' && (await isForeignFolder(pool, config)))
        return fail(foreignFolderMessage(config.dataDir));
      const advice =
        'Restore the file from a backup. Without it, everyone has to set up their authenticator app again.';
      const found: Record<SecondFactorKeyState, Finding> = {
        'not needed': ok('No account has an authenticator app yet.'),
        valid: ok('Decrypts the stored authenticator secrets.'),
        missing: fail(`second-factor.key is missing. ${advice}`),
        mismatch: fail(`second-factor.key does not match the stored authenticator secrets. ${advice}`),
      };
      return found[state];
    },
  },
  {
    name: 'imported passwords',
    needs: 'tables',
    run: async (subject) => {
      const rows = await queryRows<{ id: string }>(
        subject,
        `select distinct substring(password_hash from '\\$k=([0-9a-f]{12})\\$') as id
         from accounts where password_hash like '$firebase-scrypt$%'`,
      );
      const keys = await readFirebaseKeys(subject.config.dataDir);
      const lost = rows.filter(({ id }) => !keys.has(id)).map(({ id }) => `firebase-${id}.json`);
      if (lost.length > 0)
        return fail(
          `DATA_DIR/secrets does not contain ${lost.join(', ')}. Restore the file from a backup. Until then, the affected people have to reset their password by email.`,
        );
      const unused = [...keys.keys()].filter((id) => rows.every((row) => row.id !== id));
      return ok(
        unused.length === 0
          ? 'All keys are present.'
          : `No account uses secrets/firebase-${unused.join('.json, firebase-')}.json any more. Delete it to make sign-in faster.`,
      );
    },
  },
  {
    name: 'picture store',
    needs: 'database',
    run: async (subject) => {
      const { store } = requireArchive(subject).context.media;
      if (!subject.config.objectStore) return ok(`${store.location}.`);
      await store.check().catch((error: Error) => {
        throw error instanceof ConfigError ? error : ((error.cause ?? error) as Error);
      });
      return ok(`${store.location} can be listed and written.`);
    },
  },
  {
    name: 'pictures',
    needs: 'tables',
    run: async (subject) => {
      const { media } = requireArchive(subject).context;
      const rows = await queryRows<{ picture: string }>(
        subject,
        `select picture from (
           select picture from profiles union all select picture from unfinished_profiles union all select picture from photos
         ) as pictures where picture is not null order by random() limit $1`,
        [maxSampledPictures],
      );
      let missing = 0;
      for (const { picture } of rows)
        // `readFileSizes` would also find pictures in the trash.
        if ((await media.store.listFiles(picture)).length === 0) missing++;
      return missing === 0
        ? ok(`Found all ${rows.length} checked pictures.`)
        : fail(
            `${missing} of ${rows.length} checked pictures are missing from ${media.store.location}. Restore them from the backup of the same night as the database.`,
          );
    },
  },
  {
    name: 'clean-up',
    run: async ({ config: { dataDir } }) => {
      const refused = await readRefusedCleanUp(dataDir);
      return refused ? fail(describeRefusal(refused)) : ok('The last clean-up of unused pictures had no problem.');
    },
  },
  {
    name: 'backup',
    needs: 'tables',
    run: async (subject) => {
      const advice = 'For nightly backups, see docs/operations.md.';
      const last = await readLastBackup(subject.config.dataDir);
      if (last) {
        const when = last.madeAt.toISOString().slice(0, 16).replace('T', ' ');
        return last.madeAt.getTime() < Date.now() - maxBackupAgeMs
          ? warn(`The last backup is from ${when} UTC. Check that the nightly backup still runs. ${advice}`)
          : ok(`The last backup is from ${when} UTC (${formatMegabytes(last.bytes)}).`);
      }
      const [row] = await queryRows<{ isOld: boolean | null }>(
        subject,
        'select min(created_at) < now() - make_interval(secs => $1) as "isOld" from accounts',
        [maxBackupAgeMs / 1000],
      );
      return row?.isOld ? warn(`No backup has been made yet. ${advice}`) : ok('No backup yet. The archive is new.');
    },
  },
];

async function checkDisk(folder: string, reserveBytes: number): Promise<Finding> {
  const { bavail, bsize, files, ffree } = await statfs(folder);
  const free = bavail * bsize;
  const advice = 'Free disk space, or move the data folder to a larger disk.';
  if (free < reserveBytes)
    return fail(
      `${formatMegabytes(free)} free at ${folder}, less than DISK_RESERVE (${formatMegabytes(reserveBytes)}), so uploads are rejected. ${advice}`,
    );
  if (files > 0 && ffree / files < 0.02) return fail(`Fewer than 2 % of the inodes are free at ${folder}. ${advice}`);
  const message = `${formatMegabytes(free)} free at ${folder}.`;
  return free < lowDiskBytes ? warn(`${message} ${advice}`) : ok(message);
}
