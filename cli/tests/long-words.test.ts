import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Database, openDatabase } from '#server/db/client.ts';
import { migrate, migrateTables } from '#server/db/migrate.ts';
import { queuePendingRebuild } from '#server/domain/search-rebuild.ts';
import { recountWords } from '#server/domain/vocabulary.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { findQueued } from '#server/testing/jobs.ts';
import type { Device } from '#server/testing/device.ts';
import { cleanUp, newFolder } from '#server/testing/server-process.ts';
import { createInstallation } from '../backup-format/testing.ts';
import { createSettings, runCommand } from '../testing/run-command.ts';

/*
 * A lexeme of a `tsvector` has at most 2,046 bytes, and `array_to_tsvector` stores longer ones with a truncated length instead of
 * refusing them. One typed character can fold to 18 bytes.
 */

/** Words that fold to 2,048 bytes (stored with length 0) and 2,880 bytes (stored with length 832, inside a character). */
const longWords: [folded: string, word: string][] = [
  ['2,048 bytes', '㌖'.repeat(113) + 'a'.repeat(14)],
  ['2,880 bytes', '㌖'.repeat(160)],
];

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(async () => {
  await archive.close();
  await cleanUp();
});

const find = async (device: Device, q: string) =>
  (await device.call('GET /api/search', { query: { q } })).items.map(({ id }) => id);

const setHidden = ({ device, uid }: Member, isHidden: boolean) =>
  device.call('PUT /api/users/{id}/privacy', { params: { id: uid }, body: { isHidden, version: 'any' } });

test.each(longWords)(
  'a member whose other name folds to %s can be found, hidden, disabled, counted, backed up and restored',
  async (_, word) => {
    const member = await archive.createMember({ otherNames: word }, { visibility: { otherNames: 'everyone' } });
    const settings = createSettings(archive);
    expect(await find(archive.openDevice(), word)).toEqual([member.uid]);
    await recountWords(archive.context.db);
    await setHidden(member, true);
    expect(await find(archive.openDevice(), word)).toEqual([]);
    await setHidden(member, false);
    expect(await runCommand(settings, 'user', 'disable', member.email)).toMatchObject({ code: 0 });
    expect(await find(archive.openDevice(), word)).toEqual([]);
    expect(await runCommand(settings, 'user', 'enable', member.email)).toMatchObject({ code: 0 });

    const file = join(newFolder('archive-backups-'), 'night.tar.gz');
    expect(await runCommand(settings, 'backup', file)).toMatchObject({ code: 0 });
    const installation = await createInstallation(inject('databases'));
    expect(await runCommand(installation.settings, 'restore', file)).toMatchObject({ code: 0 });
    const restored = await installation.open();
    expect(await find(restored.openDevice(), word)).toEqual([member.uid]);
    await restored.close();
    await installation.drop();
    expect(await runCommand(settings, 'user', 'delete', member.email, '--yes')).toMatchObject({ code: 0 });
    expect(archive.logged.filter((line) => /㌖|キロメートル/u.test(line))).toEqual([]);
  },
);

test('migration 016 repairs search vectors with truncated words, and the next start rebuilds them', async () => {
  const installation = await createInstallation(inject('databases'));
  const database = openDatabase(installation.connection, () => undefined);
  await database.pool.query('drop schema public cascade; create schema public');
  await migrateTables(database.db, '015-clock');
  const ids = [];
  for (const [, word] of longWords) ids.push(await insertListed(database, word));
  await database.close();
  await migrate(installation.connection);
  const upgraded = await openArchive({ ...inject('databases'), template: installation.connection.database ?? '' });
  // These steps fill the vocabulary before the rebuild.
  await upgraded.createMember();
  await recountWords(upgraded.context.db);
  await queuePendingRebuild(upgraded.context.db);
  await upgraded.runJobs();
  const member = await upgraded.createMember();
  for (const [, word] of longWords) expect((await find(member.device, word)).toSorted()).toEqual(ids.toSorted());
  expect(await find(member.device, 'lsited')).toEqual(expect.arrayContaining(ids));
  await queuePendingRebuild(upgraded.context.db);
  expect(await findQueued(upgraded.context.db, 'search:rebuild')).toEqual([]);
  const file = join(newFolder('archive-backups-'), 'upgraded.tar.gz');
  expect(await runCommand(createSettings(upgraded), 'backup', file)).toMatchObject({ code: 0 });
  await upgraded.close();
  await installation.drop();
});

/** Inserts a person in the format from before migration 016. @returns the id of the account */
async function insertListed({ pool }: Database, otherNames: string): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into accounts (email, password_hash) values ($1, '!') returning id`,
    [`${otherNames.length}@mail.example`],
  );
  const id = rows[0]?.id ?? '';
  await pool.query(
    `insert into profiles (account_id, first_name, middle_name, last_name, title, dob, gender, home_address, contact_number,
       matric_number, college, department, program, year_admitted, year_graduated, interest, bio, full_bio, x_handle,
       facebook_name, linkedin_name, other_names)
     values ($1, 'Ada', 'Of', 'Listed', 'miss', '1990-01-01', 'female', 'x', 'x', 'x', 'COSIT', 'x', 'B.Sc', 2010, 2014, 'x', 'x',
       'x', 'x', 'x', 'x', $2)`,
    [id, otherNames],
  );
  const word = otherNames.normalize('NFKD').replaceAll(/\p{M}/gu, '');
  await pool.query(
    `insert into listings (audience, account_id, sort_name, name, other_names, search)
     values ('members', $1, 'listed ada of', 'Ada Of Listed', $2, array_to_tsvector(array['ada', 'listed', 'of', $3]))`,
    [id, otherNames, word],
  );
  await pool.query(`insert into search_words (word) values ($1)`, [word]);
  return id;
}
