import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { openArchive } from '#server/testing/archive.ts';
import { tryBadPictures } from '#server/testing/bad-input/picture-trial.ts';
import { others } from '#server/testing/bad-input/routes.ts';
import { createTestWeb } from '#server/testing/pages.ts';

/* A short version of `faults/bad-input.test.ts`, with the same pictures in each run. */

test('the fault test with altered requests covers every page', () => {
  const root = join(import.meta.dirname, '..', '..', 'web');
  const files = ['domain/paths.ts', ...globSync('features/*/routes.ts', { cwd: root })];
  const pages = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/'(\/(?:[\w-][\w/-]*)?)'/gu)].map(([, path = '']) => path),
  );
  expect(pages.length).toBeGreaterThan(18);
  expect(Object.keys(others)).toEqual(expect.arrayContaining(pages));
});

test('picture uploads with invalid files are refused or stored as re-encoded WebP files', async () => {
  const archive = await openArchive(inject('databases'), {}, createTestWeb());
  try {
    const { faults, report } = await tryBadPictures(archive, { pictures: 52, seed: 1 });
    expect(faults, report).toEqual([]);
  } finally {
    await archive.close();
  }
});
