import type { Institution } from '#contract/institution.ts';
import { fold } from '#server/domain/folding.ts';
import { createRandom, type Random } from '#server/seed/random.ts';
import { type SyntheticPerson, idOf, personAt } from './people.ts';

/*
 * What people type, with whom they mean. Written before the search was tuned, and not changed since: each question names
 * somebody closely enough that at most three people would be meant by it if nothing in it were misspelled.
 */

export const kinds = [
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
export type Kind = (typeof kinds)[number];

export interface Query {
  readonly kind: Kind;
  readonly text: string;
  /** The id of who is meant. */
  readonly expected: string;
}

const shares: Record<Kind, number> = {
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

/** The 300 questions for a directory of so many people. */
export function makeQueries(institution: Institution, people: number): Query[] {
  const random = createRandom(2_019);
  const namesakes = countNames(institution, people);
  return kinds.flatMap((kind) =>
    Array.from({ length: shares[kind] }, () => {
      for (;;) {
        const person = personAt(institution, random.whole(0, people - 1));
        const text = ask[kind](random, person, namesakes);
        if (text !== null) return { kind, text, expected: idOf(person.number) };
      }
    }),
  );
}

type Namesakes = (...names: string[]) => number;

/** How many people have these names, in this order. */
function countNames(institution: Institution, people: number): Namesakes {
  const counts = new Map<string, number>();
  const add = (...names: string[]) => {
    const key = names.join('|');
    counts.set(key, (counts.get(key) ?? 0) + 1);
  };
  for (let number = 0; number < people; number++) {
    const { firstName, middleName, lastName, otherNames, department, yearGraduated } = personAt(institution, number);
    add(firstName, lastName);
    add(firstName, middleName, lastName);
    add(firstName, lastName, department);
    add(firstName, lastName, String(yearGraduated));
    if (otherNames !== '') add(firstName, otherNames);
  }
  return (...names) => counts.get(names.join('|')) ?? 0;
}

const fewest = 3;

/** First and last name, and the middle one where those two are not enough. */
function namesOf({ firstName, middleName, lastName }: SyntheticPerson, namesakes: Namesakes): string[] | null {
  if (namesakes(firstName, lastName) <= fewest) return [firstName, lastName];
  return namesakes(firstName, middleName, lastName) <= fewest ? [firstName, middleName, lastName] : null;
}

/** As on a phone: without marks, mostly without capitals. */
const typed = (random: Random, words: readonly string[]) =>
  words.map((word) => (random.chance(0.8) ? fold(word) : word)).join(' ');

/** One word of those that are long enough, spoiled; null when there is none, or when it came out as it was. */
function spoilt(
  random: Random,
  names: readonly string[] | null,
  from: number,
  spoil: (random: Random, word: string) => string | null,
): string | null {
  const words = names?.map(fold) ?? [];
  const places = words.flatMap((word, place) => (word.length >= from && !word.includes(' ') ? [place] : []));
  if (places.length === 0) return null;
  const place = random.pick(places);
  const word = words[place] ?? '';
  const wrong = spoil(random, word);
  return wrong === null || wrong === word ? null : words.with(place, wrong).join(' ');
}

const ask: Record<Kind, (random: Random, person: SyntheticPerson, namesakes: Namesakes) => string | null> = {
  exact: (random, person, namesakes) => {
    const names = namesOf(person, namesakes);
    return names && typed(random, names);
  },
  'turned round': (random, person, namesakes) => {
    const names = namesOf(person, namesakes);
    return names && typed(random, names.toReversed());
  },
  'being typed': (random, person, namesakes) => {
    const names = namesOf(person, namesakes)?.map(fold);
    const last = names?.at(-1) ?? '';
    // Enough of it to be one of few.
    return names && last.length > 5
      ? [...names.slice(0, -1), last.slice(0, random.whole(5, last.length - 1))].join(' ')
      : null;
  },
  'one typo': (random, person, namesakes) => spoilt(random, namesOf(person, namesakes), 4, typo),
  'two typos in a long word': (random, person, namesakes) =>
    spoilt(random, namesOf(person, namesakes), 8, (chance, word) => typo(chance, typo(chance, word))),
  'sound-alike': (random, person, namesakes) => spoilt(random, namesOf(person, namesakes), 4, misheard),
  'other name': (random, { firstName, otherNames }, namesakes) =>
    otherNames !== '' && namesakes(firstName, otherNames) <= fewest ? typed(random, [firstName, otherNames]) : null,
  'with department': (random, { firstName, lastName, department }, namesakes) =>
    namesakes(firstName, lastName, department) <= fewest ? typed(random, [firstName, lastName, department]) : null,
  'with year': (random, { firstName, lastName, yearGraduated }, namesakes) =>
    namesakes(firstName, lastName, String(yearGraduated)) <= fewest
      ? typed(random, [firstName, lastName, String(yearGraduated)])
      : null,
  'matric number': (_, { matricNumber }) => matricNumber,
};

const letters = 'abcdefghijklmnopqrstuvwxyz';

/** A letter too much, one too few, a wrong one, or two in the wrong order; the first one people get right. */
function typo(random: Random, word: string): string {
  const at = random.whole(1, word.length - 1);
  const letter = letters[random.whole(0, letters.length - 1)] ?? '';
  const before = word.slice(0, at);
  switch (random.whole(0, 3)) {
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

/** How names are written by whoever has only heard them. */
const mishearings: readonly [RegExp, string][] = [
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

function misheard(random: Random, word: string): string | null {
  const fitting = mishearings.filter(([pattern]) => pattern.test(word));
  if (fitting.length === 0) return null;
  const [pattern, written] = random.pick(fitting);
  return word.replace(pattern, written);
}
