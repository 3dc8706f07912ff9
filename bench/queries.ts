import type { Institution } from '#contract/institution.ts';
import { fold } from '#server/domain/search/folding.ts';
import { createRandom, type Random } from '#server/seed/random.ts';
import { type SyntheticPerson, createPersonId, createPerson } from './people.ts';

/*
 * Search queries, each with the person that it should find. They were written before the search was tuned, and are
 * unchanged since. Without its misspellings, a query matches at most three people.
 */

export const queryKinds = [
  'exact',
  'turned round',
  'being typed',
  'one typo',
  'two typos in a long word',
  'sound-alike',
  'other name',
  'with department',
  'with year',
  'matric number',
] as const;
export type QueryKind = (typeof queryKinds)[number];

export interface Query {
  readonly kind: QueryKind;
  readonly text: string;
  readonly expected: string;
}

const queryCounts: Record<QueryKind, number> = {
  exact: 40,
  'turned round': 30,
  'being typed': 40,
  'one typo': 60,
  'two typos in a long word': 30,
  'sound-alike': 45,
  'other name': 15,
  'with department': 15,
  'with year': 15,
  'matric number': 10,
};

export function createQueries(institution: Institution, people: number): Query[] {
  const random = createRandom(2_019);
  const namesakes = countNames(institution, people);
  return queryKinds.flatMap((kind) =>
    Array.from({ length: queryCounts[kind] }, () => {
      for (;;) {
        const person = createPerson(institution, random.integer(0, people - 1));
        const text = queryMakers[kind](random, person, namesakes);
        if (text !== null) return { kind, text, expected: createPersonId(person.number) };
      }
    }),
  );
}

type Namesakes = (...names: string[]) => number;

function countNames(institution: Institution, people: number): Namesakes {
  const counts = new Map<string, number>();
  const add = (...names: string[]) => {
    const key = names.join('|');
    counts.set(key, (counts.get(key) ?? 0) + 1);
  };
  for (let number = 0; number < people; number++) {
    const { firstName, middleName, lastName, otherNames, department, yearGraduated } = createPerson(
      institution,
      number,
    );
    add(firstName, lastName);
    add(firstName, middleName, lastName);
    add(firstName, lastName, department);
    add(firstName, lastName, String(yearGraduated));
    if (otherNames !== '') add(firstName, otherNames);
  }
  return (...names) => counts.get(names.join('|')) ?? 0;
}

const maxNamesakes = 3;

/**
 * Returns first and last name, with the middle name if too many people share them; null if too many share all three.
 */
function findDistinctNames(
  { firstName, middleName, lastName }: SyntheticPerson,
  namesakes: Namesakes,
): string[] | null {
  if (namesakes(firstName, lastName) <= maxNamesakes) return [firstName, lastName];
  return namesakes(firstName, middleName, lastName) <= maxNamesakes ? [firstName, middleName, lastName] : null;
}

/** Joins words as typed on a phone: mostly without diacritics and capitals. */
const typeWords = (random: Random, words: readonly string[]) =>
  words.map((word) => (random.chance(0.8) ? fold(word) : word)).join(' ');

/**
 * Misspells one random word of a minimum length. Returns null if the text has no such word, or if the word did not
 * change.
 */
function misspellOneWord(
  random: Random,
  names: readonly string[] | null,
  minLength: number,
  misspell: (random: Random, word: string) => string | null,
): string | null {
  const words = names?.map(fold) ?? [];
  const places = words.flatMap((word, place) => (word.length >= minLength && !word.includes(' ') ? [place] : []));
  if (places.length === 0) return null;
  const place = random.pick(places);
  const word = words[place] ?? '';
  const misspelled = misspell(random, word);
  return misspelled === null || misspelled === word ? null : words.with(place, misspelled).join(' ');
}

const queryMakers: Record<QueryKind, (random: Random, person: SyntheticPerson, namesakes: Namesakes) => string | null> =
  {
    exact: (random, person, namesakes) => {
      const names = findDistinctNames(person, namesakes);
      return names && typeWords(random, names);
    },
    'turned round': (random, person, namesakes) => {
      const names = findDistinctNames(person, namesakes);
      return names && typeWords(random, names.toReversed());
    },
    'being typed': (random, person, namesakes) => {
      const names = findDistinctNames(person, namesakes)?.map(fold);
      const last = names?.at(-1) ?? '';
      // At least five letters, so that the beginning is distinctive.
      return names && last.length > 5
        ? [...names.slice(0, -1), last.slice(0, random.integer(5, last.length - 1))].join(' ')
        : null;
    },
    'one typo': (random, person, namesakes) =>
      misspellOneWord(random, findDistinctNames(person, namesakes), 4, addTypo),
    'two typos in a long word': (random, person, namesakes) =>
      misspellOneWord(random, findDistinctNames(person, namesakes), 8, (chance, word) =>
        addTypo(chance, addTypo(chance, word)),
      ),
    'sound-alike': (random, person, namesakes) =>
      misspellOneWord(random, findDistinctNames(person, namesakes), 4, misspellBySound),
    'other name': (random, { firstName, otherNames }, namesakes) =>
      otherNames !== '' && namesakes(firstName, otherNames) <= maxNamesakes
        ? typeWords(random, [firstName, otherNames])
        : null,
    'with department': (random, { firstName, lastName, department }, namesakes) =>
      namesakes(firstName, lastName, department) <= maxNamesakes
        ? typeWords(random, [firstName, lastName, department])
        : null,
    'with year': (random, { firstName, lastName, yearGraduated }, namesakes) =>
      namesakes(firstName, lastName, String(yearGraduated)) <= maxNamesakes
        ? typeWords(random, [firstName, lastName, String(yearGraduated)])
        : null,
    'matric number': (_, { matricNumber }) => matricNumber,
  };

const letters = 'abcdefghijklmnopqrstuvwxyz';

function addTypo(random: Random, word: string): string {
  const at = random.integer(1, word.length - 1);
  const letter = letters[random.integer(0, letters.length - 1)] ?? '';
  const before = word.slice(0, at);
  switch (random.integer(0, 3)) {
    case 0:
      return before + word.slice(at + 1);
    case 1:
      return before + letter + word.slice(at);
    case 2:
      return before + letter + word.slice(at + 1);
    default:
      return at < 2
        ? before + letter + word.slice(at)
        : word.slice(0, at - 1) + word.charAt(at) + word.charAt(at - 1) + word.slice(at + 1);
  }
}

/** Replacements that people make when they write a name by ear. */
const soundReplacements: readonly [RegExp, string][] = [
  [/kwu/u, 'ku'],
  [/ks/u, 'x'],
  [/ph/u, 'f'],
  [/f/u, 'ph'],
  [/ck/u, 'k'],
  [/k/u, 'c'],
  [/(?<=.)s(?=[aeiou])/u, 'sh'],
  [/sh/u, 's'],
  [/oo/u, 'u'],
  [/(?<=.)u(?=.)/u, 'oo'],
  [/ee/u, 'i'],
  [/(?<=.)i(?=.)/u, 'ee'],
  [/ayo/u, 'aiyo'],
  [/i$/u, 'y'],
  [/e$/u, 'ey'],
  [/a$/u, 'ah'],
  [/([bdfgklmnprst])(?=[aeiou])/u, '$1$1'],
  [/([bdfgklmnprst])\1/u, '$1'],
  [/wu/u, 'u'],
  [/gb/u, 'b'],
  [/c(?=h)/u, ''],
  [/z/u, 's'],
];

function misspellBySound(random: Random, word: string): string | null {
  const matching = soundReplacements.filter(([pattern]) => pattern.test(word));
  if (matching.length === 0) return null;
  const [pattern, written] = random.pick(matching);
  return word.replace(pattern, written);
}
