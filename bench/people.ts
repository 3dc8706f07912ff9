import type { Institution } from '#contract/institution.ts';
import { femaleNames, lastNames, maleNames } from '#server/seed/words.ts';
import { type InventedPerson, inventPerson } from '#server/seed/invent.ts';
import { createRandom, type Random } from '#server/seed/random.ts';

/*
 * People of a big university: as many as one likes, each of them made from their number alone, so that nobody has to be kept
 * in memory. Names are as skewed as names are: a few that thousands have, and tens of thousands that few have.
 */

/** The last year in which anybody has graduated. */
const lastYear = 2026;

const beginnings = (
  'Adé Akín Àlàbí Àyìn Awó Ayọ̀ Babá Bámi Dáda Ẹ̀gbẹ́ Ẹniọlá Fá Fákún Ìdówú Ìjí Ọdún Ògún Òjó Oké ' +
  'Ọlá Olú Olúwa Ọmọ́ Onà Òkú Oyè Ọ̀ṣún Ọ̀tún Ṣó Ṣàngó Táí Agu Ama Ana Anya Chi Chukwu Ebe Eke Eme ' +
  'Eze Ife Ihe Ike Madu Nna Nwa Obi Oke Oko Onye Udo Uche Ugo Uzo Abu Bala Dan Gar Gwan Kur Mai ' +
  'Tan Wak Yar'
).split(' ');
const middles = ['', 'dé', 'fẹ́', 'ká', 'lá', 'mí', 'rí', 'tó', 'wá', 'yẹ'];
const endings = (
  'bayọ̀ bíyì bọ̀dé bówálé dáre dayọ̀ délé dípọ̀ dòtun fẹ́mi gbénga gboyè jídé kẹ́mi kúnlé lékan ' +
  'lọlá mọ́lá níyì pọ̀jù ṣàánú ṣẹun ṣọlá tádé tọ́lá túndé wálé wùmí yẹmí yínká buike chi chukwu ' +
  'dike dili ebube emeka ezie ifeoma kenna kwe lechi mdi nenye nna nwa ogu rah uba wuike zie zoba ' +
  'bari daura gana jiya kudi rin tari zaria'
).split(' ');

export const surnames = beginnings.length * middles.length * endings.length;

/** One of 39,000 surnames; each takes a beginning, perhaps a middle, and an ending. */
export function surname(number: number): string {
  const ending = endings[number % endings.length] ?? '';
  const beginning = beginnings[Math.floor(number / endings.length) % beginnings.length] ?? '';
  const middle = middles[Math.floor(number / endings.length / beginnings.length) % middles.length] ?? '';
  return beginning + middle + ending;
}

/** The first ones are the likeliest, as with names. */
const skewed = (random: Random, count: number, skew: number) => Math.floor(count * random.next() ** skew);

export interface SyntheticPerson extends InventedPerson {
  readonly number: number;
  readonly otherNames: string;
}

/** Person `number`, always the same one. */
export function personAt(institution: Institution, number: number): SyntheticPerson {
  const random = createRandom(Math.imul(number + 1, 0x9e3779b1));
  // What comes first of a seed that differs in a few bits only is not chance yet.
  random.next();
  const gender = random.chance(0.5) ? 'female' : 'male';
  const common = gender === 'female' ? femaleNames : maleNames;
  const given = () => (random.chance(0.7) ? random.pick(common) : surname(skewed(random, 3_000, 1.5) * 13));
  const firstName = given();
  const lastName = random.chance(0.15) ? random.pick(lastNames) : surname(skewed(random, surnames, 2.5));
  const person = inventPerson(random, institution, lastYear, { gender, firstName, lastName });
  const otherNames = random.chance(0.1) ? surname(skewed(random, surnames, 2)) : '';
  return {
    ...person,
    middleName: given(),
    // Fifteen places, so that no two people have the same one.
    matricNumber: `${person.matricNumber.slice(0, 8)}${String(number).padStart(7, '0')}`,
    otherNames,
    number,
  };
}

/** The id of person `number`. */
export const idOf = (number: number): string => `5eed0000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;
