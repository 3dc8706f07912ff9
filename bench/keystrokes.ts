import type { Institution } from '#contract/institution.ts';
import { fold } from '#server/domain/search/folding.ts';
import { createRandom, type Random } from '#server/seed/random.ts';
import { commonSurnames, createPerson } from './people.ts';

/*
 * Searches as people type them: names letter by letter, with mistyped letters that are deleted again. Half of the names
 * have one of the commonest surnames.
 */

export interface Keystroke {
  readonly text: string;
  readonly letters: number;
}

const typosPerLetter = 0.04;
const alphabet = 'abcdefghijklmnopqrstuvwxyz';

export function createKeystrokes(institution: Institution, people: number, typists: number): Keystroke[] {
  const random = createRandom(11);
  const common = new Set(commonSurnames);
  const pickPerson = (isCommon: boolean) => {
    for (;;) {
      const person = createPerson(institution, random.integer(0, people - 1));
      if (common.has(person.lastName) === isCommon) return person;
    }
  };
  return Array.from({ length: typists }, (_, typist) => {
    const isCommon = typist % 2 === 0;
    const { firstName, lastName } = pickPerson(isCommon);
    const names = random.pick([[lastName], [firstName], [firstName, lastName], [lastName, firstName]]);
    return typeText(random, names.map(fold).join(' ')).map((text) => ({
      text,
      letters: text.length - text.lastIndexOf(' ') - 1,
    }));
  }).flat();
}

/** Returns the states of a search field while a text is typed. A space at the end starts no search. */
function typeText(random: Random, text: string): string[] {
  const states: string[] = [];
  for (let length = 1; length <= text.length; length++) {
    const typed = text.slice(0, length);
    if (typed.endsWith(' ')) continue;
    // After a mistyped letter, the search field has the text before it again.
    if (random.chance(typosPerLetter)) states.push(typed.slice(0, -1) + random.pick([...alphabet]), typed.slice(0, -1));
    states.push(typed);
  }
  return states.map((state) => state.trim()).filter((state) => state !== '');
}
