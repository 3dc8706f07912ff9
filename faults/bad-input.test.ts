import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import { tryBadInput } from '#server/testing/bad-input/trial.ts';
import { tryBadPictures } from '#server/testing/bad-input/picture-trial.ts';
import { environmentForBadInput } from '#server/testing/bad-input/world.ts';
import { createTestWeb } from '#server/testing/pages.ts';

/*
 * Fuzzes every API call and every page at scale. Each request is valid except for one to three mutations, and comes
 * from a user of any kind. `FUZZ_SEED` repeats a run, and `FUZZ_RECIPE` sends a single request. With `FUZZ_ALL=1` the
 * run continues after the first fault and lists each kind of fault once. `FUZZ_SECONDS` limits the time of the
 * in-process part; the report states its progress.
 */

let archive: TestArchive;
beforeAll(async () => {
  // React Router's development build warns on the console about missing pages without content.
  vi.spyOn(console, 'warn').mockReturnValue();
  archive = await openArchive(inject('databases'), environmentForBadInput, createTestWeb());
});
afterAll(() => archive.close());

const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000_000);

test('the server handles 100,000 randomly altered requests to all calls and pages without faults', async () => {
  const { faults, report } = await tryBadInput(archive, { requests: 100_000, connections: 2_500, lanes: 4, seed });
  process.stdout.write(`${report}\n`);
  expect(faults).toEqual([]);
}, 3_600_000);

test('the server handles 1,000 invalid pictures and 1,000 invalid forms without faults', async () => {
  const pictures = await openArchive(inject('databases'), {}, createTestWeb());
  try {
    const { faults, report } = await tryBadPictures(pictures, { pictures: 1_000, seed });
    process.stdout.write(`${report}\n`);
    expect(faults).toEqual([]);
  } finally {
    await pictures.close();
  }
}, 3_600_000);
