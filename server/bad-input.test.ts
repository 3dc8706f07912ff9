import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openArchive, type TestArchive } from './testing/archive.ts';
import { environmentForBadInput } from './testing/bad-input/world.ts';
import { hasSucceeded, isRefusedEarly } from './testing/bad-input/tally.ts';
import { walk } from './testing/bad-input/walk.ts';
import { pagesFor } from './testing/pages.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'), environmentForBadInput, pagesFor());
});
afterAll(() => archive.close());

test('generated requests to every route', async () => {
  const quiet = console.warn;
  console.warn = (...a: unknown[]) => {
    if (!String(a[0]).startsWith('Matched leaf')) quiet(...a);
  };
  const { tally } = await walk(archive, {
    requests: Number(process.env['N'] ?? 500),
    lanes: 2,
    seed: Number(process.env['FUZZ_SEED'] ?? 1),
  });
  process.stdout.write(tally.report() + '\n');
  process.stdout.write(
    [...tally.routes]
      .filter(([, s]) => isRefusedEarly(s))
      .map(([n]) => `early ${n}\n`)
      .join(''),
  );
  process.stdout.write(
    [...tally.routes]
      .filter(([, s]) => !hasSucceeded(s))
      .map(([n]) => `never ${n}\n`)
      .join(''),
  );
  process.stdout.write(archive.logged.join(''));
  expect(1).toBe(1);
}, 600_000);
