import { expect, test } from 'vitest';
import { createClaim, createEntry } from '#server/testing/roster.ts';
import { agreesCompletely } from './agreement.ts';
import { createFrequencies } from './frequencies.ts';
import { rankCandidates } from './matching.ts';

const frequencies = createFrequencies(
  100_000,
  new Map([
    ['word ibrahim', 5_000],
    ['word adeyemi', 50],
    ['department Computer Science', 4_000],
    ['year 2019', 3_000],
  ]),
);

const rank = (claim: Parameters<typeof rankCandidates>[0], ...entries: Parameters<typeof rankCandidates>[1]) =>
  rankCandidates(claim, entries, frequencies);

test('rankCandidates puts the entry with the most agreement first', () => {
  const right = createEntry({ id: 3 });
  const sibling = createEntry({ id: 1, firstName: 'TUNDE', matricKey: 'CSC120044', birthDate: '1992-11-02' });
  const neighbour = createEntry({
    id: 2,
    matricKey: 'CSC150013',
    lastName: 'OKAFOR',
    firstName: 'NGOZI',
    birthDate: null,
  });
  const ranked = rank(createClaim(), sibling, neighbour, right);
  expect(ranked[0]?.entry).toBe(right);
  expect(ranked[0]?.levels).toEqual({
    matricNumber: 'same',
    birthDate: 'same',
    lastName: 'same',
    firstName: 'same',
    otherNames: 'same',
    gender: 'same',
    department: 'same',
    year: 'same',
  });
});

test('rankCandidates finds a person by a former name, an initial and a swapped day and month', () => {
  const claim = createClaim({
    matricNumber: '',
    dob: '1995-12-04',
    lastName: 'Bello',
    firstName: 'S.',
    otherNames: 'Adeyemi',
  });
  const [best] = rank(
    claim,
    createEntry({ id: 1, lastName: 'BELLO', birthDate: '1990-03-03' }),
    createEntry({ id: 2 }),
  );
  expect(best?.entry.id).toBe(2);
  expect(best?.levels).toMatchObject({
    matricNumber: 'missing',
    birthDate: 'day and month swapped',
    lastName: 'same',
    firstName: 'short form',
    otherNames: 'different',
  });
});

test('rankCandidates weighs a rare name more than a frequent one', () => {
  const claim = createClaim({ lastName: 'Ibrahim Adeyemi', firstName: '', otherNames: '' });
  const [best, other] = rank(
    claim,
    createEntry({ id: 1, lastName: 'Ibrahim' }),
    createEntry({ id: 2, lastName: 'Adeyemi' }),
  );
  expect(best?.entry.id).toBe(2);
  expect((best?.bits ?? 0) - (other?.bits ?? 0)).toBeCloseTo(Math.log2(5_000 / 50));
});

test('rankCandidates gives missing values no weight', () => {
  const nothing = createEntry({
    matricKey: '',
    lastName: '',
    firstName: '',
    otherNames: '',
    gender: null,
    birthDate: null,
    department: null,
    yearAdmitted: null,
    yearGraduated: null,
  });
  expect(rank(createClaim(), nothing)[0]?.bits).toBe(0);
});

test('rankCandidates limits the weight of each field to -8 and 20 bits', () => {
  const huge = createFrequencies(2 ** 40, new Map());
  const empty = { lastName: '', firstName: '', otherNames: '', gender: null, department: null };
  const entry = createEntry({ ...empty, birthDate: null, yearAdmitted: null, yearGraduated: null });
  expect(rankCandidates(createClaim(), [entry], huge)[0]?.bits).toBe(20);
  expect(rankCandidates(createClaim({ matricNumber: 'XYZ' }), [entry], huge)[0]?.bits).toBeGreaterThanOrEqual(-8);
});

test('rankCandidates scores what guests see as high as a true claim, and agreesCompletely rejects it', () => {
  const entry = createEntry();
  const guess = createClaim({ matricNumber: '', dob: '' });
  expect(rank(guess, entry)[0]?.bits).toBeGreaterThan(Math.log2(100_000 / 0.8));
  expect(agreesCompletely(guess, entry)).toBe(false);
});
