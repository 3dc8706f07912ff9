import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agreesExactly, namesAgree } from './agreement.ts';
import { createClaim, createEntry } from '../../testing/roster.ts';

/** Parses `LAST, First, others`. */
function toNames(text: string) {
  const [lastName = '', firstName = '', otherNames = ''] = text.split(',').map((name) => name.trim());
  return { lastName, firstName, otherNames };
}

describe('namesAgree accepts', () => {
  test.each([
    ['the same names', 'Adéyẹmí, Ṣadé, Olúfúnkẹ́', 'ADEYEMI, SADE, OLUFUNKE'],
    ['names without diacritics', 'Adeyemi, Sade', 'Adéyẹmí, Ṣadé'],
    ['swapped names', 'Sade, Adeyemi', 'Adeyemi, Sade, Olufunke'],
    ['a former name among the other names', 'Bello, Sade, Olufunke Adeyemi', 'Adeyemi, Sade, Olufunke'],
    ['a hyphenated married name', 'Adeyemi-Bello, Sade', 'Adeyemi, Sade'],
    ['a hyphenated name of the entry', 'Bello, Sade', 'Adeyemi-Bello, Sade'],
    ['an initial', 'Adeyemi, S.', 'Adeyemi, Sade'],
    ['an initial on the roster', 'Adeyemi, Sade', 'Adeyemi, S'],
    ['the beginning of a first name', 'Okafor, Chidi', 'Okafor, Chidiebere'],
    ['the end of a first name', 'Okafor, Tunde', 'Okafor, Babatunde'],
    ['a wrong letter', 'Adeyenmi, Sade', 'Adeyemi, Sade'],
    ['another spelling of the same sound', 'Chuku, Phatima', 'Chukwu, Fatima'],
    ['a name written in two words', 'Adeyemi, Oluwa Seun', 'Adeyemi, Oluwaseun'],
    ['a first name among the other names', 'Adeyemi, Grace, Sade', 'Adeyemi, Sade, Grace'],
  ])('%s', (_, claim, entry) => expect(namesAgree(toNames(claim), toNames(entry))).toBe(true));
});

describe('namesAgree rejects', () => {
  test.each([
    ['another first name', 'Adeyemi, Tunde', 'Adeyemi, Sade'],
    ['another last name', 'Bello, Sade', 'Adeyemi, Sade'],
    ['a first name only', 'Adeyemi, ', 'Adeyemi, Sade'],
    ['one word for both names', 'Adeyemi, Bello', 'Adeyemi, Ade'],
    ['initials only', 'A., S.', 'Adeyemi, Sade'],
    ['an initial instead of the last name', 'A., Sade', 'Adeyemi, Sade'],
    ['a short form of the last name', 'Ade, Sade', 'Adeyemi, Sade'],
    ['two letters of a first name', 'Adeyemi, Sa', 'Adeyemi, Sade'],
    ['an entry without a first name', 'Adeyemi, Sade', 'Adeyemi, '],
    ['an entry without names', 'Adeyemi, Sade', ', '],
    ['a list of names', 'Okafor, Ngozi, Adeyemi Sade Bello Musa Ibrahim Amina Chidi', 'Adeyemi, Sade'],
  ])('%s', (_, claim, entry) => expect(namesAgree(toNames(claim), toNames(entry))).toBe(false));
});

describe('agreesExactly', () => {
  const entry = createEntry({ matricKey: 'CSC150012', birthDate: '1995-04-12' });
  const claim = createClaim({ matricNumber: 'csc / 15 / 0012', dob: '1995-04-12' });

  test('accepts the matric number, the full birth date and the names', () =>
    expect(agreesExactly(claim, entry)).toBe(true));

  test.each([
    ['another matric number', { matricNumber: 'CSC/15/0013' }],
    ['no matric number', { matricNumber: '' }],
    ['another year of birth', { dob: '1996-04-12' }],
    ['day and month swapped', { dob: '1995-12-04' }],
    ['no birth date', { dob: '' }],
    ['the names of another person', { firstName: 'Ngozi' }],
  ])('rejects %s', (_, wrong) => expect(agreesExactly({ ...claim, ...wrong }, entry)).toBe(false));

  test.each([
    ['without a birth date', { birthDate: null }, claim],
    ['without a matric number', { matricKey: '' }, { ...claim, matricNumber: '/' }],
    ['with a birth date on 1 January', { birthDate: '1995-01-01' }, { ...claim, dob: '1995-01-01' }],
  ])('rejects an entry %s', (_, values, claim) => expect(agreesExactly(claim, { ...entry, ...values })).toBe(false));

  test('rejects siblings and namesakes with another birth date or number', () => {
    expect(agreesExactly({ ...claim, firstName: 'Tunde', dob: '1998-09-30' }, entry)).toBe(false);
    expect(agreesExactly({ ...claim, dob: '1998-09-30' }, entry)).toBe(false);
    expect(agreesExactly({ ...claim, matricNumber: 'CSC/15/0112' }, entry)).toBe(false);
  });
});

/** The fields that guests see are correct. Matric number and birth date are guesses of an impostor, and never both correct. */
test('agreesExactly rejects every claim without the true matric number and birth date, however often it is retried', () => {
  const day = fc
    .date({ min: new Date('1950-01-01'), max: new Date('2010-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));
  const number = fc
    .tuple(fc.constantFrom('CSC', 'LAW'), fc.integer({ min: 90, max: 99 }), fc.integer({ min: 1, max: 30 }))
    .map((parts) => parts.join('/'));
  const name = fc.constantFrom('Adéyẹmí', 'Okafor', 'Sade', 'Ngọzi', 'Musa', 'S.', 'Bello-Adeyemi');
  const person = fc.record({
    lastName: name,
    firstName: name,
    otherNames: name,
    department: fc.constantFrom('Law', 'Physics'),
    yearAdmitted: fc.constant(1990),
    yearGraduated: fc.constant(1994),
  });
  fc.assert(
    fc.property(
      person,
      number,
      day,
      fc.array(fc.tuple(fc.option(number), fc.option(day), fc.option(name)), { maxLength: 50 }),
      (person, number, day, tries) => {
        const entry = createEntry({ ...person, matricKey: number.replaceAll('/', ''), birthDate: day });
        for (const [typedNumber, typedDay, otherNames] of tries) {
          // Null: the impostor knows this value. The rule accepts as evidence that a person knows both.
          const isBoth = (typedNumber ?? number) === number && (typedDay ?? day) === day;
          const claim = createClaim({
            ...person,
            matricNumber: typedNumber ?? number,
            dob: typedDay ?? day,
            otherNames: otherNames ?? person.otherNames,
          });
          if (!isBoth) expect(agreesExactly(claim, entry)).toBe(false);
        }
      },
    ),
    { numRuns: 300 },
  );
});
