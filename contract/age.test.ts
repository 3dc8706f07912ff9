import { expect, test } from 'vitest';
import { hasReachedAge } from './age.ts';

test.each([
  ['2008-11-22', '2026-11-22T11:59:59Z', false],
  ['2008-11-22', '2026-11-22T12:00:00Z', true],
  ['2008-11-23', '2026-11-23T11:59:59Z', false],
  // People born on 29 February have their birthday on 1 March in other years.
  ['2008-02-29', '2026-03-01T11:59:59Z', false],
  ['2008-02-29', '2026-03-01T12:00:00Z', true],
  ['2010-02-28', '2028-02-29T11:00:00Z', true],
  ['2999-01-01', '2026-11-22T12:00:00Z', false],
])('hasReachedAge for age 18 and date of birth %s at %s returns %s', (dob, now, expected) => {
  expect(hasReachedAge(dob, 18, new Date(now))).toBe(expected);
});
