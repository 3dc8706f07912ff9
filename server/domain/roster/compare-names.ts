import { searchWords } from '../search/folding.ts';
import { compareSpelling } from '../search/spelling.ts';
import { type Names, nameWords } from './name-words.ts';
import { isShortened } from './short-forms.ts';

/**
 * How a name of an entry compares with the names of a claim, for staff: `FieldAgreement` in `contract/staff/claims.ts`.
 */
export type NameComparison = 'same' | 'part' | 'alike' | 'elsewhere' | 'short' | 'differs' | 'missing';

type NameComparisons = Readonly<Record<keyof Names, NameComparison>>;

const fields = ['lastName', 'firstName', 'otherNames'] as const satisfies readonly (keyof Names)[];

/**
 * Compares the names of a claim with those of an entry, each with the same field: staff see both side by side. Only an
 * equal name also counts in another field, because people swap names or list a former one. `matching.ts` compares all
 * names with all names instead, to order entries.
 */
export function compareNames(claim: Names, entry: Names): NameComparisons {
  const compare = (field: keyof Names): NameComparison => {
    const [typed, name] = [claim[field], entry[field]];
    const level = compareField(typed, name);
    if (level === 'same' || level === 'part' || level === 'alike' || searchWords(name).length === 0) return level;
    const others = fields.filter((other) => other !== field).map((other) => claim[other]);
    return others.some((other) => hasCommonName(other, name)) ? 'elsewhere' : level;
  };
  return { lastName: compare('lastName'), firstName: compare('firstName'), otherNames: compare('otherNames') };
}

function compareField(typed: string, name: string): Exclude<NameComparison, 'elsewhere'> {
  const [typedWords, words] = [nameWords(typed), nameWords(name)];
  if (typedWords.length === 0 || words.length === 0) return 'missing';
  if (typedWords.at(-1) === words.at(-1) || isSameSet(searchWords(typed), searchWords(name))) return 'same';
  if (hasCommonName(typed, name)) return 'part';
  const hasPair = (matches: (a: string, b: string) => boolean) =>
    typedWords.some((a) => words.some((b) => matches(a, b)));
  if (hasPair((a, b) => compareSpelling(a, b) !== null)) return 'alike';
  return hasPair(isShortened) ? 'short' : 'differs';
}

/**
 * Returns whether two names have a word in common, or are the same without spaces and hyphens. An initial is no name.
 */
const hasCommonName = (a: string, b: string): boolean =>
  nameWords(a).some((word) => word.length > 1 && nameWords(b).includes(word));

const isSameSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.toSorted().join(' ') === b.toSorted().join(' ');
