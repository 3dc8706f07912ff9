import { fold } from '../../search/folding.ts';
import { departmentAliases } from './department-aliases.ts';

const smallWords = new Set(['and', 'of', 'in', 'the', 'for', 'dept', 'department']);

const wordsOf = (name: string): string[] => {
  const words = fold(name).split(' ');
  return words.filter((word) => !smallWords.has(word));
};

type Finder = (letters: string, departments: readonly string[]) => readonly string[];

const byWords =
  (matches: (letters: string, words: readonly string[]) => boolean): Finder =>
  (letters, departments) =>
    departments.filter((department) => matches(letters, wordsOf(department)));

const finders: readonly Finder[] = [
  findByAlias,
  // Geo
  byWords((letters, words) => words.join('').startsWith(letters)),
  // LIS, Comp Sci
  byWords(isOfBeginnings),
  // Educ Mgt
  byWords((letters, words) => hasLettersInOrder(words.join(''), letters)),
];

function isOfBeginnings(text: string, [word, ...others]: readonly string[]): boolean {
  if (word === undefined) return text === '';
  const beginnings = [...word].map((_, at) => word.slice(0, at + 1));
  return beginnings.some((part) => text.startsWith(part) && isOfBeginnings(text.slice(part.length), others));
}

function hasLettersInOrder(word: string, letters: string): boolean {
  let at = -1;
  return [...letters].every((letter, index) => {
    at = word.indexOf(letter, at + 1);
    return index === 0 ? at === 0 : at > 0;
  });
}

function findByAlias(alias: string, departments: readonly string[]): readonly string[] {
  const names = departmentAliases
    .filter(([, aliases]) => aliases.split(' ').includes(alias))
    .flatMap(([names]) => names.map((name) => wordsOf(name).join(' ')));
  const exact = departments.filter((department) => names.includes(wordsOf(department).join(' ')));
  if (exact.length > 0) return exact;
  return departments.filter((department) => names.some((name) => wordsOf(department).join(' ').startsWith(`${name} `)));
}

export function suggestDepartment(text: string, departments: readonly string[]): string | undefined {
  const letters = wordsOf(text).join('');
  if (letters.length < 2) return undefined;
  for (const find of finders) {
    const found = find(letters, departments);
    if (found.length > 0) return found.length === 1 ? found[0] : undefined;
  }
  return undefined;
}
