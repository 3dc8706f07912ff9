import { stat } from 'node:fs/promises';
import { explainUnknownMigrations } from '#server/db/migrate.ts';
import { withDatabase } from '#server/startup/open-archive.ts';
import { Failure, type Tools } from '../support/command.ts';
import { describeFileError } from '../support/file-errors.ts';
import { guardDiskReserve } from '../support/disk-space.ts';
import { type Manifest, pieceBytes } from './manifest.ts';
import { type BackupReader, readBackup } from './read-backup.ts';
import { testLoadTables } from './restore-tables.ts';

type EntryHandler = NonNullable<BackupReader['onEntry']>;

/**
 * Reads a backup completely and verifies it.
 * @throws Failure when the backup is damaged, or has migrations that this version does not contain
 */
export async function checkBackup(file: string, tools: Tools): Promise<Manifest> {
  const found = await stat(file).catch((error: unknown) => {
    throw describeFileError(error, `${file} cannot be read`);
  });
  if (!found.isFile()) throw new Failure(`${file} is not a file. Name a backup file.`);
  const manifest = await readWithProgress(file, tools, 'Checking');
  const problem = explainUnknownMigrations(manifest.migrations);
  if (problem === null) return manifest;
  throw new Failure(`${file} was created by version ${manifest.version}. ${problem}`);
}

/**
 * Loads every row of a backup into a temporary schema, and rolls back.
 * @param signal aborts the load at the next chunk of a table
 * @throws Failure when a row cannot be loaded
 */
export async function testLoadBackup(
  file: string,
  manifest: Manifest,
  tools: Tools,
  signal?: AbortSignal,
): Promise<void> {
  await withDatabase(tools.environment, async (connection, { databaseUrl, dataDir, diskReserveBytes }) => {
    const guardReserve =
      databaseUrl === null ? guardDiskReserve(dataDir, diskReserveBytes, 'Nothing was changed.') : null;
    await testLoadTables(connection, manifest, (tables) =>
      readWithProgress(file, tools, 'Loading', async (name, content) => {
        signal?.throwIfAborted();
        await guardReserve?.(pieceBytes);
        await tables.add(name, content);
      }),
    );
  }).catch((error: unknown) => {
    if (error instanceof Failure) throw error;
    throw new Failure(`Cannot load the rows of ${file}. Nothing was changed.`, { cause: error });
  });
}

/** Reads a backup with a progress bar. @param rows handles tables and jobs @param files handles pictures and keys */
export async function readWithProgress(
  file: string,
  { progress }: Pick<Tools, 'progress'>,
  label: string,
  rows?: EntryHandler,
  files?: EntryHandler,
): Promise<Manifest> {
  using bar = progress(`${label} (kB)`, Math.ceil((await stat(file)).size / 1000));
  return await readBackup(file, {
    onBytesRead: (bytes) => bar.add(Math.round(bytes / 1000)),
    onEntry: async (name, content) => (/^(?:tables|jobs)\//u.test(name) ? rows : files)?.(name, content),
  });
}
