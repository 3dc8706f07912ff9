import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import { createClaim } from '#server/testing/roster.ts';
import { findCandidates } from './candidates.ts';
import type { ClaimInput } from './claim-input.ts';
import { countFrequencies, readFrequencies } from './frequencies.ts';
import { oneEditVariants } from './one-edit-variants.ts';
import { type EntryValues, writeEntries } from './write-entries.ts';

let archive: TestArchive;

const values: EntryValues = {
  matricNumber: 'CSC/15/0012',
  lastName: 'ADEYEMI',
  firstName: 'SADE',
  otherNames: 'OLUFUNKE',
  gender: 'female',
  birthDate: '1995-04-12',
  college: null,
  department: 'Computer Science',
  program: null,
  yearAdmitted: 2015,
  yearGraduated: 2019,
  email: null,
  phone: null,
  status: null,
  isConfidential: null,
  diedOn: null,
};
const stranger = { lastName: 'OKAFOR', firstName: 'NGOZI', otherNames: '', birthDate: '1980-02-02' };

beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(() => archive.close());
beforeEach(async () => {
  await archive.pool.query('delete from roster_entries');
  await writeEntries(archive.context.db, [
    values,
    { ...values, ...stranger, matricNumber: 'CSC/15/0021' },
    { ...values, ...stranger, matricNumber: 'PHY/80/0001', birthDate: '1995-04-12' },
    { ...values, ...stranger, matricNumber: 'PHY/80/0002', birthDate: '1995-01-01' },
    { ...values, birthDate: null, matricNumber: 'PHY/80/0003', isConfidential: true },
    { ...values, birthDate: null, matricNumber: 'PHY/80/0004' },
    { ...values, ...stranger, matricNumber: 'PHY/80/0005' },
  ]);
  await archive.pool.query(`update roster_entries set suppressed_at = now() where matric_key = 'PHY800004'`);
  await countFrequencies(archive.context.db);
});

const nameless = { lastName: '', firstName: '', otherNames: '' };

const find = async (claim: Partial<ClaimInput>) => {
  const entries = await findCandidates(
    archive.context.db,
    createClaim({ matricNumber: '', dob: '', ...nameless, ...claim }),
  );
  return entries.map(({ matricKey }) => matricKey).toSorted();
};

test.each<[string, Partial<ClaimInput>, string[]]>([
  [
    'the matric number in another format',
    { matricNumber: 'phy 80-0005' },
    ['PHY800001', 'PHY800002', 'PHY800003', 'PHY800005'],
  ],
  ['a matric number one edit away', { matricNumber: 'CSC/15/012' }, ['CSC150012']],
  ['swapped digits', { matricNumber: 'CSC/15/0012' }, ['CSC150012', 'CSC150021']],
  ['the birth date', { dob: '1995-04-12' }, ['CSC150012', 'PHY800001']],
  [
    'two names in any order, without diacritics',
    { lastName: 'Ṣadé', firstName: 'Adéyẹmí' },
    ['CSC150012', 'PHY800003'],
  ],
  ['two names that sound the same', { lastName: 'Adeyemy', firstName: 'Shade' }, ['CSC150012', 'PHY800003']],
  ['no value', {}, []],
  ['one name only', { lastName: 'Adeyemi' }, []],
  ['1 January without a name', { dob: '1995-01-01' }, []],
  ['1 January with a name', { dob: '1995-01-01', lastName: 'Okafor' }, ['PHY800002']],
])('findCandidates by %s', async (_, claim, expected) => expect(await find(claim)).toEqual(expected));

test('findCandidates marks confidential entries for staff, and never returns those of people who objected', async () => {
  const entries = await findCandidates(archive.context.db, createClaim());
  expect(entries.map(({ matricKey, needsStaff }) => [matricKey, needsStaff])).toEqual(
    expect.arrayContaining([
      ['CSC150012', false],
      ['PHY800003', true],
    ]),
  );
  expect(entries.map(({ matricKey }) => matricKey)).not.toContain('PHY800004');
});

test('countFrequencies counts the values of the roster, without people who objected', async () => {
  const { db } = archive.context;
  const { rows } = await archive.pool.query(
    `select kind, value, entries from roster_frequencies where kind <> 'word' or value = 'okafor' order by 1, 2`,
  );
  expect(rows).toEqual([
    { kind: 'birth-date', value: '1980-02-02', entries: 2 },
    { kind: 'birth-date', value: '1995-04-12', entries: 2 },
    { kind: 'birth-year', value: '1980', entries: 2 },
    { kind: 'birth-year', value: '1995', entries: 3 },
    { kind: 'department', value: 'Computer Science', entries: 6 },
    { kind: 'total', value: '', entries: 6 },
    { kind: 'word', value: 'okafor', entries: 4 },
    { kind: 'year', value: '2019', entries: 6 },
  ]);
  const frequencies = await readFrequencies(db, createClaim({ lastName: 'Okafor' }));
  expect(frequencies.shareOf('word', 'okafor')).toBe(4 / 1_000);
  await archive.pool.query(`delete from roster_entries where matric_key = 'PHY800005'`);
  await countFrequencies(db);
  const later = await readFrequencies(db, createClaim({ lastName: 'Okafor' }));
  expect(later.shareOf('word', 'okafor')).toBe(3 / 1_000);
});

test('oneEditVariants contains each removed, replaced, inserted and swapped character, and few others', () => {
  const variants = oneEditVariants('CSC150012');
  for (const typed of [
    'CSC150012',
    'CSC15012',
    'CSC150013',
    'CSC1500123',
    'CSC1500012',
    'CSC150102',
    'SCC150012',
    'XCSC150012',
  ])
    expect(variants).toContain(typed);
  expect(variants.length).toBeLessThan(600);
  expect(oneEditVariants('')).toEqual([]);
  expect(oneEditVariants('1'.repeat(100))).toHaveLength(1);
});
