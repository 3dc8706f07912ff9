import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import { tryBadInput } from '#server/testing/bad-input/trial.ts';
import { tryBadPictures } from '#server/testing/bad-input/picture-trial.ts';
import { environmentForBadInput } from '#server/testing/bad-input/world.ts';
import { pagesFor } from '#server/testing/pages.ts';

/*
 * Bad input at scale: every call as the product describes it, and every page, with right requests of which one to three things
 * are broken, over and over, by people of every kind. `FUZZ_SEED=` sends the same again, `FUZZ_RECIPE=` one request alone, and
 * with `FUZZ_ALL=1` it goes on after the first fault and lists each sort of them once. `FUZZ_SECONDS=` ends the walk in process
 * earlier; the report says how far it came.
 */

let archive: TestArchive;
beforeAll(async () => {
  // React Router's build for development says on the console that a page which is not there has no content.
  vi.spyOn(console, 'warn').mockReturnValue();
  archive = await openArchive(inject('databases'), environmentForBadInput, pagesFor());
});
afterAll(() => archive.close());

const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000_000);

test('100,000 requests to everything that can be asked for', async () => {
  const { faults, report } = await tryBadInput(archive, { requests: 100_000, connections: 2_500, lanes: 4, seed });
  process.stdout.write(`${report}\n`);
  expect(faults).toEqual([]);
}, 3_600_000);

test('1,000 pictures that are none, and 1,000 forms', async () => {
  const pictures = await openArchive(inject('databases'), {}, pagesFor());
  try {
    const { faults, report } = await tryBadPictures(pictures, { pictures: 1_000, seed });
    process.stdout.write(`${report}\n`);
    expect(faults).toEqual([]);
  } finally {
    await pictures.close();
  }
}, 3_600_000);
