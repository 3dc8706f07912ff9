import * as fc from 'fast-check';
import { afterAll, expect, inject, test } from 'vitest';
import { handle, line, prose } from '#contract/fields.ts';
import { hostileText } from '#server/testing/hostile-text.ts';
import { cleanUp } from '#server/testing/server-process.ts';
import { testHostileText } from '../testing/hostile-text.ts';

/* A short version of `faults/hostile-text.test.ts`. The texts are the same in each run unless `HOSTILE_SEED` is set. */

afterAll(cleanUp);

const seed = Number(process.env['HOSTILE_SEED'] ?? 1);

test.each([
  ['line', line(80)],
  ['prose', prose(80)],
  ['handle', handle],
])('the rule %s does not change a text that it has already converted', (_, rule) => {
  const isStable = fc.property(hostileText(80), (text) => {
    const first = rule.safeParse(text);
    if (first.success) expect(rule.safeParse(first.data)).toEqual(first);
  });
  fc.assert(isStable, { seed, numRuns: 3_000 });
});

test('hostile text in every field survives save, search, hide, disable, nightly jobs, export and backup', async () => {
  await testHostileText(inject('databases'), { rounds: 1, people: 5, seed });
});
