import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { openDatabase } from '#server/db/client.ts';
import { suggestCities } from '#server/domain/careers/places.ts';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import { cleanUp, newFolder } from '#server/testing/server-process.ts';
import type { Tools } from '../support/command.ts';
import { main } from '../main.ts';
import type { Manifest } from '../backup-format/manifest.ts';
import { createInstallation, rewriteBackup, readAllRows } from '../backup-format/testing.ts';
import { createSettings, runCommand } from '../testing/run-command.ts';

/* The rows that a backup contains, the rows that a restore derives from them, and the test load of a backup. */

let archive: TestArchive;
let before: Record<string, string[]>;
let backupFile: string;
let folder: string;

beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  const worker = await archive.createMember({ firstName: 'Ọládélé' });
  await archive.pool.query(`
    insert into employer_merges (key, merged_into, same_as) values ('gtbank', 'guarantytrustbank', 'guarantytrustbank');
    insert into tracer_snapshots (month, rows, counts_roster) values ('2026-11', '[]', true)`);
  await archive.pool.query(`insert into tracer_answers values ($1, 'working', true)`, [worker.uid]);
  await worker.device.call('PUT /api/users/{id}/career', {
    params: { id: worker.uid },
    body: {
      positions: [{ role: 'Engineer', employer: 'GTBank', field: 'finance', from: 2015, to: null }],
      city: 'Lagos',
      cityId: suggestCities('Lagos', 'NG')[0]?.id ?? null,
      country: 'NG',
      helps: ['talk'],
      version: 'any',
    },
  });
  const { device, uid } = await archive.createMember();
  await device.call('PUT /api/users/{id}/privacy', { params: { id: uid }, body: { isHidden: true, version: 'any' } });
  // A time that differs from the time of sign-up, so a restore cannot derive it.
  await archive.pool.query(`update listings set listed_at = now() - interval '1 year' where audience = 'members'`);
  before = await readAllRows(archive.pool);
  backupFile = join(newFolder('archive-backups-'), 'whole.tar.gz');
  const { code, stderr } = await runCommand(createSettings(archive), 'backup', backupFile);
  if (code !== 0) throw new Error(stderr);
});
beforeEach(() => {
  folder = newFolder('archive-backups-');
});
afterAll(async () => {
  await archive.close();
  await cleanUp();
});

async function restoreRows(file: string): Promise<Record<string, string[]>> {
  const installation = await createInstallation(inject('databases'));
  expect(await runCommand(installation.settings, 'restore', file)).toMatchObject({ code: 0 });
  const database = openDatabase(installation.connection, () => undefined);
  const rows = await readAllRows(database.pool);
  await database.close();
  await installation.drop();
  return rows;
}

async function copyTable(table: string): Promise<Buffer> {
  const client = new pg.Client(archive.pool.options);
  await client.connect();
  const rows = await buffer(client.query(copyTo(`copy ${table} to stdout`)));
  await client.end();
  return rows;
}

test('backup omits derived data except listed_at, and restore rebuilds them', async () => {
  let tables: Manifest['tables'] = [];
  await rewriteBackup(backupFile, join(folder, 'copy.tar.gz'), (name, content) => {
    if (name === 'manifest.json') ({ tables } = JSON.parse(content.toString()) as Manifest);
    return [[name, content]];
  });
  const names = tables.map(({ name }) => name);
  for (const name of ['listing_counts', 'career_counts', 'employers', 'search_words', 'search_spellings'])
    expect(names).not.toContain(name);
  expect(tables.find(({ name }) => name === 'listings')).toEqual({
    name: 'listings',
    columns: ['audience', 'account_id', 'listed_at'],
    rows: 2,
  });
  expect(before['listings']).toHaveLength(2);
  for (const name of ['employers', 'employer_merges', 'tracer_answers', 'tracer_snapshots'])
    expect([name, before[name]?.length]).toEqual([name, 1]);
  expect(before['career_counts']).toHaveLength(3);
  expect(before['employers']?.[0]).toContain('guarantytrustbank');
  expect(await restoreRows(backupFile)).toEqual(before);
  // A restore sets the sequences of identity columns only.
  const { rows } = await archive.pool.query<{ table: string }>(
    `select refobjid::regclass::text as table from pg_depend join pg_class on pg_class.oid = objid
     where classid = 'pg_class'::regclass and deptype = 'a' and relkind = 'S'
       and relnamespace = current_schema()::regnamespace`,
  );
  expect(rows).toEqual([]);
});

test('restore ignores the derived tables of format 1, even if they cannot be loaded', async () => {
  const file = join(folder, 'format-1.tar.gz');
  const { rows } = await archive.pool.query<{ name: string; columns: string[] }>(
    `select table_name as name, array_agg(column_name::text order by ordinal_position) as columns
     from information_schema.columns where table_name in ('listings', 'search_words') group by 1`,
  );
  const listings = (await copyTable('listings')).toString().replaceAll(`'olad`, `'''olad`);
  expect(listings).toContain(`'''olad`);
  await rewriteBackup(backupFile, file, (name, content) => {
    if (name.startsWith('tables/listings/'))
      return [
        [name, listings],
        ['tables/search_words/000001.copy', 'not in COPY format'],
      ];
    if (name !== 'manifest.json') return [[name, content]];
    const manifest = JSON.parse(content.toString()) as Manifest;
    const tables = [
      ...manifest.tables.filter((table) => table.name !== 'listings'),
      ...rows.map((table) => ({ ...table, rows: 2 })),
    ];
    return [[name, JSON.stringify({ ...manifest, format: 1, tables })]];
  });
  expect(await restoreRows(file)).toEqual(before);
});

test('restore --dry-run reports rows that cannot be loaded, and leaves the database unchanged', async () => {
  const file = join(folder, 'unloadable.tar.gz');
  await rewriteBackup(backupFile, file, (name, content) => [
    [
      name,
      name.startsWith('tables/profiles/')
        ? content.toString().replaceAll(/\t\d{4}-\d\d-\d\d\t/gu, '\tnever\t')
        : content,
    ],
  ]);
  expect(await runCommand(createSettings(archive), 'restore', file, '--dry-run')).toMatchObject({
    code: 1,
    stderr: `Cannot load the rows of ${file}. Nothing was changed.\n(invalid input syntax for type date: "never")`,
  });
  expect((await runCommand(createSettings(archive), 'restore', backupFile, '--dry-run')).code).toBe(0);
  expect(await readAllRows(archive.pool)).toEqual(before);
  const { rows } = await archive.pool.query(`select nspname from pg_namespace where nspname like 'dry_run%'`);
  expect(rows).toEqual([]);
});

test('restore --dry-run works without an existing database, and creates none', { tags: ['release'] }, async () => {
  const dataDir = newFolder();
  expect(await runCommand({ DATA_DIR: dataDir }, 'restore', backupFile, '--dry-run')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('OK: the backup is complete and can be restored here.') as string,
  });
  expect(readdirSync(dataDir)).toEqual([]);
});

test('backup --verify is aborted by a signal, and leaves no file', async () => {
  const file = join(folder, 'interrupted.tar.gz');
  const stderr: string[] = [];
  const tools: Tools = {
    environment: createSettings(archive),
    print: () => undefined,
    printStatus: (line) => void stderr.push(line),
    progress: (label) => {
      if (label.startsWith('Loading')) process.emit('SIGHUP');
      return { add: () => undefined, [Symbol.dispose]: () => undefined };
    },
  };
  expect(await main(['backup', file, '--verify'], createSettings(archive), tools)).toBe(1);
  expect(stderr).toContain('Interrupted. The unfinished output was deleted.');
  expect(readdirSync(folder)).toEqual([]);
});

test('backup --verify keeps the older backup if the rows of the new one cannot be loaded', async () => {
  const file = join(folder, '1.tar.gz');
  writeFileSync(file, 'older backup');
  const verify = () => runCommand(createSettings(archive), 'backup', file, '--force', '--verify');
  // Inserts a row that violates a constraint of a new database.
  await archive.pool.query(`
    alter table department_news drop constraint department_news_kind_check;
    insert into department_news values ('Physics', 'unknown')`);
  expect(await verify()).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^The new backup failed verification\. It is kept as .*1\.tar\.gz\.unverified, and .*1\.tar\.gz was not overwritten\..*\n(?:.*\n)*\(.*department_news_kind_check/mu,
    ) as string,
  });
  expect([readFileSync(file, 'utf8'), existsSync(`${file}.unverified`)]).toEqual(['older backup', true]);

  await archive.pool.query(`delete from department_news where kind = 'unknown'`);
  expect(await verify()).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Verified: every row was loaded.') as string,
  });
  expect(readdirSync(folder)).toEqual(['1.tar.gz']);
  expect(await runCommand(createSettings(archive), 'backup', '-', '--verify')).toMatchObject({ code: 1 });
});
