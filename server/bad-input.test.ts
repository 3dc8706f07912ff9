import { expect, inject, test } from 'vitest';
import { openArchive } from './testing/archive.ts';
import { tryBadPictures } from './testing/bad-input/picture-trial.ts';
import { pagesFor } from './testing/pages.ts';

/* A share of `faults/bad-input.test.ts`; the same pictures each time. */

test('whatever is sent as a picture is a picture of ours afterwards, or refused', async () => {
  const archive = await openArchive(inject('databases'), {}, pagesFor());
  try {
    const { faults, report } = await tryBadPictures(archive, { pictures: 52, seed: 1 });
    expect(faults, report).toEqual([]);
  } finally {
    await archive.close();
  }
}, 240_000);
