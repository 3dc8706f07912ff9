import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { cleanUp, newFolder } from '#server/testing/product.ts';
import { newPlace } from '../backup-format/testing.ts';
import { settingsOf, type } from '../testing/run-command.ts';

/* With DATABASE_URL the database is found whatever DATA_DIR says: a slip there, or a disk that is not mounted, has to be noticed. */

let archive: TestArchive;
let member: Member;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  member = await archive.join();
});
afterAll(async () => {
  await archive.close();
  await cleanUp();
});

test('a DATA_DIR that no start has used is refused by whatever changes or copies something, and left as it was', async () => {
  const elsewhere = newFolder();
  const settings = { ...settingsOf(archive), DATA_DIR: elsewhere };
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
    expect([words, await type(settings, ...words)]).toEqual([
      words,
      {
        code: 1,
        said: '',
        noted: `${elsewhere} is not the data folder of the archive at DATABASE_URL: there is no second-factor.key in it. Is DATA_DIR right, and its disk there? The first "npm start" makes the key.`,
      },
    ]);
  expect([readdirSync(elsewhere), existsSync(target), existsSync(`${target}.tar.gz`)]).toEqual([[], false, false]);
  expect((await type(settingsOf(archive), 'user', 'show', email)).said).not.toMatch(/^Switched off/mu);
  expect((await type(settings, 'doctor')).said).toMatch(/^FAIL {2}second-factor\.key +.* is not the data folder of/mu);
});

test('a new archive can be filled before its first start, and again', async () => {
  const place = await newPlace(inject('databases'));
  const incoming = join(newFolder(), 'in');
  mkdirSync(incoming);
  writeFileSync(join(incoming, 'accounts.jsonl'), '{"email":"ada@mail.example","emailVerified":true}\n');
  for (const created of [1, 0])
    expect(await type(place.settings, 'import', incoming)).toMatchObject({
      code: 0,
      said: expect.stringContaining(`Created: ${created}`) as string,
    });
  expect(await type(place.settings, 'user', 'show', 'ada@mail.example')).toMatchObject({ code: 0 });
  await place.drop();
});
