import { fold } from '../search/folding.ts';
import { editDistance } from '../search/spelling.ts';

const legalForms = new Set('ltd limited plc inc llc llp corp corporation gmbh co company'.split(' '));

/** Folding makes a text up to 18 times longer, and PostgreSQL limits an index row to 2,704 bytes. */
const maxKeyCodePoints = 100;

/**
 * Returns the key that spellings of one employer share: "GT Bank Ltd." and "GTBank" have "gtbank". Only a blank name
 * has an empty key.
 */
export function toEmployerKey(name: string): string {
  const key = keyWords(name).join('') || name.normalize('NFKC').toLowerCase().replaceAll(/\s/gu, '');
  return [...key].slice(0, maxKeyCodePoints).join('');
}

function keyWords(name: string): string[] {
  const words = fold(name).split(' ');
  const kept = words[0] === 'the' ? words.slice(1) : [...words];
  while (legalForms.has(kept.at(-1) ?? '')) kept.pop();
  return kept.length > 0 ? kept : words;
}

export const minLettersForOneEdit = 5;

const maxProposals = 100;

const smallWords = new Set(['the', 'of', 'and', 'for', 'in']);

/**
 * Returns pairs of employers that are probably the same: their keys are one edit apart, or one key consists of the
 * initials of the other name. Never by a common beginning: Intel is not Intel 471.
 * @param employers the largest first
 * @returns as `one` the smaller of the two
 */
export function proposeMerges<Known extends { key: string; name: string }>(
  employers: readonly Known[],
): { one: Known; other: Known }[] {
  // Two keys one edit apart share a form, so few pairs are compared. A space marks initials.
  const largerByForm = new Map<string, (Compared & { one: Known })[]>();
  const proposals: { one: Known; other: Known }[] = [];
  for (const one of employers) {
    const { key } = one;
    const employer = { one, key, initials: toInitials(one.name) };
    const forms = [key, ...withoutOneLetter(key)];
    const larger = [...forms, ...employer.initials, `${key} `].flatMap((form) => largerByForm.get(form) ?? []);
    for (const form of new Set([...forms, ...employer.initials.map((initials) => `${initials} `)]))
      largerByForm.set(form, largerByForm.get(form)?.concat(employer) ?? [employer]);
    for (const other of new Set(larger)) if (areSimilar(employer, other)) proposals.push({ one, other: other.one });
    // Many members could invent names that are all similar, and hold up the server.
    if (proposals.length >= maxProposals) break;
  }
  return proposals;
}

interface Compared {
  key: string;
  initials: readonly string[];
}

const withoutOneLetter = (key: string): string[] => Array.from(key, (_, at) => key.slice(0, at) + key.slice(at + 1));

/** Returns initials with and without legal form and small words: NNPC has its "corporation", and CBN no "of". */
const toInitials = (name: string): string[] =>
  [fold(name).split(' '), keyWords(name)]
    .flatMap((words) => [words, words.filter((word) => !smallWords.has(word))])
    .map((words) => words.map((word) => word.charAt(0)).join(''))
    .filter((initials) => /^\p{L}{3,}$/u.test(initials));

const areSimilar = (a: Compared, b: Compared): boolean =>
  a.initials.includes(b.key) || b.initials.includes(a.key) || areOneEditApart(a.key, b.key);

/** Digits must be equal: Channel 4 is not Channel 5. */
export const areOneEditApart = (a: string, b: string): boolean =>
  Math.min(a.length, b.length) >= minLettersForOneEdit &&
  a.replaceAll(/\P{N}/gu, '') === b.replaceAll(/\P{N}/gu, '') &&
  editDistance(a, b, 1) === 1;
