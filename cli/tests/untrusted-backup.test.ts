import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import pg from 'pg';
import { openArchive } from '#server/testing/archive.ts';
import { cleanUp, newFolder } from '#server/testing/product.ts';
import type { Manifest } from '../backup-format/manifest.ts';
import { type Place, newPlace, rewriteBackup } from '../backup-format/testing.ts';
import { settingsOf, type } from '../testing/run-command.ts';

/* Backups that were changed by an attacker. The checksum of each is correct: anyone can compute it. */

let whole: string;
let changed: string;
let place: Place;

beforeAll(async () => {
  const folder = newFolder('archive-untrusted-');
  [whole, changed] = [join(folder, 'whole.tar.gz'), join(folder, 'changed.tar.gz')];
  const archive = await openArchive(inject('databases'));
  await archive.join();
  const { code, noted } = await type(settingsOf(archive), 'backup', whole);
  if (code !== 0) throw new Error(noted);
  await archive.close();
  place = await newPlace(inject('databases'));
});
afterAll(async () => {
  await place.drop();
  await cleanUp();
});

const changeManifest = (change: (manifest: Manifest) => unknown) =>
  rewriteBackup(whole, changed, (name, content) => [
    [name, name === 'manifest.json' ? JSON.stringify(change(JSON.parse(content.toString()) as Manifest)) : content],
  ]);

/** Connects to the place, and only while no command uses it: a restore refuses to run beside other connections. */
async function query<Row extends object>(text: string): Promise<Row[]> {
  const client = new pg.Client(place.connection);
  await client.connect();
  const { rows } = await client.query<Row>(text);
  await client.end();
  return rows;
}

/** Restores the changed backup, as a dry run and in earnest. @returns what was answered */
async function restoreChanged(): Promise<string[]> {
  const answers: string[] = [];
  for (const more of [['--dry-run'], ['--replace']]) {
    const { code, said, noted } = await type(place.settings, 'restore', changed, ...more);
    answers.push(`${code} ${noted}`);
    expect(said).not.toContain('can be restored');
  }
  return answers;
}

test.each([
  ['a table name with SQL in it', `accounts" disable trigger user; select nextval('executed'); --`, []],
  ['a table that no migration makes', 'executed', ['last_value']],
  ['the table of the migrations', 'kysely_migration', ['name']],
  ['a column name with SQL in it', 'accounts', [`id") from stdin; select nextval('executed'); --`]],
])('restore refuses a backup with %s and executes nothing of it', async (_, name, columns) => {
  await query('drop sequence if exists executed; create sequence executed');
  await changeManifest((manifest) => ({
    ...manifest,
    tables: [{ name, columns, rows: 0 }, ...manifest.tables.filter((table) => table.name !== name)],
  }));
  for (const answer of await restoreChanged())
    expect(answer).toMatch(/^1 This backup was not made by this product: it names a table or column that /u);
  expect(await query('select is_called from executed')).toEqual([{ is_called: false }]);
});

test('restore refuses a backup with a picture outside the media folder', async () => {
  const name = /\t(?:public-)?[\w-]{22}\t/u;
  await rewriteBackup(whole, changed, (entry, content) => {
    if (!entry.startsWith('tables/profiles/')) return [[entry, content]];
    expect(content.toString()).toMatch(name);
    return [[entry, content.toString().replace(name, '\t../secrets\t')]];
  });
  for (const answer of await restoreChanged())
    expect(answer).toBe('1 This backup was not made by this product: profiles names a file outside the media folder.');
});

test('restore refuses a backup whose description has control characters for the terminal', async () => {
  await changeManifest((manifest) => ({ ...manifest, version: '1.0.0\u001B]0;title\u0007' }));
  for (const answer of await restoreChanged()) expect(answer).not.toContain('\u001B');
});

test.each(['operator.log', 'restore.unfinished', 'secrets/postgres-password', 'secrets/socket-folder'])(
  'restore refuses a backup that would write %s into the data folder',
  async (path) => {
    const target = join(place.settings.DATA_DIR, path);
    if (path === 'operator.log') writeFileSync(target, 'kept');
    await rewriteBackup(whole, changed, (name, content) =>
      name === 'manifest.json'
        ? [
            [name, content],
            [`keys/${path}`, 'forged'],
          ]
        : [[name, content]],
    );
    for (const answer of await restoreChanged()) expect(answer).toMatch(/^1 .*changed\.tar\.gz is damaged/u);
    expect(existsSync(target) ? readFileSync(target, 'utf8') : 'kept').toBe('kept');
  },
);
