import { createWriteStream } from 'node:fs';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import pg from 'pg';
import { openArchive } from '#server/open-archive.ts';
import { deleteRemoved } from '#server/domain/pictures.ts';
import { writeBackup } from './backup/write-backup.ts';
import { type Command, Failure, type Tools } from './command.ts';
import { inWords } from './file-errors.ts';
import { productVersion } from './product-version.ts';
import { untilSignal } from './until-signal.ts';

const unfinished = '.unfinished';

/** Milliseconds after which a file that nothing has been added to is that of a backup that was killed. */
const abandonedAfter = 60 * 60 * 1000;

export const backup: Command = {
  name: 'backup',
  summary: 'Writes everything into one file, while people go on using the archive.',
  takes: ['FILE'],
  options: { force: { type: 'boolean', summary: 'overwrites FILE where there is one' } },
  help: [
    'FILE should end in .tar.gz. With - it goes to standard output, e.g. into a program that encrypts it:',
    '  npm run --silent archive -- backup - | age -r KEY > backup.tar.gz.age',
    'It holds the database, the pictures, the mails that wait, and the keys: whoever has it has everything. Settings and institution.json are not in it.',
    'How to make one every night, and how to restore it: docs/operations-data.md.',
  ],
  run: async ({ args: [target = ''], flags }, tools) => {
    if (target === '-') return toStandardOutput(tools);
    const file = resolve(target);
    await requireFree(file, flags.has('force'));
    await sweep(dirname(file), file);
    const started = Date.now();
    const partial = `${file}${unfinished}`;
    const handle = await open(partial, 'wx', 0o600).catch((error: unknown) => {
      throw inWords(error, `Nothing can be written to ${dirname(file)}`);
    });
    try {
      await untilSignal(async (signal) => {
        const { size } = await writeTo(createWriteStream(partial, { fd: handle.fd, autoClose: false, signal }), tools);
        await handle.sync();
        await handle.close();
        await rename(partial, file);
        await syncFolder(dirname(file));
        tools.say(`${file}: ${megabytes(size())}, ${Math.round((Date.now() - started) / 1000)} s.`);
      });
    } catch (error) {
      await handle.close().catch(() => undefined);
      await rm(partial, { force: true });
      throw inWords(error, `The backup could not be written to ${file}`);
    }
    return undefined;
  },
};

async function toStandardOutput(tools: Tools): Promise<void> {
  if (process.stdout.isTTY) throw new Failure('A backup is no text to look at. Pass it on: … backup - | age … > FILE');
  await untilSignal(async (signal) => {
    const out = createWriteStream('', { fd: 1, autoClose: false, signal });
    await writeTo(out, tools);
  }).catch((error: unknown) => {
    throw inWords(error, 'The backup could not be written to standard output');
  });
}

async function writeTo(to: Writable & { bytesWritten: number }, { environment, note, progress }: Tools) {
  // As the tables are: a backup is made before an update as well.
  const archive = await openArchive(environment, { migrates: false });
  const client = new pg.Client({ ...archive.connection, application_name: 'archive backup', statement_timeout: 0 });
  try {
    await client.connect();
    client.on('error', () => undefined);
    await client.query('set idle_in_transaction_session_timeout = 0');
    const { context, config } = archive;
    const { manifest, missing } = await writeBackup(
      { client, media: context.media, dataDir: config.dataDir, version: productVersion() },
      to,
      progress,
    );
    const people = manifest.tables.find(({ name }) => name === 'accounts')?.rows ?? 0;
    note(`${people} accounts, ${manifest.pictures} pictures, ${manifest.jobs} waiting jobs.`);
    if (missing > 0) note(`${missing} pictures were missing on disk before, and are not in it.`);
    return { size: () => to.bytesWritten };
  } finally {
    await client.end().catch(() => undefined);
    await deleteRemoved(archive.context).catch(() => undefined);
    await archive.close();
  }
}

async function requireFree(file: string, force: boolean): Promise<void> {
  const there = await stat(file).catch(() => null);
  if (there && !there.isFile()) throw new Failure(`${file} is not a file. Name one that is to be written.`);
  if (there && !force) throw new Failure(`${file} is there already. Name another file, or overwrite it with --force.`);
}

/** What a backup that was killed has left, this one's or one of the nights before: it holds as much as a whole one. */
async function sweep(folder: string, file: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.endsWith(`.tar.gz${unfinished}`) && name !== `${basename(file)}${unfinished}`) continue;
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    if (!found?.isFile()) continue;
    if (path === `${file}${unfinished}` || found.mtimeMs < Date.now() - abandonedAfter) await rm(path, { force: true });
  }
}

/** The new name has to be on disk as well. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
