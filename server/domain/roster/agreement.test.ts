import { expect, test } from 'vitest';
import { createClaim, createEntry } from '#server/testing/roster.ts';
import { agreesCompletely } from './agreement.ts';

const person = { lastName: 'Adeyemi', firstName: 'Sade', department: 'Law', yearGraduated: 2019 };
const claim = createClaim({ ...person, matricNumber: 'CSC/15/0111', dob: '1998-09-03' });
const entry = createEntry({ ...person, matricKey: 'CSC150111', birthDate: '1998-09-03' });

test('agreesCompletely accepts the same person in another spelling', () => {
  expect(agreesCompletely(claim, entry)).toBe(true);
  expect(
    agreesCompletely({ ...claim, firstName: 'Adéyẹmí', lastName: 'ṢADÉ', matricNumber: 'csc 15 0111' }, entry),
  ).toBe(true);
});

test.each([
  ['another number', { matricNumber: 'CSC/15/0112' }],
  ['another birth date', { dob: '1998-09-04' }],
  ['another name', { firstName: 'Tunde' }],
  ['a similar name', { lastName: 'Adeyenmi' }],
  ['another department', { department: 'Physics' }],
  ['another year', { yearGraduated: 2020 }],
])('agreesCompletely rejects %s', (_, wrong) => expect(agreesCompletely({ ...claim, ...wrong }, entry)).toBe(false));

test('agreesCompletely rejects an entry without a number or with a birth date of which only the year is known', () => {
  const unknown = { ...claim, dob: '1998-01-01' };
  expect(agreesCompletely(unknown, { ...entry, birthDate: '1998-01-01' })).toBe(false);
  expect(agreesCompletely({ ...claim, matricNumber: '' }, { ...entry, matricKey: '' })).toBe(false);
  expect(agreesCompletely(claim, { ...entry, birthDate: null })).toBe(false);
});
