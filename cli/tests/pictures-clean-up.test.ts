import { mkdirSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { removePicturesJob } from '#server/features/profile/jobs.ts';
import { measureArchive } from '#server/startup/register-metrics.ts';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import { createSettings, runCommand } from '../testing/run-command.ts';

/* In an empty or wrong database, no row refers to the pictures on disk. */

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  measureArchive(archive.context);
  await archive.createMember();
});
afterAll(() => archive.close());

const listPictures = () => readdirSync(archive.context.media.store.location).filter((name) => !name.startsWith('.'));

async function runNightlyCleanUp(): Promise<void> {
  await removePicturesJob.queue(archive.context.db, {});
  await archive.runJobs();
}

const readMetric = async () =>
  /^archive_clean_up_refused_pictures\{.*\} (\d+)$/mu.exec(await archive.context.metrics.text())?.[1];

async function runCleanUpCheck(): Promise<string> {
  const { stdout } = await runCommand(createSettings(archive), 'doctor', '--json');
  const { findings } = JSON.parse(stdout) as { findings: { level: string; check: string; message: string }[] };
  return findings
    .flatMap(({ level, check, message }) => (check === 'clean-up' ? `${level}: ${message}` : []))
    .join('\n');
}

test('the nightly clean-up refuses to delete many pictures, which pictures clean-up --force deletes', async () => {
  const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1000);
  for (let number = 0; number < 51; number++) {
    const path = join(archive.context.media.store.location, `unused-${number}`);
    mkdirSync(path);
    utimesSync(path, longAgo, longAgo);
  }
  const before = listPictures();
  expect(before).toHaveLength(52);

  await runNightlyCleanUp();
  expect(listPictures()).toEqual(before);
  const message =
    '51 of 51 pictures in the media folder are not used by any profile or photo, and none was deleted. Check that DATABASE_URL is right and that the database is complete. To delete the pictures, run: npm run archive -- pictures clean-up --force';
  const errors = archive.logged.map((line) => JSON.parse(line) as { level: number; msg: string });
  expect(errors.filter(({ level }) => level === 50).map(({ msg }) => msg)).toEqual([message]);
  expect(await runCleanUpCheck()).toBe(`FAIL: ${message}`);
  expect(await readMetric()).toBe('51');

  expect(await runCommand(createSettings(archive), 'pictures', 'clean-up')).toMatchObject({ code: 1, stderr: message });
  expect(await runCommand(createSettings(archive), 'pictures', 'clean-up', '--force', '--dry-run')).toMatchObject({
    code: 0,
    stdout: '51 of 51 pictures would be deleted.',
  });
  expect(listPictures()).toEqual(before);
  expect(await runCommand(createSettings(archive), 'pictures', 'clean-up', '--force')).toMatchObject({
    code: 0,
    stdout: '51 of 51 pictures were deleted.',
  });
  expect(listPictures()).toHaveLength(1);
  expect(await runCleanUpCheck()).toBe('OK: The last clean-up of unused pictures had no problem.');
  expect(await readMetric()).toBe('0');
});

test('pictures clean-up deletes up to three pictures of a small archive, but not all or most of them', async () => {
  const small = await openArchive(inject('databases'));
  const folder = small.context.media.store.location;
  const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1000);
  const add = (name: string) => {
    mkdirSync(join(folder, name));
    utimesSync(join(folder, name), longAgo, longAgo);
  };
  const cleanUp = async () => runCommand(createSettings(small), 'pictures', 'clean-up');
  add('left-1');
  expect(await cleanUp()).toMatchObject({ code: 1 });
  for (let number = 2; number <= 10; number++) add(`left-${number}`);
  expect(await cleanUp()).toMatchObject({ code: 1, stderr: expect.stringMatching(/^10 of 10 pictures /u) });
  expect(readdirSync(folder).filter((name) => name.startsWith('left-'))).toHaveLength(10);

  const member = await small.createMember();
  await small.pool.query(`update profiles set picture = 'left-1' where account_id = $1`, [member.uid]);
  expect(await cleanUp()).toMatchObject({ code: 1, stderr: expect.stringMatching(/^9 of 10 pictures /u) });
  for (let number = 5; number <= 10; number++) rmSync(join(folder, `left-${number}`), { recursive: true });
  expect(await cleanUp()).toMatchObject({ code: 0, stdout: '3 of 4 pictures were deleted.' });
  await small.close();
});
