import * as fc from 'fast-check';
import { afterAll, expect, inject, test } from 'vitest';
import { handle, line, prose } from '#contract/fields.ts';
import { hostileText } from '#server/testing/hostile-text.ts';
import { cleanUp } from '#server/testing/product.ts';
import { tryHostileText } from '../testing/hostile-text.ts';

/* A share of `faults/hostile-text.test.ts`, the same texts each time unless `HOSTILE_SEED=` says otherwise. */

afterAll(cleanUp);

const seed = Number(process.env['HOSTILE_SEED'] ?? 1);

test.each([
  ['line', line(80)],
  ['prose', prose(80)],
  ['handle', handle],
])('the rule %s leaves a text alone that it has accepted before', (_, rule) => {
  const isStable = fc.property(hostileText(80), (text) => {
    const first = rule.safeParse(text);
    if (first.success) expect(rule.safeParse(first.data)).toEqual(first);
  });
  fc.assert(isStable, { seed, numRuns: 3_000 });
});

test('hostile text in every field survives save, search, hide, disable, nightly jobs, export and backup', async () => {
  await tryHostileText(inject('databases'), { rounds: 1, people: 10, seed });
});
