import { fold } from '../search/folding.ts';
import { compareSpelling, editDistance, toPhoneticKey } from '../search/spelling.ts';
import type { ClaimInput, RosterEntry } from './claim-input.ts';
import type { Frequencies } from './frequencies.ts';
import { toMatricKey } from './matric-key.ts';
import { nameWords } from './name-words.ts';
import { isShortened } from './short-forms.ts';

/*
 * Orders the entries that a claim may refer to, by the record linkage model of Fellegi and Sunter (1969). Each compared
 * field has a level, and each level a weight in bits, log2(m / u): `m` is the probability of the level if the claim is
 * true, `u` if the entry is of another person.
 * The `m` below are estimates for true claimants (`bench/claims.ts`), the `u` come from the roster itself
 * (`frequencies.ts`).
 *
 * A score confirms no one: what guests see is enough for a high one. Evidence does. Neither file imports the other.
 */

interface RankedCandidate {
  readonly entry: RosterEntry;
  /** Sum of the weights, in bits. Higher is more similar. */
  readonly bits: number;
  readonly levels: Levels;
}

export interface Levels {
  readonly matricNumber: 'same' | 'one edit' | 'different' | 'missing';
  readonly birthDate: 'same' | 'day and month swapped' | 'year differs' | 'same year' | 'different' | 'missing';
  readonly lastName: NameLevel;
  readonly firstName: NameLevel;
  readonly otherNames: NameLevel;
  readonly gender: 'same' | 'different' | 'missing';
  readonly department: 'same' | 'different' | 'missing';
  readonly year: 'same' | '1 year off' | 'up to 3 years off' | 'different' | 'missing';
}

type NameLevel = 'same' | 'alike' | 'short form' | 'different' | 'missing';

type Compared<Level> = readonly [level: Level, bits: number];

/** Bounds of the weight of one field, in bits. They prevent a single field from deciding. */
const [minBits, maxBits] = [-8, 20];

const weigh = (m: number, u: number): number => Math.min(Math.max(Math.log2(m / Math.min(u, 1)), minBits), maxBits);

const missing = ['missing', 0] as const;

/** Orders entries by how well they match a claim, best first. The order helps staff. It is not evidence. */
export function rankCandidates(
  claim: ClaimInput,
  entries: readonly RosterEntry[],
  frequencies: Frequencies,
): RankedCandidate[] {
  const compare = createComparison(claim, frequencies);
  return entries.map((entry) => compare(entry)).toSorted((a, b) => b.bits - a.bits || a.entry.id - b.entry.id);
}

function createComparison(claim: ClaimInput, frequencies: Frequencies): (entry: RosterEntry) => RankedCandidate {
  const matricKey = toMatricKey(claim.matricNumber);
  const words = [...nameWords(claim.lastName), ...nameWords(claim.firstName), ...nameWords(claim.otherNames)];
  return (entry) => {
    const compared = {
      matricNumber: compareMatricKeys(matricKey, entry.matricKey, frequencies),
      birthDate: compareBirthDates(claim.dob, entry.birthDate, frequencies),
      lastName: compareNames(words, entry.lastName, lastNameChances, frequencies),
      firstName: compareNames(words, entry.firstName, firstNameChances, frequencies),
      otherNames: compareNames(words, entry.otherNames, otherNameChances, frequencies),
      gender: compareGenders(claim.gender, entry.gender),
      department: compareDepartments(claim.department, entry.department, frequencies),
      year: compareYears(claim, entry, frequencies),
    };
    return {
      entry,
      bits: Object.values(compared).reduce((sum, [, bits]) => sum + bits, 0),
      levels: Object.fromEntries(
        Object.entries(compared).map(([field, [level]]) => [field, level]),
      ) as unknown as Levels,
    };
  };
}

/** Estimated number of entries whose matric number is one edit away from a random one: the neighbours in its year. */
const matricNeighbours = 60;

function compareMatricKeys(typed: string, key: string, { entries }: Frequencies): Compared<Levels['matricNumber']> {
  if (typed === '' || key === '') return missing;
  if (typed === key) return ['same', weigh(0.92, 1 / entries)];
  if (editDistance(typed, key, 1) === 1) return ['one edit', weigh(0.06, matricNeighbours / entries)];
  return ['different', weigh(0.02, 1)];
}

function compareBirthDates(
  typed: string,
  date: string | null,
  { shareOf }: Frequencies,
): Compared<Levels['birthDate']> {
  if (typed === '' || date === null) return missing;
  const share = shareOf('birth-date', typed);
  if (typed === date) return ['same', weigh(0.85, share)];
  const [year = '', month, day] = date.split('-');
  if (typed === `${year}-${day}-${month}`) return ['day and month swapped', weigh(0.01, share)];
  const years = Math.abs(Number(typed.slice(0, 4)) - Number(year));
  if (years <= 2 && years > 0 && typed.slice(5) === date.slice(5)) return ['year differs', weigh(0.03, 4 * share)];
  // Includes entries on 1 January, which registrars enter when they know only the year.
  if (years === 0) return ['same year', weigh(0.08, shareOf('birth-year', year))];
  return ['different', weigh(0.03, 1)];
}

type NameChances = Readonly<Record<Exclude<NameLevel, 'missing'>, number>>;

/** The `m` of each level. A last name differs after a marriage; other names are often left out. */
const lastNameChances: NameChances = { same: 0.8, alike: 0.08, 'short form': 0.02, different: 0.1 };
const firstNameChances: NameChances = { same: 0.72, alike: 0.1, 'short form': 0.15, different: 0.03 };
const otherNameChances: NameChances = { same: 0.55, alike: 0.06, 'short form': 0.09, different: 0.3 };

/**
 * Compares a name of an entry with all words of the claim, so that neither their order nor a change of name matters.
 */
function compareNames(
  words: readonly string[],
  name: string,
  chances: NameChances,
  frequencies: Frequencies,
): Compared<NameLevel> {
  const names = nameWords(name);
  if (names.length === 0 || words.length === 0) return missing;
  let best: Compared<NameLevel> = ['different', weigh(chances.different, 1)];
  for (const word of words) {
    for (const name of names) {
      const [level, u] = compareWords(word, name, words.length, frequencies);
      if (level === 'different') continue;
      const bits = weigh(chances[level], u);
      if (bits > best[1]) best = [level, bits];
    }
  }
  return best;
}

function compareWords(
  typed: string,
  name: string,
  words: number,
  { shareOf }: Frequencies,
): Compared<Exclude<NameLevel, 'missing'>> {
  const spelling = compareSpelling(typed, name);
  if (spelling === 'same') return [typed.length > 1 ? 'same' : 'short form', shareOf('word', typed)];
  // Several spellings are as similar as the one with the same sound.
  if (spelling !== null) return ['alike', 3 * shareOf('word', toPhoneticKey(typed))];
  if (!isShortened(typed, name)) return ['different', 1];
  return ['short form', words * (Math.min(typed.length, name.length) === 1 ? 0.06 : 0.01)];
}

function compareGenders(typed: string, gender: string | null): Compared<Levels['gender']> {
  if (typed === '' || gender === null) return missing;
  return fold(typed) === fold(gender) ? ['same', weigh(0.98, 0.5)] : ['different', weigh(0.02, 0.5)];
}

function compareDepartments(
  typed: string,
  department: string | null,
  { shareOf }: Frequencies,
): Compared<Levels['department']> {
  if (typed === '' || department === null) return missing;
  return fold(typed) === fold(department)
    ? ['same', weigh(0.92, shareOf('department', typed))]
    : ['different', weigh(0.08, 1)];
}

function compareYears(claim: ClaimInput, entry: RosterEntry, { shareOf }: Frequencies): Compared<Levels['year']> {
  const [typed, year] =
    claim.yearGraduated && entry.yearGraduated
      ? [claim.yearGraduated, entry.yearGraduated]
      : [claim.yearAdmitted, entry.yearAdmitted];
  if (!typed || !year) return missing;
  const share = shareOf('year', String(typed));
  const distance = Math.abs(typed - year);
  if (distance === 0) return ['same', weigh(0.82, share)];
  if (distance === 1) return ['1 year off', weigh(0.1, 2 * share)];
  if (distance <= 3) return ['up to 3 years off', weigh(0.05, 4 * share)];
  return ['different', weigh(0.03, 1)];
}
