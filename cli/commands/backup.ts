import { createWriteStream } from 'node:fs';
import { glob, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Writable, addAbortSignal } from 'node:stream';
import { megabytes } from '#server/platform/storage/disk-reserve.ts';
import type { OpenArchive } from '#server/startup/open-archive.ts';
import { readConfig } from '#server/platform/config/config.ts';
import { syncFolder } from '#server/platform/storage/files.ts';
import { writeLastBackup } from '#server/platform/storage/last-backup.ts';
import product from '../../package.json' with { type: 'json' };
import { checkBackup, tryBackup } from '../backup-format/check-backup.ts';
import { writeBackup } from '../backup-format/write-backup.ts';
import { withSnapshot } from '../support/with-snapshot.ts';
import { type Command, Failure, type Tools } from '../support/command.ts';
import { inWords } from '../support/file-errors.ts';
import { keepRoom, requireRoom } from '../support/disk-space.ts';
import { untilSignal } from '../support/until-signal.ts';
import { withArchive } from '../support/with-archive.ts';

const unfinished = '.unfinished';

/** Age of an unfinished file, since its last write, from which its backup was killed. */
const abandonedAfterMs = 60 * 60 * 1000;

export const backup: Command = {
  name: 'backup',
  summary: 'Writes everything into one file, while people go on using the archive.',
  takes: ['FILE'],
  options: {
    force: { type: 'boolean', summary: 'overwrites FILE where there is one' },
    incomplete: {
      type: 'boolean',
      summary: 'makes it also where many pictures, or the key of second factors, are missing',
    },
    verify: {
      type: 'boolean',
      summary: 'test-loads every row of the new backup into a temporary schema before FILE is written',
    },
    'dry-run': { type: 'boolean', summary: 'says what would be in it and whether there is room, and writes nothing' },
  },
  help: [
    'FILE should end in .tar.gz. With - it goes to standard output, e.g. into a program that encrypts it:',
    '  npm run --silent archive -- backup - | age -r KEY > backup.tar.gz.age',
    'It holds the database, the pictures, the mails that wait, and the keys: whoever has it has everything. Settings and institution.json are not in it.',
    'When more than a tenth of the pictures or the key of second factors is missing, none is made: it would take the place of a better one. A disk that fills up ends it while DISK_RESERVE is still free.',
    'With --verify, a backup that cannot be loaded or verified does not replace FILE: it is kept as FILE.unverified. This takes about as long as a restore, and needs space in the database for a second copy of all rows.',
    'How to make one every night, and how to restore it: docs/operations-data.md.',
  ],
  run: async ({ args: [target = ''], flags }, tools) => {
    const isIncomplete = flags.has('incomplete');
    const isDry = flags.has('dry-run');
    if (target === '-') {
      if (isDry) return tryOut(null, isIncomplete, tools);
      if (flags.has('verify')) throw new Failure('--verify has to read the backup again. Name a file instead of -');
      return toStandardOutput(isIncomplete, tools);
    }
    const file = resolve(target);
    await requireFree(file, flags.has('force'));
    if (isDry) return tryOut(file, isIncomplete, tools);
    await removeAbandoned(dirname(file));
    const started = Date.now();
    const partial = `${file}${unfinished}`;
    const handle = await open(partial, 'w', 0o600).catch((error: unknown) => {
      throw inWords(error, `Nothing can be written to ${dirname(file)}`);
    });
    try {
      await untilSignal(async (signal) => {
        const to = addAbortSignal(signal, handle.createWriteStream({ flush: true }));
        const written = await writeTo(to, { isIncomplete, folder: dirname(file) }, tools);
        if (flags.has('verify')) await verify(partial, file, tools, signal);
        await rename(partial, file);
        await syncFolder(dirname(file));
        tools.say(`${file}: ${megabytes(to.bytesWritten)}, ${Math.round((Date.now() - started) / 1000)} s.`);
        await remember(written, to.bytesWritten, tools);
      });
    } catch (error) {
      await rm(partial, { force: true });
      throw inWords(error, `The backup could not be written to ${file}`);
    } finally {
      await handle.close();
    }
    return undefined;
  },
};

/** Test-loads a new backup. @throws Failure when that fails; the backup is then kept as `FILE.unverified` */
async function verify(partial: string, file: string, tools: Tools, signal: AbortSignal): Promise<void> {
  const unverified = `${file}.unverified`;
  try {
    await tryBackup(partial, await checkBackup(partial, tools), tools, signal);
  } catch (cause) {
    signal.throwIfAborted();
    await rename(partial, unverified);
    throw new Failure(
      `This backup could not be verified. It is kept as ${unverified}, and ${file} was not overwritten. To test it again: restore ${unverified} --dry-run`,
      { cause },
    );
  }
  await rm(unverified, { force: true });
  tools.say('Verified: every row can be loaded.');
}

/** What to do when a disk gets full. */
const noRoom = 'No backup is made, and nothing was overwritten; delete old backups or name another disk.';

async function toStandardOutput(isIncomplete: boolean, tools: Tools): Promise<void> {
  if (process.stdout.isTTY) throw new Failure('A backup is no text to look at. Pass it on: … backup - | age … > FILE');
  await untilSignal(async (signal) => {
    const out = createWriteStream('', { fd: 1, autoClose: false, signal });
    const written = await writeTo(out, { isIncomplete, folder: null }, tools);
    await remember(written, out.bytesWritten, tools);
  }).catch((error: unknown) => {
    throw inWords(error, 'The backup could not be written to standard output');
  });
}

interface Written {
  readonly dataDir: string;
  readonly madeAt: Date;
  /** Whether it is one that can take the place of those before it. */
  readonly isWhole: boolean;
}

/** @param folder on whose disk it is written; null where nobody knows */
async function writeTo(
  to: Writable,
  { isIncomplete, folder }: { isIncomplete: boolean; folder: string | null },
  { environment, note, progress }: Tools,
): Promise<Written> {
  // The tables stay as they are: a backup is made before an upgrade as well.
  const options = { anyFolder: isIncomplete, migrates: false };
  const work = async (archive: OpenArchive): Promise<Written> => {
    const { media } = archive.context;
    const { dataDir, diskReserveBytes } = archive.config;
    const makeRoom = folder === null ? undefined : keepRoom(folder, diskReserveBytes, noRoom);
    const { manifest, missing, isWhole } = await withSnapshot(archive, 'archive backup', (client) =>
      writeBackup({ client, media, dataDir, version: product.version, isIncomplete, makeRoom }, to, progress),
    );
    const people = manifest.tables.find(({ name }) => name === 'accounts')?.rows ?? 0;
    note(`${people} accounts, ${manifest.pictures} pictures, ${manifest.jobs} waiting jobs.`);
    if (missing > 0) note(`${missing} pictures were missing on disk before, and are not in it.`);
    if (!isWhole) note('It is incomplete, and does not count as a backup for doctor: keep those that you have.');
    return { dataDir, madeAt: new Date(manifest.madeAt), isWhole };
  };
  return withArchive(environment, work, options);
}

/** Notes a backup, so that doctor and `/metrics` see when the next one does not come. It is made, whether that works or not. */
async function remember({ dataDir, madeAt, isWhole }: Written, bytes: number, { note }: Tools): Promise<void> {
  if (!isWhole) return;
  await writeLastBackup(dataDir, { madeAt, bytes }).catch(({ message }: Error) =>
    note(`The backup is made, but that it is could not be noted for doctor in ${dataDir} (${message}).`),
  );
}

/** `--dry-run`: writes the backup to nowhere. */
async function tryOut(file: string | null, isIncomplete: boolean, tools: Tools): Promise<void> {
  let bytes = 0;
  const nowhere = new Writable({
    write: (chunk: Buffer, _, done) => {
      bytes += chunk.length;
      done();
    },
  });
  await writeTo(nowhere, { isIncomplete, folder: null }, tools);
  tools.say(`${megabytes(bytes)} would be written.`);
  if (file !== null) {
    const { diskReserveBytes } = readConfig(tools.environment);
    const says = requireRoom(dirname(file), bytes, diskReserveBytes, noRoom).catch((error: unknown) => {
      throw inWords(error, `Nothing can be written to ${dirname(file)}`);
    });
    tools.say(await says);
  }
  tools.say('Nothing was written.');
}

async function requireFree(file: string, force: boolean): Promise<void> {
  const there = await stat(file).catch(() => null);
  if (there && !there.isFile()) throw new Failure(`${file} is not a file. Name one that is to be written.`);
  if (there && !force) throw new Failure(`${file} is there already. Name another file, or overwrite it with --force.`);
}

/** Removes the files of backups that were killed: each can be as large as a whole backup. */
async function removeAbandoned(folder: string): Promise<void> {
  for await (const name of glob(`*.tar.gz${unfinished}`, { cwd: folder })) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    // One that cannot be removed must not keep the next backup from being made.
    if (found?.isFile() && found.mtimeMs < Date.now() - abandonedAfterMs)
      await rm(path, { force: true }).catch(() => undefined);
  }
}
