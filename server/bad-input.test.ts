import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { openArchive, type TestArchive } from './testing/archive.ts';
import { tryBadInput } from './testing/bad-input/trial.ts';
import { tryBadPictures } from './testing/bad-input/picture-trial.ts';
import { environmentForBadInput } from './testing/bad-input/world.ts';
import { pagesFor } from './testing/pages.ts';

/* A share of `faults/bad-input.test.ts`, which says what is tried; the same requests each time. */

let archive: TestArchive;
beforeAll(async () => {
  // React Router's build for development says on the console that a page which is not there has no content.
  vi.spyOn(console, 'warn').mockReturnValue();
  archive = await openArchive(inject('databases'), environmentForBadInput, pagesFor());
});
afterAll(() => archive.close());

test('whatever is sent is answered calmly, told to nobody, and leaves everything as it was', async () => {
  const seed = Number(process.env['FUZZ_SEED'] ?? 1);
  const { faults, report } = await tryBadInput(archive, { requests: 2_200, connections: 200, lanes: 4, seed });
  expect(faults, report).toEqual([]);
}, 600_000);

test('whatever is sent as a picture is a picture of ours afterwards, or refused', async () => {
  const pictures = await openArchive(inject('databases'), {}, pagesFor());
  try {
    const { faults, report } = await tryBadPictures(pictures, { pictures: 52, seed: 1 });
    expect(faults, report).toEqual([]);
  } finally {
    await pictures.close();
  }
}, 600_000);
