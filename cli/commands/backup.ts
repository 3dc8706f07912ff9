import { createWriteStream } from 'node:fs';
import { glob, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Writable, addAbortSignal } from 'node:stream';
import { formatMegabytes } from '#server/platform/storage/disk-reserve.ts';
import type { OpenArchive } from '#server/startup/open-archive.ts';
import { readConfig } from '#server/platform/config/config.ts';
import { syncFolder } from '#server/platform/storage/files.ts';
import { writeLastBackup } from '#server/platform/storage/last-backup.ts';
import product from '../../package.json' with { type: 'json' };
import { checkBackup, testLoadBackup } from '../backup-format/check-backup.ts';
import { writeBackup } from '../backup-format/write-backup.ts';
import { withSnapshot } from '../support/with-snapshot.ts';
import { type Command, Failure, type Tools } from '../support/command.ts';
import { describeFileError } from '../support/file-errors.ts';
import { guardDiskReserve, requireDiskSpace } from '../support/disk-space.ts';
import { runUntilSignal } from '../support/run-until-signal.ts';
import { withArchive } from '../support/with-archive.ts';

const partialSuffix = '.unfinished';

/** Milliseconds since the last write after which an unfinished file is left over from a killed backup. */
const abandonedAfterMs = 60 * 60 * 1000;

export const backup: Command = {
  name: 'backup',
  summary: 'Back up everything to one file. The server can keep running.',
  requiredArguments: ['FILE'],
  options: {
    force: { type: 'boolean', summary: 'overwrite FILE if it exists' },
    incomplete: {
      type: 'boolean',
      summary: 'back up even if many pictures, or the key of the authenticator apps, are missing',
    },
    verify: {
      type: 'boolean',
      summary: 'load every row of the backup into a temporary schema before FILE is replaced',
    },
    'dry-run': {
      type: 'boolean',
      summary: 'print the contents, the size and the free disk space, without writing anything',
    },
  },
  description: [
    'FILE should end in .tar.gz. With - as FILE, the backup goes to standard output, e.g. to encrypt it: npm run --silent archive -- backup - | age -r KEY > backup.tar.gz.age',
    'The backup contains the database, the pictures, the queued emails and the keys. Keep it secret: anyone who has the file has all data. It does not contain the environment variables and institution.json.',
    'The backup fails if more than a tenth of the pictures, or the key of the authenticator apps, is missing. Otherwise an incomplete backup would replace a good one. It also fails before less than DISK_RESERVE is free on the disk.',
    'With --verify, a backup that cannot be loaded does not replace FILE. It is kept as FILE.unverified. Verifying takes about as long as a restore, and needs space in the database for a second copy of all rows.',
    'For nightly backups and for restoring, see docs/operations-data.md.',
  ],
  examples: [
    '/backups/archive.tar.gz',
    '/backups/archive.tar.gz --force --verify',
    '/backups/archive.tar.gz --dry-run',
  ],
  run: async ({ args: [target = ''], flags }, tools) => {
    const isIncomplete = flags.has('incomplete');
    const isDryRun = flags.has('dry-run');
    if (target === '-') {
      if (isDryRun) return dryRunBackup(null, isIncomplete, tools);
      if (flags.has('verify'))
        throw new Failure('--verify reads the backup again, so it needs a file. Name a file in place of -.');
      return writeToStandardOutput(isIncomplete, tools);
    }
    const file = resolve(target);
    await requireWritableTarget(file, flags.has('force'));
    if (isDryRun) return dryRunBackup(file, isIncomplete, tools);
    await removeAbandoned(dirname(file));
    const started = Date.now();
    const partial = `${file}${partialSuffix}`;
    const handle = await open(partial, 'w', 0o600).catch((error: unknown) => {
      throw describeFileError(error, `Cannot write to ${dirname(file)}`);
    });
    try {
      await runUntilSignal(async (signal) => {
        const to = addAbortSignal(signal, handle.createWriteStream({ flush: true }));
        const written = await writeBackupTo(to, { isIncomplete, folder: dirname(file) }, tools);
        if (flags.has('verify')) await verifyBackup(partial, file, tools, signal);
        await rename(partial, file);
        await syncFolder(dirname(file));
        tools.print(`${file}: ${formatMegabytes(to.bytesWritten)}, ${Math.round((Date.now() - started) / 1000)} s.`);
        await recordLastBackup(written, to.bytesWritten, tools);
      });
    } catch (error) {
      await rm(partial, { force: true });
      throw describeFileError(error, `Cannot write the backup to ${file}`);
    } finally {
      await handle.close();
    }
    return undefined;
  },
};

/**
 * Loads a new backup into a temporary schema.
 * @throws Failure when the load fails; the backup is then renamed to `FILE.unverified`
 */
async function verifyBackup(partial: string, file: string, tools: Tools, signal: AbortSignal): Promise<void> {
  const unverified = `${file}.unverified`;
  try {
    await testLoadBackup(partial, await checkBackup(partial, tools), tools, signal);
  } catch (cause) {
    signal.throwIfAborted();
    await rename(partial, unverified);
    throw new Failure(
      `The new backup failed verification. It is kept as ${unverified}, and ${file} was not overwritten. To test it again, run: npm run archive -- restore ${unverified} --dry-run`,
      { cause },
    );
  }
  await rm(unverified, { force: true });
  tools.print('Verified: every row was loaded.');
}

const diskFullAdvice = 'No backup was made, and nothing was overwritten. Delete old backups, or name another disk.';

async function writeToStandardOutput(isIncomplete: boolean, tools: Tools): Promise<void> {
  if (process.stdout.isTTY)
    throw new Failure(
      'A backup is binary data and is not printed to a terminal. Pipe it to a program: … backup - | age … > FILE',
    );
  await runUntilSignal(async (signal) => {
    const out = createWriteStream('', { fd: 1, autoClose: false, signal });
    const written = await writeBackupTo(out, { isIncomplete, folder: null }, tools);
    await recordLastBackup(written, out.bytesWritten, tools);
  }).catch((error: unknown) => {
    throw describeFileError(error, 'Cannot write the backup to standard output');
  });
}

interface BackupResult {
  readonly dataDir: string;
  readonly madeAt: Date;
  readonly isComplete: boolean;
}

/** Writes a backup to a stream. @param folder the target folder, whose disk keeps its reserve; null if unknown */
async function writeBackupTo(
  to: Writable,
  { isIncomplete, folder }: { isIncomplete: boolean; folder: string | null },
  { environment, printStatus, progress }: Tools,
): Promise<BackupResult> {
  // Do not migrate: a backup is also made before an upgrade.
  const options = { allowsForeignFolder: isIncomplete, shouldMigrate: false };
  const work = async (archive: OpenArchive): Promise<BackupResult> => {
    const { context } = archive;
    const { dataDir, diskReserveBytes } = archive.config;
    const guardReserve = folder === null ? undefined : guardDiskReserve(folder, diskReserveBytes, diskFullAdvice);
    const { manifest, missingPictures, isComplete } = await withSnapshot(archive, 'archive backup', (client) =>
      writeBackup({ client, context, version: product.version, isIncomplete, guardReserve }, to, progress),
    );
    const people = manifest.tables.find(({ name }) => name === 'accounts')?.rows ?? 0;
    printStatus(`${people} accounts, ${manifest.pictures} pictures, ${manifest.jobs} pending jobs.`);
    if (missingPictures > 0) printStatus(`WARN: ${missingPictures} pictures are missing and are not in the backup.`);
    if (!isComplete)
      printStatus('WARN: The backup is incomplete, and doctor does not count it. Keep your older backups.');
    return { dataDir, madeAt: new Date(manifest.madeAt), isComplete };
  };
  return withArchive(environment, work, options);
}

/** Records a backup for doctor and `/metrics`, which report a missing next one. A failure only prints a warning. */
async function recordLastBackup(
  { dataDir, madeAt, isComplete }: BackupResult,
  bytes: number,
  { printStatus }: Tools,
): Promise<void> {
  if (!isComplete) return;
  await writeLastBackup(dataDir, { madeAt, bytes }).catch(({ message }: Error) =>
    printStatus(`WARN: The backup was made, but could not be recorded for doctor in ${dataDir} (${message}).`),
  );
}

async function dryRunBackup(file: string | null, isIncomplete: boolean, tools: Tools): Promise<void> {
  let bytes = 0;
  const discard = new Writable({
    write: (chunk: Buffer, _, done) => {
      bytes += chunk.length;
      done();
    },
  });
  await writeBackupTo(discard, { isIncomplete, folder: null }, tools);
  tools.print(`${formatMegabytes(bytes)} would be written.`);
  if (file !== null) {
    const { diskReserveBytes } = readConfig(tools.environment);
    const freeSpace = requireDiskSpace(dirname(file), bytes, diskReserveBytes, diskFullAdvice).catch(
      (error: unknown) => {
        throw describeFileError(error, `Cannot write to ${dirname(file)}`);
      },
    );
    tools.print(await freeSpace);
  }
  tools.print('Dry run: nothing was written.');
}

async function requireWritableTarget(file: string, force: boolean): Promise<void> {
  const there = await stat(file).catch(() => null);
  if (there && !there.isFile()) throw new Failure(`${file} exists and is not a file. Name another path.`);
  if (there && !force) throw new Failure(`${file} already exists. Name another file, or add --force to overwrite it.`);
}

async function removeAbandoned(folder: string): Promise<void> {
  for await (const name of glob(`*.tar.gz${partialSuffix}`, { cwd: folder })) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    // An undeletable file must not prevent the next backup.
    if (found?.isFile() && found.mtimeMs < Date.now() - abandonedAfterMs)
      await rm(path, { force: true }).catch(() => undefined);
  }
}
