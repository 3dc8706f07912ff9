import type { ClaimInput } from '#server/domain/roster/claim-input.ts';
import type { Random } from '#server/seed/random.ts';
import { createSurname, surnameCount } from '../people.ts';
import type { Enrolled } from './roster.ts';

/*
 * Synthetic claims with the errors of real ones. The rates are assumptions, stated in docs/performance.md: there is no
 * labelled set of real claims.
 */

/** Kinds of claimants, and what impostors know about the person they claim to be. */
export const claimantKinds = ['true', 'outsider', 'relative', 'guest', 'member'] as const;
export type ClaimantKind = (typeof claimantKinds)[number];

export const kindTitles: Readonly<Record<ClaimantKind, string>> = {
  true: 'true claimant',
  outsider: 'outsider: on no roster, invents the number',
  relative: 'sibling or namesake: own birth date; half know the number',
  guest: 'knows what guests see: names, department, years',
  member: 'knows what members see: also number, day and month; guesses the year',
};

/** Creates a claim to be `target`. `other` is another person of the roster. */
export function createClaim(kind: ClaimantKind, random: Random, target: Enrolled, other: Enrolled): ClaimInput {
  const known = toClaim(target);
  if (kind === 'true') return makeErrors(random, target, known);
  if (kind === 'outsider')
    return { ...toClaim(other), matricNumber: guessNumber(random, target), dob: guessDate(random, target) };
  if (kind === 'relative') {
    // A sibling shares the last name, a namesake also the first name.
    const isNamesake = random.chance(0.5);
    return {
      ...known,
      firstName: isNamesake ? known.firstName : other.person.firstName,
      otherNames: other.person.middleName,
      dob: other.person.dob,
      matricNumber: random.chance(0.5) ? target.matricNumber : other.matricNumber,
    };
  }
  if (kind === 'guest') return { ...known, matricNumber: guessNumber(random, target), dob: guessDate(random, target) };
  return { ...known, dob: `${guessYear(random, target)}${target.person.dob.slice(4)}` };
}

/** Knows everything and makes no error. */
function toClaim({ person, matricNumber }: Enrolled): ClaimInput {
  return {
    matricNumber,
    dob: person.dob,
    firstName: person.firstName,
    otherNames: `${person.middleName} ${person.otherNames}`.trim(),
    lastName: person.lastName,
    gender: person.gender,
    department: person.department,
    yearAdmitted: person.yearAdmitted,
    yearGraduated: person.yearGraduated,
  };
}

export const agesAtAdmission = [17, 18, 19, 20, 21, 22] as const;

const guessYear = (random: Random, { person }: Enrolled) => person.yearAdmitted - random.pick(agesAtAdmission);

function guessDate(random: Random, target: Enrolled): string {
  const [month, day] = [random.integer(1, 12), random.integer(1, 28)].map((part) => String(part).padStart(2, '0'));
  return `${guessYear(random, target)}-${month}-${day}`;
}

/** Guesses a number of the target's course: its format is known, the serial number is not. */
const guessNumber = (random: Random, { matricNumber }: Enrolled) =>
  matricNumber.slice(0, -4) + String(random.integer(1, 600)).padStart(4, '0');

function makeErrors(random: Random, { person, matricNumber }: Enrolled, known: ClaimInput): ClaimInput {
  let { firstName, lastName, otherNames } = known;
  if (person.gender === 'female' && random.chance(0.3)) {
    const husband = createSurname(Math.floor(surnameCount * random.next() ** 2.5));
    const way = random.next();
    if (way < 0.2) lastName = `${lastName}-${husband}`;
    else {
      if (way < 0.65) otherNames = `${otherNames} ${lastName}`;
      lastName = husband;
    }
  }
  if (random.chance(0.06)) firstName = shorten(random, firstName);
  if (random.chance(0.1)) {
    if (random.chance(0.5)) firstName = `${[...firstName][0]}.`;
    else otherNames = otherNames.replace(/^\S+/u, ([initial = '']) => `${initial}.`);
  }
  if (random.chance(0.08)) {
    if (random.chance(0.5)) lastName = slip(random, lastName);
    else firstName = slip(random, firstName);
  }
  if (random.chance(0.12)) [firstName, lastName] = [lastName, firstName];
  if (random.chance(0.5))
    [firstName, lastName, otherNames] = [firstName, lastName, otherNames].map(removeDiacritics) as [
      string,
      string,
      string,
    ];
  const yearsOff = random.chance(0.15) ? random.pick([-2, -1, 1, 2]) : 0;
  return {
    ...known,
    firstName,
    lastName,
    otherNames,
    matricNumber: mistypeNumber(random, matricNumber),
    dob: random.chance(0.07) ? mistypeDate(random, known.dob) : known.dob,
    yearAdmitted: known.yearAdmitted + yearsOff,
    yearGraduated: known.yearGraduated + yearsOff,
  };
}

const removeDiacritics = (name: string) => name.normalize('NFD').replaceAll(/\p{M}/gu, '');

function shorten(random: Random, name: string): string {
  const letters = [...name.normalize('NFC')];
  if (letters.length < 6) return name;
  const count = random.integer(4, letters.length - 2);
  return (random.chance(0.5) ? letters.slice(0, count) : letters.slice(-count)).join('');
}

function slip(random: Random, text: string): string {
  const characters = [...text.normalize('NFC')];
  if (characters.length < 4) return text;
  const at = random.integer(1, characters.length - 2);
  const [here = '', next = ''] = [characters[at], characters[at + 1]];
  const replacement = /\d/u.test(here) ? String(random.integer(0, 9)) : random.pick([...'aeiou']);
  const [count, ...inserted] = random.pick([[1], [0, here], [1, replacement], [2, next, here]] as [
    number,
    ...string[],
  ][]);
  characters.splice(at, count, ...inserted);
  return characters.join('');
}

function mistypeNumber(random: Random, number: string): string {
  const chance = random.next();
  if (chance < 0.1) return '';
  if (chance < 0.16) return slip(random, number);
  if (chance < 0.34)
    return random.pick([number.replaceAll('/', ''), number.toLowerCase(), number.replaceAll('/', ' / ')]);
  return number;
}

function mistypeDate(random: Random, date: string): string {
  const [year = '', month = '', day = ''] = date.split('-');
  if (random.chance(0.3)) return Number(day) <= 12 ? `${year}-${day}-${month}` : `${year}-${month}-01`;
  const other = (max: number) => String(random.integer(1, max)).padStart(2, '0');
  return random.pick([
    `${year}-${month}-${other(28)}`,
    `${year}-${other(12)}-${day}`,
    `${Number(year) + random.pick([-2, -1, 1, 2])}-${month}-${day}`,
  ]);
}
