import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { dirname, join, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import { announceBackup } from '#server/db/backup-lock.ts';
import { deleteRemoved } from '#server/domain/pictures.ts';
import { isFirebaseHash } from '#server/platform/crypto/firebase-scrypt.ts';
import { type OpenArchive, openArchive } from '#server/startup/open-archive.ts';
import { type Command, Failure, type Tools } from '../support/command.ts';
import { csvRow, csvStart } from '../export-format/csv.ts';
import { readme } from '../export-format/readme.ts';
import { inWords } from '../support/file-errors.ts';
import { rehearse } from '../support/dry-run-export.ts';
import { keepRoom, requireRoom } from '../support/disk-space.ts';
import { untilSignal } from '../support/until-signal.ts';

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
    if (flags.has('dry-run')) return tryOut(folder, tools);
    const partial = `${folder}.unfinished`;
    const archive = await openArchive(tools.environment);
    const client = new pg.Client({ ...archive.connection, application_name: 'archive export', statement_timeout: 0 });
    try {
      // What an export that was killed has left.
      await rm(partial, { recursive: true, force: true });
      await mkdir(join(partial, 'pictures'), { recursive: true, mode: 0o700 });
      await client.connect();
      client.on('error', () => undefined);
      await announceBackup(client);
      await client.query('set idle_in_transaction_session_timeout = 0');
      await client.query('begin isolation level repeatable read, read only');
      const people = await untilSignal((signal) => writeAll(archive, client, partial, tools, signal));
      await rename(partial, folder);
      tools.say(
        `${folder}: ${people} accounts. It holds what people have hidden: keep it shut, and delete it in time.`,
      );
    } catch (error) {
      await rm(partial, { recursive: true, force: true }).catch(() => undefined);
      throw inWords(error, `Nothing could be exported to ${folder}`);
    } finally {
      await client.end().catch(() => undefined);
      await deleteRemoved(archive.context).catch(() => undefined);
      await archive.close();
    }
    return undefined;
  },
};

/** What to do when a disk gets full. */
const noRoom = 'Nothing is exported; free some, or name another disk.';

/** `--dry-run` */
async function tryOut(folder: string, tools: Tools): Promise<void> {
  const archive = await openArchive(tools.environment, { migrates: false });
  try {
    const { bytes, says } = await rehearse(archive, (files) => largestOf(files).slice(0, 1), tools);
    tools.say(says);
    tools.say(await requireRoom(await nearestOf(folder), bytes, archive.config.diskReserve, noRoom));
    tools.say('Nothing was written.');
  } catch (error) {
    throw inWords(error, `Nothing could be exported to ${folder}`);
  } finally {
    await archive.close();
  }
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
  const makeRoom = keepRoom(folder, config.diskReserve, noRoom);
  /** @returns where the largest file of a picture lies in the export */
  async function writePicture(name: string): Promise<string | null> {
    const [largest] = largestOf(await context.media.filesOf(name));
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
  const bar = progress('Exporting', totals[0]?.total ?? 0);
  let people = 0;
  const files = openFiles(folder, makeRoom);
  try {
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
    bar.end();
    await files.close();
  }
  if (missing > 0) note(`${missing} pictures were missing on disk before, and are not in it.`);
  return people;
}

/** Leaves out accounts whose owners have asked for their deletion: an import elsewhere would keep them. */
const isKept = 'a.deletes_at is null';

type Row = Readonly<Record<string, unknown>>;

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
    names.map((name) => {
      const stream = createWriteStream(join(folder, name), { mode: 0o600, flags: 'wx', flush: true });
      const done = finished(stream);
      done.catch(() => undefined);
      return [name, { stream, done }];
    }),
  );
  return {
    write: async (name: (typeof names)[number], text: string) => {
      await makeRoom(text.length);
      const file = files.get(name);
      if (file && !file.stream.write(text)) await Promise.race([once(file.stream, 'drain'), file.done]);
    },
    close: async () => {
      for (const { stream } of files.values()) stream.end();
      for (const { done } of files.values()) await done;
    },
  };
}

const line = (value: unknown) => `${JSON.stringify(value)}\n`;

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

const camel = (name: string) => name.replaceAll(/_(?<letter>.)/gu, (_, letter: string) => letter.toUpperCase());

/** A time as every program reads it. */
const time = (value: unknown) => (typeof value === 'string' ? new Date(value).toISOString() : null);

/** All that is known of an account, whatever columns it has by now, but a wish that only this site can fulfil. */
function accountLine({ password_hash: hash, ...row }: Row): object {
  const entries = Object.entries(row)
    .filter(([name]) => name !== 'pending_email' && name !== 'display_name' && !name.startsWith('mail_fa'))
    .map(([name, value]) => [camel(name), name.endsWith('_at') ? time(value) : value]);
  return { ...Object.fromEntries(entries), passwordHash: isUseless(hash) ? null : hash };
}

/** Nobody's, or one that only this archive's key can check. */
function isUseless(hash: unknown): boolean {
  return typeof hash !== 'string' || hash === '!' || isFirebaseHash(hash);
}

const profileLine = (email: string, row: Row, picture: string | null): object => ({
  email,
  profile: {
    imgURL: picture,
    name: {
      first: row['first_name'],
      middle: row['middle_name'],
      last: row['last_name'],
      ...(row['other_names'] !== '' && { other: row['other_names'] }),
    },
    title: row['title'],
    dob: row['dob'],
    gender: row['gender'],
    homeAddress: row['home_address'],
    contactNumber: row['contact_number'],
    academic: {
      matricNumber: row['matric_number'],
      college: row['college'],
      department: row['department'],
      program: row['program'],
      year: { admitted: row['year_admitted'], graduated: row['year_graduated'] },
    },
    interest: row['interest'],
    bio: row['bio'],
    fullBio: row['full_bio'],
    social: { x: row['x_handle'], facebook: row['facebook_name'], linkedin: row['linkedin_name'] },
  },
  visibility: row['visibility'],
  isHidden: row['is_hidden'],
  isIndexed: row['is_indexed'],
  createdAt: time(row['created_at']),
  updatedAt: time(row['updated_at']),
});

const photoLine = (email: string, row: Row, picture: string): object => ({
  email,
  picture,
  album: row['album'],
  title: row['title'],
  place: row['place'],
  takenOn: row['taken_on'],
  audience: row['audience'],
  createdAt: time(row['created_at']),
});

const csvFields = [
  'title',
  'first_name',
  'middle_name',
  'last_name',
  'other_names',
  'gender',
  'dob',
  'contact_number',
  'home_address',
  'matric_number',
  'college',
  'department',
  'program',
  'year_admitted',
  'year_graduated',
  'interest',
  'bio',
  'full_bio',
  'x_handle',
  'facebook_name',
  'linkedin_name',
] as const;

const csvColumns = ['email', ...csvFields, 'hidden'];

const csvCells = (email: string, row: Row): string[] => [
  email,
  ...csvFields.map((name) => textOf(row[name])),
  row['is_hidden'] === true ? 'yes' : 'no',
];
