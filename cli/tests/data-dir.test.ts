import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { cleanUp, newFolder } from '#server/testing/server-process.ts';
import { createInstallation } from '../backup-format/testing.ts';
import { createSettings, runCommand } from '../testing/run-command.ts';

/* DATABASE_URL works with any DATA_DIR, so commands must detect a mistyped DATA_DIR and a disk that is not mounted. */

let archive: TestArchive;
let member: Member;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  member = await archive.createMember();
});
afterAll(async () => {
  await archive.close();
  await cleanUp();
});

test('commands reject a DATA_DIR without second-factor.key, and leave it unchanged', async () => {
  const elsewhere = newFolder();
  const settings = { ...createSettings(archive), DATA_DIR: elsewhere };
  const { email } = member;
  const target = join(newFolder(), 'out');
  const incoming = newFolder();
  writeFileSync(join(incoming, 'accounts.jsonl'), '');
  for (const words of [
    ['backup', `${target}.tar.gz`],
    ['export', target],
    ['import', incoming],
    ['user', 'show', email],
    ['user', 'disable', email],
    ['user', 'delete', email, '--yes'],
    ['jobs', 'list'],
  ])
    expect([words, await runCommand(settings, ...words)]).toEqual([
      words,
      {
        code: 1,
        stdout: '',
        stderr: `${elsewhere} does not seem to be the data folder of the archive at DATABASE_URL: it has no second-factor.key. Check DATA_DIR, and that its disk is mounted. The first "npm start" creates the key.`,
      },
    ]);
  expect([readdirSync(elsewhere), existsSync(target), existsSync(`${target}.tar.gz`)]).toEqual([[], false, false]);
  expect((await runCommand(createSettings(archive), 'user', 'show', email)).stdout).not.toMatch(/^Disabled/mu);
  expect((await runCommand(settings, 'doctor')).stdout).toMatch(
    /^FAIL {2}second-factor\.key +.* does not seem to be the data folder of/mu,
  );
});

test('import works before the first start of a new archive, and can be repeated', async () => {
  const installation = await createInstallation(inject('databases'));
  const incoming = join(newFolder(), 'in');
  mkdirSync(incoming);
  writeFileSync(join(incoming, 'accounts.jsonl'), '{"email":"ada@mail.example","emailVerified":true}\n');
  for (const created of [1, 0])
    expect(await runCommand(installation.settings, 'import', incoming)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Created: ${created}`) as string,
    });
  expect(await runCommand(installation.settings, 'user', 'show', 'ada@mail.example')).toMatchObject({ code: 0 });
  await installation.drop();
});
