import { afterAll, inject, test } from 'vitest';
import { cleanUp } from '#server/testing/server-process.ts';
import { testHostileText } from '#cli/testing/hostile-text.ts';

/*
 * Hostile text in every profile field, at scale. `HOSTILE_ROUNDS` is the number of times that 30 people get new texts.
 * `HOSTILE_SEED` repeats a failed run.
 */

afterAll(cleanUp);

test('hostile text in every field survives save, search, hide, disable, nightly jobs, export and backup', async () => {
  const seed = Number(process.env['HOSTILE_SEED'] ?? Date.now() % 1_000_000_000);
  const rounds = Number(process.env['HOSTILE_ROUNDS'] ?? 20);
  await testHostileText(inject('databases'), { rounds, people: 30, seed });
}, 3_600_000);
