import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type pg from 'pg';
import { megabytes } from '#server/platform/storage/disk-reserve.ts';
import type { OpenArchive } from '#server/startup/open-archive.ts';
import { type Command, Failure, type Tools } from '../support/command.ts';
import { csvRow, csvStart } from '../export-format/csv.ts';
import { readme } from '../export-format/readme.ts';
import { type Row, accountLine, csvCells, csvColumns, photoLine, profileLine, textOf } from '../export-format/rows.ts';
import { keepRoom, requireRoom } from '../support/disk-space.ts';
import { inWords } from '../support/file-errors.ts';
import { count, pictureNames, picturesQuery } from '../support/stored-pictures.ts';
import { streamWriter } from '../support/stream-writer.ts';
import { untilSignal } from '../support/until-signal.ts';
import { withArchive } from '../support/with-archive.ts';
import { withSnapshot } from '../support/with-snapshot.ts';

export const exportAll: Command = {
  name: 'export',
  summary: 'Writes everything into a folder in open formats, for other programs.',
  takes: ['DIR'],
  options: {
    'dry-run': { type: 'boolean', summary: 'says what would be in it and whether there is room, and writes nothing' },
  },
  help: [
    'JSON lines, CSV and pictures, with a README.txt that explains them. DIR must not exist yet.',
    'It is not a backup: sessions and second factors stay behind. People can go on using the archive meanwhile.',
  ],
  run: async ({ args: [target = ''], flags }, tools) => {
    const folder = resolve(target);
    if (await stat(folder).catch(() => null)) throw new Failure(`${folder} is there already. Name a new folder.`);
    const isDry = flags.has('dry-run');
    const work = (archive: OpenArchive) =>
      (isDry ? tryOut : write)(archive, folder, tools).catch((error: unknown) => {
        throw inWords(error, `Nothing could be exported to ${folder}`);
      });
    await withArchive(tools.environment, work, { migrates: !isDry });
  },
};

async function write(archive: OpenArchive, folder: string, tools: Tools): Promise<void> {
  const partial = `${folder}.unfinished`;
  try {
    // What an export that was killed has left.
    await rm(partial, { recursive: true, force: true });
    await mkdir(join(partial, 'pictures'), { recursive: true, mode: 0o700 });
    const people = await withSnapshot(archive, 'archive export', (client) =>
      untilSignal((signal) => writeAll(archive, client, partial, tools, signal)),
    );
    await rename(partial, folder);
    tools.say(`${folder}: ${people} accounts. It holds what people have hidden: keep it shut, and delete it in time.`);
  } catch (error) {
    await rm(partial, { recursive: true, force: true }).catch(() => undefined);
    throw error;
  }
}

/** What to do when a disk gets full. */
const noRoom = 'Nothing is exported; free some, or name another disk.';

/** `--dry-run` */
async function tryOut(archive: OpenArchive, folder: string, { progress, note, say }: Tools): Promise<void> {
  let [accounts, pictures, missing, bytes] = [0, 0, 0, 0];
  await withSnapshot(archive, 'archive export', async (client) => {
    accounts = await count(client, 'select 1 from accounts');
    pictures = await count(client, await picturesQuery(client));
    using bar = progress('Pictures', pictures);
    for await (const name of pictureNames(client)) {
      const [largest] = largestOf(await archive.context.media.readFileSizes(name));
      if (largest) bytes += largest.bytes;
      else missing++;
      bar.add();
    }
  });
  if (missing > 0) note(`${missing} pictures are missing on disk.`);
  say(`${accounts} accounts and ${pictures - missing} pictures of about ${megabytes(bytes)} would be written.`);
  say(await requireRoom(await nearestOf(folder), bytes, archive.config.diskReserveBytes, noRoom));
  say('Nothing was written.');
}

/** The folder above a path that is there already. */
async function nearestOf(path: string): Promise<string> {
  const above = dirname(path);
  return above === path || (await stat(above).catch(() => null)) ? above : nearestOf(above);
}

/** Files of a picture, the largest first. */
const largestOf = <File extends { readonly name: string }>(files: readonly File[]): File[] =>
  files.toSorted((one, other) => Number.parseInt(other.name, 10) - Number.parseInt(one.name, 10));

async function writeAll(
  { context, config }: OpenArchive,
  client: pg.Client,
  folder: string,
  { progress, note }: Tools,
  signal: AbortSignal,
): Promise<number> {
  let missing = 0;
  const makeRoom = keepRoom(folder, config.diskReserveBytes, noRoom);
  /** @returns where the largest file of a picture lies in the export */
  async function writePicture(name: string): Promise<string | null> {
    const [largest] = largestOf(await context.media.readFiles(name));
    if (!largest) {
      missing++;
      return null;
    }
    const path = `pictures/${name}.webp`;
    await makeRoom(largest.content.length);
    await writeFile(join(folder, path), largest.content, { mode: 0o600 });
    return path;
  }
  const { rows: totals } = await client.query<{ total: number }>(
    `select (select count(*) from accounts)::float8 + (select count(*) from profiles) + (select count(*) from photos) as total`,
  );
  let people = 0;
  const files = openFiles(folder, makeRoom);
  try {
    using bar = progress('Exporting', totals[0]?.total ?? 0);
    await files.write('people.csv', csvStart + csvRow(csvColumns));
    for await (const { row } of rowsIn(
      client,
      `select to_jsonb(a) - '{deletes_at,is_active}'::text[] as row from accounts as a where ${isKept} order by id`,
    )) {
      signal.throwIfAborted();
      people++;
      await files.write('accounts.jsonl', line(accountLine(row)));
      bar.add();
    }
    const profiles = `select a.email, to_jsonb(p) as row from profiles as p join accounts as a on a.id = p.account_id where ${isKept} order by a.id`;
    for await (const { email, row } of rowsIn(client, profiles)) {
      signal.throwIfAborted();
      const picture = row['picture'] === null ? null : await writePicture(textOf(row['picture']));
      await files.write('profiles.jsonl', line(profileLine(email, row, picture)));
      await files.write('people.csv', csvRow(csvCells(email, row)));
      bar.add();
    }
    const unfinished = `select a.email, to_jsonb(u) as row from unfinished_profiles as u join accounts as a on a.id = u.account_id where ${isKept} order by a.id`;
    for await (const { email, row } of rowsIn(client, unfinished)) {
      signal.throwIfAborted();
      const picture = row['picture'] === null ? null : await writePicture(textOf(row['picture']));
      await files.write('unfinished.jsonl', line({ email, fields: row['fields'], picture }));
    }
    const photos = `select a.email, to_jsonb(p) as row from photos as p join accounts as a on a.id = p.account_id where ${isKept} order by p.created_at, p.id`;
    for await (const { email, row } of rowsIn(client, photos)) {
      signal.throwIfAborted();
      const picture = await writePicture(textOf(row['picture']));
      if (picture) await files.write('photos.jsonl', line(photoLine(email, row, picture)));
      bar.add();
    }
    const blocks = `select a.email, jsonb_build_object('blocked', o.email) as row from blocks as b
      join accounts as a on a.id = b.account_id join accounts as o on o.id = b.blocked_id
      where ${isKept} and o.deletes_at is null order by 1, o.email`;
    for await (const { email, row } of rowsIn(client, blocks))
      await files.write('blocks.jsonl', line({ email, ...row }));
    await files.write('README.txt', readme(context.institution.name, new Date().toISOString()));
  } finally {
    await files.close();
  }
  if (missing > 0) note(`${missing} pictures were missing on disk before, and are not in it.`);
  return people;
}

/** Leaves out accounts whose owners have asked for their deletion: an import elsewhere would keep them. */
const isKept = 'a.deletes_at is null';

/** Rows a thousand at a time: nobody has a million people in memory. */
async function* rowsIn(client: pg.Client, query: string): AsyncGenerator<{ email: string; row: Row }> {
  await client.query(`declare export_rows no scroll cursor for ${query}`);
  for (;;) {
    const { rows } = await client.query<{ email: string; row: Row }>('fetch 1000 from export_rows');
    yield* rows;
    if (rows.length === 0) break;
  }
  await client.query('close export_rows');
}

/** Opens each file when something is written to it, for its owner alone. */
function openFiles(folder: string, makeRoom: (bytes: number) => Promise<void>) {
  const names = [
    'accounts.jsonl',
    'profiles.jsonl',
    'people.csv',
    'unfinished.jsonl',
    'photos.jsonl',
    'blocks.jsonl',
    'README.txt',
  ] as const;
  const files = new Map(
    names.map((name) => [
      name,
      streamWriter(createWriteStream(join(folder, name), { mode: 0o600, flags: 'wx', flush: true })),
    ]),
  );
  return {
    write: async (name: (typeof names)[number], text: string) => {
      await makeRoom(text.length);
      await files.get(name)?.write(text);
    },
    close: () => Promise.all(Array.from(files.values(), (file) => file.end())),
  };
}

const line = (value: unknown) => `${JSON.stringify(value)}\n`;
