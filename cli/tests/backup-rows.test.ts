import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { openDatabase } from '#server/db/client.ts';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import { cleanUp, newFolder } from '#server/testing/product.ts';
import type { Tools } from '../support/command.ts';
import { main } from '../main.ts';
import type { Manifest } from '../backup-format/manifest.ts';
import { newPlace, rewriteBackup, rowsOf } from '../backup-format/testing.ts';
import { settingsOf, type } from '../testing/run-command.ts';

/* Which rows a backup holds, which ones a restore derives from them, and how a backup shows that its rows can be loaded. */

let archive: TestArchive;
let before: Record<string, string[]>;
let whole: string;
let folder: string;

beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  await archive.join({ firstName: 'Ọládélé' });
  const { device, uid } = await archive.join();
  await device.call('PUT /api/users/{id}/privacy', { params: { id: uid }, body: { isHidden: true, version: 'any' } });
  // Neither is the day on which they signed up.
  await archive.pool.query(`update listings set listed_at = now() - interval '1 year' where audience = 'members'`);
  before = await rowsOf(archive.pool);
  whole = join(newFolder('archive-backups-'), 'whole.tar.gz');
  const { code, noted } = await type(settingsOf(archive), 'backup', whole);
  if (code !== 0) throw new Error(noted);
});
beforeEach(() => {
  folder = newFolder('archive-backups-');
});
afterAll(async () => {
  await archive.close();
  await cleanUp();
});

/** The rows that a backup leaves in an empty archive. */
async function rowsRestoredFrom(file: string): Promise<Record<string, string[]>> {
  const place = await newPlace(inject('databases'));
  expect(await type(place.settings, 'restore', file)).toMatchObject({ code: 0 });
  const database = openDatabase(place.connection, () => undefined);
  const rows = await rowsOf(database.pool);
  await database.close();
  await place.drop();
  return rows;
}

/** All rows of a table, as backups of format 1 have them. */
async function copyOf(table: string): Promise<Buffer> {
  const client = new pg.Client(archive.pool.options);
  await client.connect();
  const rows = await buffer(client.query(copyTo(`copy ${table} to stdout`)));
  await client.end();
  return rows;
}

test('a backup has no derived data but since when people are listed, and a restore rebuilds it', async () => {
  let tables: Manifest['tables'] = [];
  await rewriteBackup(whole, join(folder, 'copy.tar.gz'), (name, content) => {
    if (name === 'manifest.json') ({ tables } = JSON.parse(content.toString()) as Manifest);
    return [[name, content]];
  });
  const names = tables.map(({ name }) => name);
  for (const name of ['listing_counts', 'search_words', 'search_spellings']) expect(names).not.toContain(name);
  expect(tables.find(({ name }) => name === 'listings')).toEqual({
    name: 'listings',
    columns: ['audience', 'account_id', 'listed_at'],
    rows: 2,
  });
  expect(before['listings']).toHaveLength(2);
  expect(await rowsRestoredFrom(whole)).toEqual(before);
  // A restore sets no sequence: only a derived table may have one.
  const { rows } = await archive.pool.query<{ table: string }>(
    `select refobjid::regclass::text as table from pg_depend join pg_class on pg_class.oid = objid
     where classid = 'pg_class'::regclass and deptype in ('a', 'i') and relkind = 'S'
       and relnamespace = current_schema()::regnamespace`,
  );
  expect(rows).toEqual([{ table: 'search_words' }]);
});

test('a backup of format 1 is restored without its derived tables, even where those cannot be loaded', async () => {
  const file = join(folder, 'format-1.tar.gz');
  const { rows } = await archive.pool.query<{ name: string; columns: string[] }>(
    `select table_name as name, array_agg(column_name::text order by ordinal_position) as columns
     from information_schema.columns where table_name in ('listings', 'search_words') group by 1`,
  );
  const listings = (await copyOf('listings')).toString().replaceAll(`'olad`, `'''olad`);
  expect(listings).toContain(`'''olad`);
  await rewriteBackup(whole, file, (name, content) => {
    if (name.startsWith('tables/listings/'))
      return [
        [name, listings],
        ['tables/search_words/000001.copy', 'no rows at all'],
      ];
    if (name !== 'manifest.json') return [[name, content]];
    const manifest = JSON.parse(content.toString()) as Manifest;
    const tables = [
      ...manifest.tables.filter((table) => table.name !== 'listings'),
      ...rows.map((table) => ({ ...table, rows: 2 })),
    ];
    return [[name, JSON.stringify({ ...manifest, format: 1, tables })]];
  });
  expect(await rowsRestoredFrom(file)).toEqual(before);
});

test('restore --dry-run finds rows that cannot be loaded, and leaves nothing in the database', async () => {
  const file = join(folder, 'unloadable.tar.gz');
  await rewriteBackup(whole, file, (name, content) => [
    [
      name,
      name.startsWith('tables/profiles/')
        ? content.toString().replaceAll(/\t\d{4}-\d\d-\d\d\t/gu, '\tnever\t')
        : content,
    ],
  ]);
  expect(await type(settingsOf(archive), 'restore', file, '--dry-run')).toMatchObject({
    code: 1,
    noted: `The rows of ${file} could not be loaded. Nothing was changed.\n(invalid input syntax for type date: "never")`,
  });
  expect((await type(settingsOf(archive), 'restore', whole, '--dry-run')).code).toBe(0);
  expect(await rowsOf(archive.pool)).toEqual(before);
  const { rows } = await archive.pool.query(`select nspname from pg_namespace where nspname like 'dry_run%'`);
  expect(rows).toEqual([]);
});

test('restore --dry-run works where there is no database yet, and leaves none', async () => {
  const dataDir = newFolder();
  expect(await type({ DATA_DIR: dataDir }, 'restore', whole, '--dry-run')).toMatchObject({
    code: 0,
    said: expect.stringContaining('It is whole, and can be restored here. Nothing was changed.') as string,
  });
  expect(readdirSync(dataDir)).toEqual([]);
});

test('backup --verify ends at a signal, and leaves nothing', async () => {
  const file = join(folder, 'cut.tar.gz');
  const noted: string[] = [];
  const tools: Tools = {
    environment: settingsOf(archive),
    say: () => undefined,
    note: (line) => void noted.push(line),
    progress: (label) => {
      if (label.startsWith('Loading')) process.emit('SIGHUP');
      return { add: () => undefined, [Symbol.dispose]: () => undefined };
    },
  };
  expect(await main(['backup', file, '--verify'], settingsOf(archive), tools)).toBe(1);
  expect(noted).toContain('Cut short, and nothing is kept of it.');
  expect(readdirSync(folder)).toEqual([]);
});

test('backup --verify keeps the backup before it where the rows of the new one cannot be loaded', async () => {
  const file = join(folder, '1.tar.gz');
  writeFileSync(file, 'of last week');
  const verify = () => type(settingsOf(archive), 'backup', file, '--force', '--verify');
  // The database holds a row that its own tables refuse.
  await archive.pool.query(`
    alter table department_news drop constraint department_news_kind_check;
    insert into department_news values ('Physics', 'unknown')`);
  expect(await verify()).toMatchObject({
    code: 1,
    noted: expect.stringMatching(
      /^This backup could not be verified\. It is kept as .*1\.tar\.gz\.unverified, and .*1\.tar\.gz was not overwritten\..*\n(?:.*\n)*\(.*department_news_kind_check/mu,
    ) as string,
  });
  expect([readFileSync(file, 'utf8'), existsSync(`${file}.unverified`)]).toEqual(['of last week', true]);

  await archive.pool.query(`delete from department_news where kind = 'unknown'`);
  expect(await verify()).toMatchObject({
    code: 0,
    said: expect.stringContaining('Verified: every row can be loaded.') as string,
  });
  expect(readdirSync(folder)).toEqual(['1.tar.gz']);
  expect(await type(settingsOf(archive), 'backup', '-', '--verify')).toMatchObject({ code: 1 });
});
