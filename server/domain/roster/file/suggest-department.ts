import { fold } from '../../search/folding.ts';

const smallWords = new Set(['and', 'of', 'in', 'the', 'for', 'dept', 'department']);

const wordsOf = (name: string): string[] => {
  const words = fold(name).split(' ');
  return words.filter((word) => !smallWords.has(word));
};

const rules: readonly ((text: string, words: readonly string[]) => boolean)[] = [
  // Geo
  (text, words) => words.join('').startsWith(text),
  // EEE, CSC, Comp Sci
  isOfBeginnings,
  // MTH, Maths, Educ Mgt
  (text, words) => hasLettersInOrder(words.join(''), text),
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

export function suggestDepartment(text: string, departments: readonly string[]): string | undefined {
  const letters = wordsOf(text).join('');
  if (letters.length < 2) return undefined;
  for (const rule of rules) {
    const found = departments.filter((department) => rule(letters, wordsOf(department)));
    if (found.length > 0) return found.length === 1 ? found[0] : undefined;
  }
  return undefined;
}
