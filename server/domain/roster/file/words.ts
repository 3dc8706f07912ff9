import { earliestYear } from '#contract/filter-limits.ts';
import { splitDate } from './dates.ts';

const normalize = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');

const toLookUp = <Value>(lists: readonly (readonly [Value, string])[]): ReadonlyMap<string, Value> =>
  new Map(lists.flatMap(([value, words]) => words.split(' ').map((word) => [word, value] as const)));

const genders = toLookUp([
  ['male', 'm male man boy mr'],
  ['female', 'f female woman girl mrs miss ms'],
] as const);

const statuses = toLookUp([
  ['student', 'student active current enrolled undergraduate postgraduate registered inschool as'],
  ['graduate', 'graduate graduated alumnus alumna alumni completed graduand passedout cm ga'],
  [
    'left',
    'left withdrawn withdrew withdraw droppedout dropout dropped expelled rusticated transferred tobedeleted discontinued',
  ],
  ['deceased', 'deceased dead late died'],
] as const);

const flags = toLookUp([
  [true, 'y yes true t 1 x confidential deceased dead late died'],
  [false, 'n no false f 0 alive living none'],
] as const);

export const readGender = (text: string): 'male' | 'female' | null => genders.get(normalize(text)) ?? null;

export const readStatus = (text: string): 'student' | 'graduate' | 'left' | 'deceased' | null =>
  statuses.get(normalize(text)) ?? null;

export const readFlag = (text: string): boolean | null => flags.get(normalize(text)) ?? null;

/**
 * Reads a year: `2009`, the year of a date, or an academic session (`2009/10`, `1999/2000`), which must be of two
 * consecutive years.
 * @param part which year of a session: people are admitted in its first and graduate in its last
 * @returns null if the text is no year between 1900 and `latestYear`
 */
export function readYear(typed: string, part: 'first' | 'last', latestYear: number): number | null {
  const text = typed
    .replace(/^(?:class of|session|set)\s+/iu, '')
    .replace(/(?:\.0|\s+(?:session|set|academic session))$/iu, '');
  const year = readPlainYear(text) ?? readSession(text, part) ?? readYearOfDate(text);
  return year !== null && year >= earliestYear && year <= latestYear ? year : null;
}

const readPlainYear = (text: string): number | null => (/^\d{4}$/u.test(text) ? Number(text) : null);

function readSession(text: string, part: 'first' | 'last'): number | null {
  const match = /^(\d{4})\s*[-/–]\s*(\d{4}|\d{2})$/u.exec(text);
  if (!match) return null;
  const first = Number(match[1]);
  const isConsecutive = match[2] === String(first + 1) || match[2] === String(first + 1).slice(2);
  return isConsecutive ? (part === 'first' ? first : first + 1) : null;
}

function readYearOfDate(text: string): number | null {
  const date = splitDate(text, 1900);
  // Five digits alone are more likely a mistake than the serial number of a date.
  return date && date !== 'blank' && !date.hasShortYear && !/^\d{5}/u.test(text) ? date.year : null;
}
