import { randomUUID } from 'node:crypto';
import { access, constants, readdir, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cutShort, restoreMark } from '#server/platform/data-folder.ts';
import { operatorLogPath } from '../operator-log.ts';
import { type Check, type Finding, fail, ok, warn } from './check.ts';

const [megabyte, gigabyte] = [2 ** 20, 2 ** 30];

/** Bytes that have to be free: less is worth a look, and less is in the way. */
const room = { enough: 2 * gigabyte, least: 256 * megabyte };

const inWords = (bytes: number): string =>
  bytes >= gigabyte ? `${(bytes / gigabyte).toFixed(1)} GB` : `${Math.floor(bytes / megabyte)} MB`;

async function lookAt(folder: string, reserve: number): Promise<Finding> {
  const { bavail, bsize, files, ffree } = await statfs(folder);
  const free = bavail * bsize;
  const advice = 'Free some, or move the data folder to a larger disk.';
  if (free < reserve)
    return fail(
      `${inWords(free)} are free at ${folder}, and DISK_RESERVE keeps ${inWords(reserve)}: pictures are refused. ${advice}`,
    );
  if (free < room.least) return fail(`Only ${inWords(free)} are free at ${folder}. ${advice}`);
  if (files > 0 && ffree / files < 0.02)
    return fail(`There is hardly room for further files at ${folder} (inodes). ${advice}`);
  return free < room.enough
    ? warn(`${inWords(free)} are free at ${folder}. ${advice}`)
    : ok(`${inWords(free)} are free at ${folder}.`);
}

/** The data folder: room, and who gets in. */
export const diskChecks: readonly Check[] = [
  {
    about: 'disk',
    run: async ({ config: { dataDir, diskReserve } }) => {
      const media = join(dataDir, 'media');
      // Pictures may be on a disk of their own.
      const places = [dataDir, ...((await stat(media).catch(() => null)) ? [media] : [])];
      return Promise.all(places.map((folder) => lookAt(folder, diskReserve)));
    },
  },
  {
    about: 'restore',
    run: async ({ config: { dataDir } }) => {
      if (await stat(restoreMark(dataDir)).catch(() => null)) return fail(cutShort);
      return ok('nothing is left half restored.');
    },
  },
  {
    about: 'data folder',
    run: async ({ config: { dataDir } }) => {
      const trial = join(dataDir, `doctor-${randomUUID()}`);
      try {
        await writeFile(trial, 'x', { mode: 0o600 });
      } catch (error) {
        return fail(
          `${dataDir} cannot be written to (${(error as NodeJS.ErrnoException).code}). Give it to the user that runs the product.`,
        );
      } finally {
        await rm(trial, { force: true });
      }
      const log = operatorLogPath(dataDir);
      const fault = await access(log, constants.W_OK).then(
        () => null,
        ({ code }: NodeJS.ErrnoException) => code,
      );
      return fault === null || fault === 'ENOENT'
        ? ok('can be written to.')
        : fail(
            `${log} cannot be written to (${fault}), and commands refuse to act then. Give it to the user that runs the product.`,
          );
    },
  },
  {
    about: 'modes',
    run: async ({ config: { dataDir } }) => {
      const findings: Finding[] = [];
      for (const [path, most] of await closedPaths(dataDir)) {
        const found = await stat(path).catch(() => null);
        if (!found) continue;
        if ((found.mode & 0o777 & ~most) !== 0)
          findings.push(fail(`${path} is open to others. Run: chmod ${most.toString(8)} ${path}`));
        if (process.getuid?.() === 0 && found.uid !== 0)
          findings.push(
            warn(
              `${path} belongs to another user than the one you are. Run commands as the user that runs the product.`,
            ),
          );
      }
      return findings.length > 0 ? findings : ok('secrets and pictures are closed to others.');
    },
  },
];

/** What nobody else may read, with the widest mode that it may have. */
async function closedPaths(dataDir: string): Promise<[path: string, most: number][]> {
  const secrets = join(dataDir, 'secrets');
  const names = await readdir(secrets).catch(() => []);
  return [
    ...['media', 'secrets', 'outbox'].map((name): [string, number] => [join(dataDir, name), 0o700]),
    ...[
      'second-factor.key',
      'token-key.json',
      'installation.key',
      'deletions.jsonl',
      'operator.log',
      'postgres.log',
    ].map((name): [string, number] => [join(dataDir, name), 0o600]),
    // The name of a folder is no secret, and stands there with the mode of any file.
    ...names.filter((name) => name !== 'socket-folder').map((name): [string, number] => [join(secrets, name), 0o600]),
  ];
}
