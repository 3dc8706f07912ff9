import { stat } from 'node:fs/promises';
import { migrationNames } from '#server/db/migrate.ts';
import { withDatabase } from '#server/startup/open-archive.ts';
import { Failure, type Tools } from '../support/command.ts';
import { inWords } from '../support/file-errors.ts';
import { keepRoom } from '../support/disk-space.ts';
import { type Manifest, pieceBytes } from './manifest.ts';
import { type Reader, readBackup } from './read-backup.ts';
import { tryTables } from './restore-tables.ts';

type Take = NonNullable<Reader['entry']>;

/** Reads all of a backup and writes nothing. @throws Failure when it is damaged, or has migrations that this version does not have */
export async function checkBackup(file: string, tools: Tools): Promise<Manifest> {
  const found = await stat(file).catch((error: unknown) => {
    throw inWords(error, `${file} cannot be read`);
  });
  if (!found.isFile()) throw new Failure(`${file} is not a file. Name a backup.`);
  const manifest = await passOn(file, tools, 'Checking');
  const known = migrationNames();
  if (manifest.migrations.every((name, at) => name === known[at])) return manifest;
  throw new Failure(
    `${file} was made by version ${manifest.version} of the product, whose tables this one does not know. ` +
      'Install that version or a newer one, and restore with it.',
  );
}

/**
 * Loads every row of a backup beside the rows of the archive, and removes it again.
 * @param signal aborts the load at the next piece of a table
 * @throws Failure when a row cannot be loaded
 */
export async function tryBackup(file: string, manifest: Manifest, tools: Tools, signal?: AbortSignal): Promise<void> {
  await withDatabase(tools.environment, async (connection, { databaseUrl, dataDir, diskReserveBytes }) => {
    const keep = databaseUrl === null ? keepRoom(dataDir, diskReserveBytes, 'Nothing was changed.') : null;
    await tryTables(connection, manifest, (tables) =>
      passOn(file, tools, 'Loading', async (name, content) => {
        signal?.throwIfAborted();
        await keep?.(pieceBytes);
        await tables.add(name, content);
      }),
    );
  }).catch((error: unknown) => {
    if (error instanceof Failure) throw error;
    throw new Failure(`The rows of ${file} could not be loaded. Nothing was changed.`, { cause: error });
  });
}

/** Reads a backup with a progress bar. @param rows takes tables and jobs @param files takes pictures and keys */
export async function passOn(
  file: string,
  { progress }: Pick<Tools, 'progress'>,
  label: string,
  rows?: Take,
  files?: Take,
): Promise<Manifest> {
  using bar = progress(`${label} (kB)`, Math.ceil((await stat(file)).size / 1000));
  return await readBackup(file, {
    read: (bytes) => bar.add(Math.round(bytes / 1000)),
    entry: async (name, content) => (/^(?:tables|jobs)\//u.test(name) ? rows : files)?.(name, content),
  });
}
