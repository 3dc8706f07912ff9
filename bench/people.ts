import type { Institution } from '#contract/institution.ts';
import { femaleNames, maleNames } from '#server/seed/words.ts';
import { type InventedPerson, inventPerson } from '#server/seed/invent.ts';
import { createRandom, type Random } from '#server/seed/random.ts';

/*
 * Synthetic people of a large university. Each person is derived from a number, so no list of people has to fit in
 * memory. Name frequencies are skewed: thousands of people share a few names, and tens of thousands of names are rare.
 */

const lastGraduationYear = 2026;

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

export const surnameCount = beginnings.length * middles.length * endings.length;

/** Returns one of 39,000 surnames, combined from a beginning, an optional middle, and an ending. */
export function createSurname(number: number): string {
  const ending = endings[number % endings.length] ?? '';
  const beginning = beginnings[Math.floor(number / endings.length) % beginnings.length] ?? '';
  const middle = middles[Math.floor(number / endings.length / beginnings.length) % middles.length] ?? '';
  return beginning + middle + ending;
}

/** The commonest surnames. A third of the people have one of them, the first ones more often than the last ones. */
export const commonSurnames = (
  'Adébáyọ̀ Ibrahim Okafọr Adéyẹmí Mohammed Eze Bello Ọládélé Abubakar Ọláníyan Okeke Àjàyí Musa Nwosu Adélékè ' +
  'Yusuf Chukwu Lawal Obi Ògúnlésì'
).split(' ');

/** Returns a random index below `count`, with small indexes more likely. */
const pickSkewed = (random: Random, count: number, skew: number) => Math.floor(count * random.next() ** skew);

export interface SyntheticPerson extends InventedPerson {
  readonly number: number;
  readonly otherNames: string;
}

export function createPerson(institution: Institution, number: number): SyntheticPerson {
  const random = createRandom(Math.imul(number + 1, 0x9e3779b1));
  // The first random values of similar seeds are similar, so skip one.
  random.next();
  const gender = random.chance(0.5) ? 'female' : 'male';
  const common = gender === 'female' ? femaleNames : maleNames;
  const pickCommon = (names: readonly string[]) => names[pickSkewed(random, names.length, 1.5)] ?? '';
  const given = () => (random.chance(0.7) ? pickCommon(common) : createSurname(pickSkewed(random, 3_000, 1.5) * 13));
  const firstName = given();
  const lastName = random.chance(1 / 3)
    ? pickCommon(commonSurnames)
    : createSurname(pickSkewed(random, surnameCount, 2.5));
  const person = inventPerson(random, institution, lastGraduationYear, { gender, firstName, lastName });
  const otherNames = random.chance(0.1) ? createSurname(pickSkewed(random, surnameCount, 2)) : '';
  return {
    ...person,
    middleName: given(),
    // 15 characters with the number, so that matric numbers are unique.
    matricNumber: `${person.matricNumber.slice(0, 8)}${String(number).padStart(7, '0')}`,
    otherNames,
    number,
  };
}

export const createPersonId = (number: number): string =>
  `5eed0000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;
