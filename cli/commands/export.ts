import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type pg from 'pg';
import { formatMegabytes } from '#server/platform/storage/disk-reserve.ts';
import type { OpenArchive } from '#server/startup/open-archive.ts';
import { type Command, Failure, type Tools } from '../support/command.ts';
import { formatCsvRow, byteOrderMark } from '#server/platform/storage/csv.ts';
import { createReadme } from '../export-format/readme.ts';
import {
  type Row,
  toAccountLine,
  toCsvCells,
  csvColumns,
  toPhotoLine,
  toProfileLine,
  toText,
} from '../export-format/rows.ts';
import { guardDiskReserve, requireDiskSpace } from '../support/disk-space.ts';
import { describeFileError } from '../support/file-errors.ts';
import { countRows, readPictureNames, createPictureQuery } from '../support/stored-pictures.ts';
import { createStreamWriter } from '#server/platform/storage/stream-writer.ts';
import { runUntilSignal } from '../support/run-until-signal.ts';
import { withArchive } from '../support/with-archive.ts';
import { withSnapshot } from '../support/with-snapshot.ts';

export const exportAll: Command = {
  name: 'export',
  summary: 'Export all data to a folder in open formats, for other programs.',
  requiredArguments: ['DIR'],
  options: {
    'dry-run': {
      type: 'boolean',
      summary: 'print the contents, the size and the free disk space, without writing anything',
    },
  },
  description: [
    'The folder contains JSON Lines, CSV and picture files, and a README.txt that explains them. DIR must not exist yet.',
    'An export is not a backup: it contains no sessions and no second factors (authenticator apps, passkeys). The server can keep running during the export.',
  ],
  examples: ['/exports/2026-01-31', '/exports/2026-01-31 --dry-run'],
  run: async ({ args: [target = ''], flags }, tools) => {
    const folder = resolve(target);
    if (await stat(folder).catch(() => null)) throw new Failure(`${folder} already exists. Name a new folder.`);
    const isDryRun = flags.has('dry-run');
    const work = (archive: OpenArchive) =>
      (isDryRun ? dryRunExport : writeExport)(archive, folder, tools).catch((error: unknown) => {
        throw describeFileError(error, `Cannot export to ${folder}`);
      });
    await withArchive(tools.environment, work, { shouldMigrate: !isDryRun });
  },
};

async function writeExport(archive: OpenArchive, folder: string, tools: Tools): Promise<void> {
  const partial = `${folder}.unfinished`;
  try {
    // Left over from a killed export.
    await rm(partial, { recursive: true, force: true });
    await mkdir(join(partial, 'pictures'), { recursive: true, mode: 0o700 });
    const people = await withSnapshot(archive, 'archive export', (client) =>
      runUntilSignal((signal) => writeFiles(archive, client, partial, tools, signal)),
    );
    await rename(partial, folder);
    tools.print(
      `${folder}: ${people} accounts. The export contains hidden personal data. Protect it, and delete it after use.`,
    );
  } catch (error) {
    await rm(partial, { recursive: true, force: true }).catch(() => undefined);
    throw error;
  }
}

const diskFullAdvice = 'Nothing was exported. Free disk space, or name a folder on another disk.';

async function dryRunExport(
  archive: OpenArchive,
  folder: string,
  { progress, printStatus, print }: Tools,
): Promise<void> {
  let [accounts, pictures, missing, bytes] = [0, 0, 0, 0];
  await withSnapshot(archive, 'archive export', async (client) => {
    accounts = await countRows(client, 'select 1 from accounts');
    pictures = await countRows(client, await createPictureQuery(client));
    using bar = progress('Pictures', pictures);
    for await (const name of readPictureNames(client)) {
      const [largest] = sortLargestFirst(await archive.context.media.readFileSizes(name));
      if (largest) bytes += largest.bytes;
      else missing++;
      bar.add();
    }
  });
  if (missing > 0) printStatus(`WARN: ${missing} pictures are missing.`);
  print(`Would write ${accounts} accounts and ${pictures - missing} pictures (about ${formatMegabytes(bytes)}).`);
  print(
    await requireDiskSpace(await findExistingParent(folder), bytes, archive.config.diskReserveBytes, diskFullAdvice),
  );
  print('Dry run: nothing was written.');
}

async function findExistingParent(path: string): Promise<string> {
  const above = dirname(path);
  return above === path || (await stat(above).catch(() => null)) ? above : findExistingParent(above);
}

const sortLargestFirst = <File extends { readonly name: string }>(files: readonly File[]): File[] =>
  files.toSorted((one, other) => Number.parseInt(other.name, 10) - Number.parseInt(one.name, 10));

async function writeFiles(
  { context, config }: OpenArchive,
  client: pg.Client,
  folder: string,
  { progress, printStatus }: Tools,
  signal: AbortSignal,
): Promise<number> {
  let missing = 0;
  const guardReserve = guardDiskReserve(folder, config.diskReserveBytes, diskFullAdvice);
  async function writePicture(name: string): Promise<string | null> {
    const [largest] = sortLargestFirst(await context.media.readFiles(name));
    if (!largest) {
      missing++;
      return null;
    }
    const path = `pictures/${name}.webp`;
    await guardReserve(largest.content.length);
    await writeFile(join(folder, path), largest.content, { mode: 0o600 });
    return path;
  }
  const { rows: totals } = await client.query<{ total: number }>(
    `select (select count(*) from accounts)::float8 + (select count(*) from profiles) + (select count(*) from photos) as total`,
  );
  let people = 0;
  const files = openFiles(folder, guardReserve);
  try {
    using bar = progress('Exporting', totals[0]?.total ?? 0);
    await files.write('people.csv', byteOrderMark + formatCsvRow(csvColumns));
    for await (const { row } of readRows(
      client,
      `select to_jsonb(a) - '{deletes_at,is_active,profile_hidden_at,suspended_until}'::text[] || jsonb_build_object('evidence', ${evidenceQuery}) as row
       from accounts as a where ${keptCondition} order by id`,
    )) {
      signal.throwIfAborted();
      people++;
      await files.write('accounts.jsonl', toJsonLine(toAccountLine(row)));
      bar.add();
    }
    const profiles = `select a.email, to_jsonb(p) || jsonb_build_object('is_hidden', p.is_hidden or a.profile_hidden_at is not null, 'tracer',
      (select jsonb_build_object('activity', activity, 'inField', in_field, 'answeredOn', answered_on) from tracer_answers where account_id = a.id)) as row from profiles as p join accounts as a on a.id = p.account_id where ${keptCondition} order by a.id`;
    for await (const { email, row } of readRows(client, profiles)) {
      signal.throwIfAborted();
      const picture = row['picture'] === null ? null : await writePicture(toText(row['picture']));
      await files.write('profiles.jsonl', toJsonLine(toProfileLine(email, row, picture)));
      await files.write('people.csv', formatCsvRow(toCsvCells(email, row)));
      bar.add();
    }
    const incomplete = `select a.email, to_jsonb(u) as row from unfinished_profiles as u join accounts as a on a.id = u.account_id where ${keptCondition} order by a.id`;
    for await (const { email, row } of readRows(client, incomplete)) {
      signal.throwIfAborted();
      const picture = row['picture'] === null ? null : await writePicture(toText(row['picture']));
      await files.write('unfinished.jsonl', toJsonLine({ email, fields: row['fields'], picture }));
    }
    const photos = `select a.email, to_jsonb(p) as row from photos as p join accounts as a on a.id = p.account_id where p.moderation is null and ${keptCondition} order by p.created_at, p.id`;
    for await (const { email, row } of readRows(client, photos)) {
      signal.throwIfAborted();
      const picture = await writePicture(toText(row['picture']));
      if (picture) await files.write('photos.jsonl', toJsonLine(toPhotoLine(email, row, picture)));
      bar.add();
    }
    const blocks = `select a.email, jsonb_build_object('blocked', o.email) as row from blocks as b
      join accounts as a on a.id = b.account_id join accounts as o on o.id = b.blocked_id
      where ${keptCondition} and o.deletes_at is null order by 1, o.email`;
    for await (const { email, row } of readRows(client, blocks))
      await files.write('blocks.jsonl', toJsonLine({ email, ...row }));
    await files.write('README.txt', createReadme(context.institution.name, new Date().toISOString()));
  } finally {
    await files.close();
  }
  if (missing > 0) printStatus(`WARN: ${missing} pictures are missing and are not in the export.`);
  return people;
}

/**
 * SQL condition that omits accounts with a pending deletion, because an archive that imports them would never delete
 * them.
 */
const keptCondition = 'a.deletes_at is null';

const evidenceQuery = `(select coalesce(jsonb_agg(kind order by created_at, id), '[]') from evidence
  where account_id = a.id and withdrawn_at is null)`;

async function* readRows(client: pg.Client, query: string): AsyncGenerator<{ email: string; row: Row }> {
  await client.query(`declare export_rows no scroll cursor for ${query}`);
  for (;;) {
    const { rows } = await client.query<{ email: string; row: Row }>('fetch 1000 from export_rows');
    yield* rows;
    if (rows.length === 0) break;
  }
  await client.query('close export_rows');
}

function openFiles(folder: string, guardReserve: (bytes: number) => Promise<void>) {
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
      createStreamWriter(createWriteStream(join(folder, name), { mode: 0o600, flags: 'wx', flush: true })),
    ]),
  );
  return {
    write: async (name: (typeof names)[number], text: string) => {
      await guardReserve(text.length);
      await files.get(name)?.write(text);
    },
    close: () => Promise.all(Array.from(files.values(), (file) => file.end())),
  };
}

const toJsonLine = (value: unknown) => `${JSON.stringify(value)}\n`;
