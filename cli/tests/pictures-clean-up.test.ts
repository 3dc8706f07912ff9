import { mkdirSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { removePicturesJob } from '#server/features/profile/jobs.ts';
import { measureArchive } from '#server/startup/register-metrics.ts';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import { settingsOf, type } from '../testing/run-command.ts';

/* With an empty or a wrong database, no row names any of the pictures on the disk. */

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  measureArchive(archive.context);
  await archive.join();
});
afterAll(() => archive.close());

const pictures = () => readdirSync(archive.context.media.folder).filter((name) => !name.startsWith('.'));

async function cleanUpByNight(): Promise<void> {
  await removePicturesJob.queue(archive.context.db, {});
  await archive.work();
}

const metric = async () =>
  /^archive_clean_up_refused_pictures\{.*\} (\d+)$/mu.exec(await archive.context.metrics.text())?.[1];

/** What doctor finds about pictures. */
async function finding(): Promise<string> {
  const { said } = await type(settingsOf(archive), 'doctor', '--json');
  const { findings } = JSON.parse(said) as { findings: { level: string; about: string; says: string }[] };
  return findings.flatMap(({ level, about, says }) => (about === 'clean-up' ? `${level}: ${says}` : [])).join('\n');
}

test('the nightly clean-up refuses to delete more than a small share of all pictures, and the operator can decide', async () => {
  const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1000);
  for (let number = 0; number < 51; number++) {
    const path = join(archive.context.media.folder, `unused-${number}`);
    mkdirSync(path);
    utimesSync(path, longAgo, longAgo);
  }
  const before = pictures();
  expect(before).toHaveLength(52);

  await cleanUpByNight();
  expect(pictures()).toEqual(before);
  const sentence =
    '51 of 51 pictures in the media folder are not used by any profile or photo, and none was deleted. Check that DATABASE_URL is right and that the database is complete. To delete the pictures, run: npm run archive -- pictures clean-up --force';
  const errors = archive.logged.map((line) => JSON.parse(line) as { level: number; msg: string });
  expect(errors.filter(({ level }) => level === 50).map(({ msg }) => msg)).toEqual([sentence]);
  expect(await finding()).toBe(`FAIL: ${sentence}`);
  expect(await metric()).toBe('51');

  expect(await type(settingsOf(archive), 'pictures', 'clean-up')).toMatchObject({ code: 1, noted: sentence });
  expect(await type(settingsOf(archive), 'pictures', 'clean-up', '--force', '--dry-run')).toMatchObject({
    code: 0,
    said: '51 of 51 pictures would be deleted.',
  });
  expect(pictures()).toEqual(before);
  expect(await type(settingsOf(archive), 'pictures', 'clean-up', '--force')).toMatchObject({
    code: 0,
    said: '51 of 51 pictures were deleted.',
  });
  expect(pictures()).toHaveLength(1);
  expect(await finding()).toBe('ok: nothing was refused.');
  expect(await metric()).toBe('0');
});

test('the clean-up refuses to delete most pictures of a small archive, or all, and deletes up to three while others are used', async () => {
  const small = await openArchive(inject('databases'));
  const { folder } = small.context.media;
  const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1000);
  const add = (name: string) => {
    mkdirSync(join(folder, name));
    utimesSync(join(folder, name), longAgo, longAgo);
  };
  const cleanUp = async () => type(settingsOf(small), 'pictures', 'clean-up');
  add('left-1');
  expect(await cleanUp()).toMatchObject({ code: 1 });
  for (let number = 2; number <= 10; number++) add(`left-${number}`);
  expect(await cleanUp()).toMatchObject({ code: 1, noted: expect.stringMatching(/^10 of 10 pictures /u) });
  expect(readdirSync(folder).filter((name) => name.startsWith('left-'))).toHaveLength(10);

  const member = await small.join();
  await small.pool.query(`update profiles set picture = 'left-1' where account_id = $1`, [member.uid]);
  expect(await cleanUp()).toMatchObject({ code: 1, noted: expect.stringMatching(/^9 of 10 pictures /u) });
  for (let number = 5; number <= 10; number++) rmSync(join(folder, `left-${number}`), { recursive: true });
  expect(await cleanUp()).toMatchObject({ code: 0, said: '3 of 4 pictures were deleted.' });
  await small.close();
});
