import { fieldLengths } from '#contract/field-lengths.ts';
import type { Match } from '#contract/search.ts';
import { fold, joinedParts, searchWords } from '../../domain/folding.ts';
import { type SpellingMatch, compareSpelling } from '../../domain/spelling.ts';
import { maxSortNameCodePoints } from '../../domain/visibility.ts';

/*
 * Ranks the people that a search found, in pure functions. Each search term takes the best word of the person that no other term has
 * taken.
 */

/** The fields of a person that search terms are compared with. */
export interface RankedRow {
  readonly sort_name: string;
  readonly name: string;
  readonly other_names: string | null;
  readonly department: string | null;
  readonly college: string | null;
  readonly year_graduated: number | null;
  readonly matric_number: string | null;
}

type Field = Match['field'];

/** A folded word of a field. */
interface Word {
  readonly field: Field;
  readonly word: string;
}

/** A word with its position in the text. */
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

/** Fields whose words may be misspelled. */
const fuzzyFields = new Set<Field>(['name', 'otherNames', 'department', 'college']);

const matchScores: Record<SpellingMatch, number> = { same: 100, sound: 55, 'one edit': 60, 'two edits': 35 };

/** Returns the words of a text with their positions. A part that folds to several words is marked as a whole. */
function tokenize(field: Field, text: string): Token[] {
  const tokens = [...text.matchAll(/[^\s\-–,;/()]+/gu)].flatMap(({ 0: piece, index }) =>
    searchWords(piece).map((word): Token => ({ field, word, from: index, to: index + piece.length })),
  );
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

/** Cache of folded texts, because many people share the same department. */
const foldedTexts = new Map<string, string[]>();
const maxFoldedTexts = 2_000;

function splitWords(text: string): string[] {
  const known = foldedTexts.get(text);
  if (known) return known;
  const words = searchWords(text);
  if (foldedTexts.size >= maxFoldedTexts) foldedTexts.clear();
  foldedTexts.set(text, words);
  return words;
}

/** Returns the words of a person. The sort name contains the folded words of the name, unless it was cut. */
function listWords(row: RankedRow): Word[] {
  const names = row.sort_name.length < maxSortNameCodePoints ? row.sort_name.split(' ') : searchWords(row.name);
  const words: Word[] = names.map((word) => ({ field: 'name', word }));
  for (const [field, text] of listTexts(row)) {
    if (field === 'name') continue;
    const parts = splitWords(text);
    for (const word of field === 'matricNumber' ? [...joinedParts(parts), ...parts] : parts)
      words.push({ field, word });
  }
  return words;
}

interface WordMatch<Known extends Word> {
  readonly token: Known;
  readonly merit: number;
  /** Number of letters of the token that the term covers; all letters if the term is misspelled. */
  readonly letters: number;
}

function compareWords<Known extends Word>(term: string, token: Known): WordMatch<Known> | null {
  const { word, field } = token;
  const weigh = (merit: number, letters = word.length): WordMatch<Known> => ({
    token,
    merit: merit * weights[field],
    letters,
  });
  if (word === term) return weigh(matchScores.same);
  if (word.startsWith(term)) return weigh(65 + (25 * term.length) / word.length, term.length);
  const near = fuzzyFields.has(field) ? compareSpelling(term, word) : null;
  return near && weigh(matchScores[near]);
}

/**
 * Returns the last token of a matric number that the card cuts off, otherwise null. The row was found by the full number, so a term
 * that matches nothing else is in the hidden rest.
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

/** Returns the best word of a person for each term, or null if a term matches nothing. */
function matchWords<Known extends Word>(
  row: RankedRow,
  tokens: readonly Known[],
  terms: readonly string[],
): WordMatch<Known>[] | null {
  const rest = findCutMatricNumber(tokens, row);
  const taken: WordMatch<Known>[] = [];
  // Longer terms first, because they match fewer words.
  for (const word of terms.toSorted((a, b) => b.length - a.length)) {
    let best: WordMatch<Known> | null = null;
    for (const token of tokens) {
      const pair = compareWords(word, token);
      if (!pair) continue;
      const isTaken = taken.some((other) => other.token === token);
      // A word can match two terms at a lower score: "ade adebayo" means one name as often as two.
      const merit = isTaken ? pair.merit / 3 : pair.merit;
      if (!best || merit > best.merit) best = { ...pair, merit };
    }
    const isMatricNumber = taken.filter(({ token }) => token.field === 'matricNumber').length > 1;
    if (!best && rest && (isMatricNumber || isSearchable(word)))
      best = { token: rest, merit: matchScores.same * weights.matricNumber, letters: rest.word.length };
    if (!best) return null;
    taken.push(best);
  }
  return taken;
}

/** Returns the fields that match the terms, with the positions of the matches. */
export function explain(row: RankedRow, terms: readonly string[]): Match[] {
  const texts = listTexts(row);
  const tokens = texts.flatMap(([field, text]) => tokenize(field, text));
  return listMatches(texts, matchWords(row, tokens, terms) ?? []);
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

/** Merges overlapping marks, since one word can match several terms. @param marks sorted by start */
function mergeOverlaps(marks: readonly [number, number][]): [number, number][] {
  const merged: [number, number][] = [];
  for (const [from, to] of marks) {
    const last = merged.at(-1);
    if (last && from < last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

/** Returns the position in the original text where the given number of folded letters ends. */
function findMarkEnd(text: string, { from, to, word }: Token, letters: number): number {
  if (letters >= word.length) return to;
  const piece = text.slice(from, to);
  for (const { index, segment } of graphemes.segment(piece)) {
    if (fold(piece.slice(0, index + segment.length)).replaceAll(' ', '').length >= letters)
      return from + index + segment.length;
  }
  return to;
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Returns the rows that match all terms, best first. Rows with equal scores are sorted by name. */
export function rank<Row extends RankedRow>(rows: readonly Row[], terms: readonly string[]): Row[] {
  return rows
    .flatMap((row) => {
      const words = listWords(row);
      const taken = matchWords(row, words, terms);
      if (!taken) return [];
      const names = words.filter(({ field }) => field === 'name').length;
      // Among equal matches, the person with fewer names is first.
      return [{ row, score: taken.reduce((sum, { merit }) => sum + merit, 0) - names / 10 }];
    })
    .toSorted((a, b) => b.score - a.score || (a.row.sort_name < b.row.sort_name ? -1 : 1))
    .map(({ row }) => row);
}
