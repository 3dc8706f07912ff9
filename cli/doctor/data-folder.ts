import { existsSync } from 'node:fs';
import { access, constants, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { type SecondFactorKeyState, checkSecondFactorKey } from '#server/domain/second-factor-key.ts';
import { foreignFolder, isForeignFolder } from '#server/startup/open-archive.ts';
import { readFirebaseKeys } from '#server/platform/crypto/firebase-scrypt.ts';
import { readLastBackup } from '#server/platform/storage/last-backup.ts';
import { readRefusedCleanUp, describeRefusal } from '#server/domain/refused-clean-up.ts';
import { megabytes } from '#server/platform/storage/disk-reserve.ts';
import { type Check, type Finding, archiveOf, ask, fail, ok, warn } from './check.ts';

/** Free bytes below which the disk is a warning. */
const lowDiskBytes = 2e9;

/** Age of the last backup from which it is a warning: one night may be left out. */
const maxBackupAgeMs = 2 * 24 * 60 * 60 * 1000;

/** Number of pictures that are looked for on the disk. `backup --dry-run` looks for all. */
const pictureSample = 200;

/** Files and folders that other users must not read. */
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

/** Checks the data folder: disk, access rights, keys, pictures and backups. */
export const dataFolderChecks: readonly Check[] = [
  {
    about: 'disk',
    run: async ({ config: { dataDir, diskReserveBytes } }) => {
      // The pictures may be on a disk of their own.
      const media = join(dataDir, 'media');
      const folders = existsSync(media) ? [dataDir, media] : [dataDir];
      return Promise.all(folders.map((folder) => checkDisk(folder, diskReserveBytes)));
    },
  },
  {
    about: 'data folder',
    run: async ({ config: { dataDir } }) => {
      const code = await access(dataDir, constants.W_OK).catch(({ code }: NodeJS.ErrnoException) => code);
      return code === undefined
        ? ok('can be written to.')
        : fail(`${dataDir} cannot be written to (${code}). Give it to the user that runs the product.`);
    },
  },
  {
    about: 'modes',
    run: async ({ config: { dataDir } }) => {
      const findings: Finding[] = [];
      for (const path of privatePaths.map((name) => join(dataDir, name))) {
        const found = await stat(path).catch(() => null);
        if (found && (found.mode & 0o077) !== 0)
          findings.push(fail(`${path} is open to others. Run: chmod go= ${path}`));
      }
      return findings.length > 0 ? findings : ok('secrets and pictures are closed to others.');
    },
  },
  {
    about: 'second-factor.key',
    needs: 'tables',
    run: async (subject) => {
      const { pool, config, context } = archiveOf(subject);
      const state = await checkSecondFactorKey(context.db, config.dataDir);
      if (state === 'not needed' && (await isForeignFolder(pool, config))) return fail(foreignFolder(config.dataDir));
      const advice = 'Put the file back from a backup; without it, authenticator apps have to be set up anew.';
      const found: Record<SecondFactorKeyState, Finding> = {
        'not needed': ok('nobody has an authenticator app yet.'),
        valid: ok('opens what it has sealed.'),
        missing: fail(`It is missing. ${advice}`),
        mismatch: fail(`It is another one than the authenticator apps were set up with. ${advice}`),
      };
      return found[state];
    },
  },
  {
    about: 'brought passwords',
    needs: 'tables',
    run: async (subject) => {
      const rows = await ask<{ id: string }>(
        subject,
        `select distinct substring(password_hash from '\\$k=([0-9a-f]{12})\\$') as id
         from accounts where password_hash like '$firebase-scrypt$%'`,
      );
      const keys = await readFirebaseKeys(subject.config.dataDir);
      const lost = rows.filter(({ id }) => !keys.has(id)).map(({ id }) => `firebase-${id}.json`);
      if (lost.length > 0)
        return fail(
          `DATA_DIR/secrets does not have ${lost.join(', ')}. Put it back from a backup; until then its people need a new password by mail.`,
        );
      const unused = [...keys.keys()].filter((id) => rows.every((row) => row.id !== id));
      return ok(
        unused.length === 0
          ? 'all of their keys are there.'
          : `No account needs secrets/firebase-${unused.join('.json, firebase-')}.json any more: delete it to make sign-in faster.`,
      );
    },
  },
  {
    about: 'pictures',
    needs: 'tables',
    run: async (subject) => {
      const { media } = archiveOf(subject).context;
      const rows = await ask<{ picture: string }>(
        subject,
        `select picture from (
           select picture from profiles union all select picture from unfinished_profiles union all select picture from photos
         ) as pictures where picture is not null order by random() limit $1`,
        [pictureSample],
      );
      let missing = 0;
      for (const { picture } of rows)
        // `sizesOf` also finds pictures that wait for their deletion.
        if (!existsSync(join(media.folder, picture)) || (await media.readFileSizes(picture)).length === 0) missing++;
      return missing === 0
        ? ok(`${rows.length} of them are there.`)
        : fail(
            `${missing} of ${rows.length} are missing in ${media.folder}. Put the folder back from the backup of the same night.`,
          );
    },
  },
  {
    about: 'clean-up',
    run: async ({ config: { dataDir } }) => {
      const refused = await readRefusedCleanUp(dataDir);
      return refused ? fail(describeRefusal(refused)) : ok('nothing was refused.');
    },
  },
  {
    about: 'backup',
    needs: 'tables',
    run: async (subject) => {
      const advice = 'docs/operations.md says how to make one every night.';
      const last = await readLastBackup(subject.config.dataDir);
      if (last) {
        const when = last.madeAt.toISOString().slice(0, 16).replace('T', ' ');
        return last.madeAt.getTime() < Date.now() - maxBackupAgeMs
          ? warn(`No backup has been made since ${when} (UTC). Does the nightly one still run? ${advice}`)
          : ok(`the last one is of ${when} (UTC), ${megabytes(last.bytes)}.`);
      }
      const [row] = await ask<{ isOld: boolean | null }>(
        subject,
        'select min(created_at) < now() - make_interval(secs => $1) as "isOld" from accounts',
        [maxBackupAgeMs / 1000],
      );
      return row?.isOld ? warn(`No backup has been made yet. ${advice}`) : ok('none yet; the archive is new.');
    },
  },
];

async function checkDisk(folder: string, reserveBytes: number): Promise<Finding> {
  const { bavail, bsize, files, ffree } = await statfs(folder);
  const free = bavail * bsize;
  const advice = 'Free some, or move the data folder to a larger disk.';
  if (free < reserveBytes)
    return fail(
      `${megabytes(free)} are free at ${folder}, and DISK_RESERVE keeps ${megabytes(reserveBytes)}: pictures are refused. ${advice}`,
    );
  if (files > 0 && ffree / files < 0.02)
    return fail(`There is hardly room for further files at ${folder} (inodes). ${advice}`);
  const says = `${megabytes(free)} are free at ${folder}.`;
  return free < lowDiskBytes ? warn(`${says} ${advice}`) : ok(says);
}
