import { describe, expect, test } from 'vitest';
import { joinDate, joinDates, splitDate } from './date-parts.ts';

describe('joinDate', () => {
  test.each([
    ['12', '4', '1993', '1993-04-12'],
    [' 03 ', '12', '2001', '2001-12-03'],
    ['12', 'April', '1993', '1993-04-12'],
    ['12', 'SEPT', '1993', '1993-09-12'],
    ['', '', '', ''],
  ])('joins %j, %j, %j to %j', (day, month, year, date) => {
    expect(joinDate({ day, month, year })).toBe(date);
  });

  test('returns no date while a part is missing', () => {
    expect(joinDate({ day: '12', month: '', year: '' })).toBe('--12');
  });
});

test('splitDate returns what joinDate was given, also of an incomplete date', () => {
  for (const parts of [
    { day: '12', month: '4', year: '1993' },
    { day: '', month: '11', year: '' },
    { day: '', month: '', year: '' },
  ])
    expect(splitDate(joinDate(parts))).toEqual(parts);
});

test('joinDates replaces the parts of a date and leaves other fields alone', () => {
  expect(joinDates({ 'dob-day': '8', 'dob-month': '9', 'dob-year': '1990', 'first-day': 'Monday' })).toEqual({
    dob: '1990-09-08',
    'first-day': 'Monday',
  });
});
