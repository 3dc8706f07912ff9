import { expect, test } from 'vitest';
import type { TypedValues } from '#contract/staff/claims.ts';
import { formatYearsApart } from './compare-table.tsx';

const years = (yearAdmitted: number, yearGraduated: number) => ({ yearAdmitted, yearGraduated }) as TypedValues;

test.each([
  [years(2011, 2015), years(2011, 2016), 'a year apart'],
  [years(2011, 2015), years(2011, 2013), '2 years apart'],
  [years(2011, 0), years(2014, 2018), '3 years apart'],
])('formatYearsApart counts the years between %o and %o', (one, other, text) => {
  expect(formatYearsApart(one, other)).toBe(text);
});
