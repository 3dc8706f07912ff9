import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import pg from 'pg';
import { openArchive } from '#server/testing/archive.ts';
import { cleanUp, newFolder } from '#server/testing/server-process.ts';
import type { Manifest } from '../backup-format/manifest.ts';
import { type Installation, createInstallation, rewriteBackup } from '../backup-format/testing.ts';
import { createSettings, runCommand } from '../testing/run-command.ts';

/* Backups that an attacker changed. Their checksums match, because anyone can compute them. */

let original: string;
let changed: string;
let installation: Installation;

beforeAll(async () => {
  const folder = newFolder('archive-untrusted-');
  [original, changed] = [join(folder, 'whole.tar.gz'), join(folder, 'changed.tar.gz')];
  const archive = await openArchive(inject('databases'));
  await archive.createMember();
  const { code, stderr } = await runCommand(createSettings(archive), 'backup', original);
  if (code !== 0) throw new Error(stderr);
  await archive.close();
  installation = await createInstallation(inject('databases'));
});
afterAll(async () => {
  await installation.drop();
  await cleanUp();
});

const changeManifest = (change: (manifest: Manifest) => unknown) =>
  rewriteBackup(original, changed, (name, content) => [
    [name, name === 'manifest.json' ? JSON.stringify(change(JSON.parse(content.toString()) as Manifest)) : content],
  ]);

/** Runs a query on a short connection, because a restore refuses to run beside other connections. */
async function query<Row extends object>(text: string): Promise<Row[]> {
  const client = new pg.Client(installation.connection);
  await client.connect();
  const { rows } = await client.query<Row>(text);
  await client.end();
  return rows;
}

async function restoreChanged(): Promise<string[]> {
  const answers: string[] = [];
  for (const more of [['--dry-run'], ['--replace']]) {
    const { code, stdout, stderr } = await runCommand(installation.settings, 'restore', changed, ...more);
    answers.push(`${code} ${stderr}`);
    expect(stdout).not.toContain('can be restored');
  }
  return answers;
}

test.each([
  ['a table name with SQL in it', `accounts" disable trigger user; select nextval('executed'); --`, []],
  ['a table that no migration creates', 'executed', ['last_value']],
  ['the migrations table', 'kysely_migration', ['name']],
  ['a column name with SQL in it', 'accounts', [`id") from stdin; select nextval('executed'); --`]],
])('restore rejects a backup with %s and executes no SQL from it', async (_, name, columns) => {
  await query('drop sequence if exists executed; create sequence executed');
  await changeManifest((manifest) => ({
    ...manifest,
    tables: [{ name, columns, rows: 0 }, ...manifest.tables.filter((table) => table.name !== name)],
  }));
  for (const answer of await restoreChanged())
    expect(answer).toMatch(/^1 This backup was not created by this software: it names a table or column that /u);
  expect(await query('select is_called from executed')).toEqual([{ is_called: false }]);
});

test('restore rejects a backup with a picture outside the media folder', async () => {
  const name = /\t(?:public-)?[\w-]{22}\t/u;
  await rewriteBackup(original, changed, (entry, content) => {
    if (!entry.startsWith('tables/profiles/')) return [[entry, content]];
    expect(content.toString()).toMatch(name);
    return [[entry, content.toString().replace(name, '\t../secrets\t')]];
  });
  for (const answer of await restoreChanged())
    expect(answer).toBe(
      '1 This backup was not created by this software: profiles names a file outside the media folder.',
    );
});

test('restore rejects a backup with terminal control characters in its manifest', async () => {
  await changeManifest((manifest) => ({ ...manifest, version: '1.0.0\u001B]0;title\u0007' }));
  for (const answer of await restoreChanged()) expect(answer).not.toContain('\u001B');
});

test.each(['operator.log', 'restore.unfinished', 'secrets/postgres-password', 'secrets/socket-folder'])(
  'restore rejects a backup that would write %s to the data folder',
  async (path) => {
    const target = join(installation.settings.DATA_DIR, path);
    if (path === 'operator.log') writeFileSync(target, 'kept');
    await rewriteBackup(original, changed, (name, content) =>
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
