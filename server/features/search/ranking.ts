import { fieldLengths } from '#contract/field-lengths.ts';
import type { Match } from '#contract/search.ts';
import { fold, joinedParts, searchWords } from '#server/domain/search/folding.ts';
import { type SpellingMatch, compareSpelling } from '#server/domain/search/spelling.ts';
import { maxSortNameCodePoints } from '#server/domain/people/visibility.ts';

/*
 * Ranks the people that a search found, in pure functions. Each search term takes the best word of the person that no
 * other term has taken.
 */

export interface RankedRow {
  readonly sort_name: string;
  readonly given_sort_name: string;
  readonly name: string;
  readonly other_names: string | null;
  readonly department: string | null;
  readonly college: string | null;
  readonly year_graduated: number | null;
  readonly matric_number: string | null;
}

type Field = Match['field'];

interface Word {
  readonly field: Field;
  readonly word: string;
}

interface Token extends Word {
  readonly from: number;
  readonly to: number;
}

/** A match in a name counts more than one in a department that thousands share. */
const weights: Record<Field, number> = {
  name: 1,
  otherNames: 0.95,
  matricNumber: 1,
  yearGraduated: 0.5,
  college: 0.4,
  department: 0.4,
};

const fuzzyFields = new Set<Field>(['name', 'otherNames', 'department', 'college']);

const matchScores: Record<SpellingMatch, number> = { same: 100, sound: 55, 'one edit': 60, 'two edits': 35 };

const foldedPieces = new Map<string, string[]>();
const maxFoldedPieces = 5_000;

function foldPiece(piece: string): string[] {
  // Most pieces only change their case, and would displace the others from the cache.
  if (/^[A-Za-z\d]{1,60}$/u.test(piece)) return [piece.toLowerCase()];
  const known = foldedPieces.get(piece);
  if (known) return known;
  const words = searchWords(piece);
  if (foldedPieces.size >= maxFoldedPieces) foldedPieces.clear();
  foldedPieces.set(piece, words);
  return words;
}

const sharedTokens = new Map<string, readonly Token[]>();
const maxSharedTexts = 1_000;

function tokenize(field: Field, text: string): readonly Token[] {
  if (field !== 'department' && field !== 'college') return createTokens(field, text);
  const key = `${field} ${text}`;
  const known = sharedTokens.get(key);
  if (known) return known;
  const tokens = createTokens(field, text);
  if (sharedTokens.size >= maxSharedTexts) sharedTokens.clear();
  sharedTokens.set(key, tokens);
  return tokens;
}

function createTokens(field: Field, text: string): Token[] {
  const tokens: Token[] = [];
  for (const { 0: piece, index } of text.matchAll(/[^\s\-–,;/()]+/gu))
    for (const word of foldPiece(piece)) tokens.push({ field, word, from: index, to: index + piece.length });
  if (field !== 'matricNumber') return tokens;
  const joined = joinedParts(tokens.map(({ word }) => word));
  const to = tokens.at(-1)?.to ?? 0;
  return [...joined.map((word, at): Token => ({ field, word, from: tokens[at]?.from ?? 0, to })), ...tokens];
}

const listTexts = (row: RankedRow): [Field, string][] =>
  (
    [
      ['name', row.name],
      ['otherNames', row.other_names],
      ['department', row.department],
      ['college', row.college],
      ['yearGraduated', row.year_graduated === null ? null : String(row.year_graduated)],
      ['matricNumber', row.matric_number],
    ] as const
  ).flatMap(([field, text]) => (text === null ? [] : [[field, text] as [Field, string]]));

/** Returns the words of a person. The sort name contains the folded words of the name, unless it was cut. */
function listWords(row: RankedRow): Word[] {
  const names = row.sort_name.length < maxSortNameCodePoints ? row.sort_name.split(' ') : searchWords(row.name);
  return [
    ...names.map((word): Word => ({ field: 'name', word })),
    ...listTexts(row).flatMap(([field, text]): Word[] => (field === 'name' ? [] : [...tokenize(field, text)])),
  ];
}

interface WordMatch<Known extends Word> {
  readonly token: Known;
  readonly merit: number;
  /** Number of letters of the token that the term covers; all letters if the term is misspelled. */
  readonly letters: number;
  readonly isMisspelled: boolean;
}

type Compare = <Known extends Word>(term: string, token: Known) => WordMatch<Known> | null;

const comparePrefix: Compare = (term, token) => {
  const { word, field } = token;
  if (!word.startsWith(term)) return null;
  const merit = word === term ? matchScores.same : 65 + (25 * term.length) / word.length;
  return { token, merit: merit * weights[field], letters: term.length, isMisspelled: false };
};

const compareMisspelling: Compare = (term, token) => {
  const { word, field } = token;
  const match = fuzzyFields.has(field) ? compareSpelling(term, word) : null;
  return match && { token, merit: matchScores[match] * weights[field], letters: word.length, isMisspelled: true };
};

/**
 * Returns the last token of a matric number that the card cuts off, otherwise null. The row was found by the full
 * number, so a term that matches nothing else is in the hidden rest.
 */
function findCutMatricNumber<Known extends Word>(
  tokens: readonly Known[],
  { matric_number: shown }: RankedRow,
): Known | null {
  const isCut = shown !== null && [...shown].length >= fieldLengths.matricNumberShown;
  return isCut ? (tokens.findLast(({ field }) => field === 'matricNumber') ?? null) : null;
}

/**
 * Returns whether the query searched for a term. Single letters are not searched for, so they match a hidden rest only
 * beside other parts of it.
 */
const isSearchable = (word: string) => word.length > 1 || /\d/u.test(word);

function findBest<Known extends Word>(
  term: string,
  tokens: readonly Known[],
  taken: readonly WordMatch<Known>[],
  compare: Compare,
): WordMatch<Known> | null {
  let best: WordMatch<Known> | null = null;
  for (const token of tokens) {
    const match = compare(term, token);
    if (!match) continue;
    const isTaken = taken.some((other) => other.token === token);
    // A word can match two terms at a lower score: "ade adebayo" means one name as often as two.
    const merit = isTaken ? match.merit / 3 : match.merit;
    if (!best || merit > best.merit) best = { ...match, merit };
  }
  return best;
}

function matchWords<Known extends Word>(
  row: RankedRow,
  tokens: readonly Known[],
  terms: readonly string[],
): WordMatch<Known>[] | null {
  const rest = findCutMatricNumber(tokens, row);
  const taken: WordMatch<Known>[] = [];
  // Longer terms first, because they match fewer words.
  for (const word of terms.toSorted((a, b) => b.length - a.length)) {
    let best = findBest(word, tokens, taken, comparePrefix) ?? findBest(word, tokens, taken, compareMisspelling);
    const isMatricNumber = taken.filter(({ token }) => token.field === 'matricNumber').length > 1;
    if (!best && rest && (isMatricNumber || isSearchable(word)))
      best = {
        token: rest,
        merit: matchScores.same * weights.matricNumber,
        letters: rest.word.length,
        isMisspelled: false,
      };
    if (!best) return null;
    taken.push(best);
  }
  return taken;
}

export function explain(row: RankedRow, terms: readonly string[]): Match[] {
  const texts = listTexts(row);
  const tokens = texts.flatMap(([field, text]) => tokenize(field, text));
  // A term can be the beginning of several names. Marks them all, because any of them can be the reason for the rank.
  const names = tokens.filter(({ field }) => field === 'name');
  const inNames = terms.flatMap((term) => names.flatMap((token) => comparePrefix(term, token) ?? []));
  return listMatches(texts, [...(matchWords(row, tokens, terms) ?? []), ...inNames]);
}

function listMatches(texts: readonly [Field, string][], taken: readonly WordMatch<Token>[]): Match[] {
  return texts.flatMap(([field, text]) => {
    const marks = taken
      .filter(({ token }) => token.field === field)
      .map(({ token, letters }): [number, number] => [token.from, findMarkEnd(text, token, letters)])
      .toSorted(([a], [b]) => a - b);
    return marks.length > 0 ? [{ field, text, marks: mergeOverlaps(marks) }] : [];
  });
}

/** @param marks sorted by start */
function mergeOverlaps(marks: readonly [number, number][]): [number, number][] {
  const merged: [number, number][] = [];
  for (const [from, to] of marks) {
    const last = merged.at(-1);
    if (last && from < last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

function findMarkEnd(text: string, { from, to, word }: Token, letters: number): number {
  if (letters >= word.length) return to;
  let end = from;
  let count = 0;
  for (const character of text.slice(from, to)) {
    if (count >= letters && !/^\p{M}$/u.test(character)) return end;
    count += countLetters(character);
    end += character.length;
  }
  return to;
}

/** Cache of the number of letters that a character folds to; 0 for diacritics and punctuation. */
const letterCounts = new Map<string, number>();
const maxLetterCounts = 2_000;

function countLetters(character: string): number {
  const known = letterCounts.get(character);
  if (known !== undefined) return known;
  const count = fold(character).replaceAll(' ', '').length;
  if (letterCounts.size >= maxLetterCounts) letterCounts.clear();
  letterCounts.set(character, count);
  return count;
}

function rankNamePrefix(
  { sort_name: bySurname, given_sort_name: byFirstName }: RankedRow,
  text: string,
): number | null {
  const isEqual = (name: string) => name === text || name.startsWith(`${text} `);
  const rank = [isEqual(bySurname), isEqual(byFirstName), bySurname.startsWith(text), byFirstName.startsWith(text)];
  return rank.includes(true) ? rank.indexOf(true) : null;
}

/**
 * Groups of results, best first: names that begin with the search text (0 to 3, see `findByNamePrefix`), other people
 * with all terms in their name, first those whose surname begins with one, people with terms in other fields, and people
 * found by a correction.
 */
const [surnameGroup, nameGroup, otherGroup, correctedGroup] = [4, 5, 6, 7];

interface Position {
  readonly group: number;
  readonly score: number;
  readonly name: string;
}

/** Returns the rows that match all terms, best first. `readMatches` sorts in the same order, except for corrections. */
export function rank<Row extends RankedRow>(rows: readonly Row[], terms: readonly string[]): Row[] {
  const text = terms.join(' ');
  return rows
    .flatMap((row) => {
      const position = findPosition(row, terms, text);
      return position ? [{ row, position }] : [];
    })
    .toSorted(({ position: a }, { position: b }) => comparePositions(a, b))
    .map(({ row }) => row);
}

function findPosition(row: RankedRow, terms: readonly string[], text: string): Position | null {
  const group = rankNamePrefix(row, text);
  if (group !== null) return { group, score: 0, name: group % 2 === 0 ? row.sort_name : row.given_sort_name };
  const words = listWords(row);
  const names = words.filter(({ field }) => field === 'name');
  const name = row.sort_name;
  if (terms.every((term) => names.some(({ word }) => word.startsWith(term))))
    return { group: terms.some((term) => name.startsWith(term)) ? surnameGroup : nameGroup, score: 0, name };
  const taken = matchWords(row, words, terms);
  if (!taken) return null;
  if (taken.every(({ isMisspelled }) => !isMisspelled)) return { group: otherGroup, score: 0, name };
  // Among equal matches, the person with fewer names is first.
  const score = taken.reduce((sum, { merit }) => sum + merit, 0) - names.length / 10;
  return { group: correctedGroup, score, name };
}

const comparePositions = (a: Position, b: Position): number =>
  a.group - b.group || b.score - a.score || (a.name < b.name ? -1 : Number(a.name > b.name));
