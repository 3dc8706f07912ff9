import { fieldLengths } from '#contract/field-lengths.ts';
import type { Match } from '#contract/search.ts';
import { fold, joinedParts, searchWords } from '../../domain/folding.ts';
import { type SpellingMatch, compareSpelling } from '../../domain/spelling.ts';
import { maxSortNameCodePoints } from '../../domain/visibility.ts';

/*
 * Who of those that were found is meant most likely, in pure functions: each typed word takes the best word of the person
 * that no other one has taken.
 */

/** What is compared of a person. */
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

/** A word of a field, folded. */
interface Word {
  readonly field: Field;
  readonly word: string;
}

/** A word with its place in the text. */
interface Token extends Word {
  readonly from: number;
  readonly to: number;
}

/** A name says more than a department that thousands share. */
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

const nearnessScores: Record<SpellingMatch, number> = { same: 100, sound: 55, 'one slip': 60, 'two slips': 35 };

/** The words of a text with their places; a piece that folds to several words is marked as a whole. */
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

/** Texts that many people share are folded once. */
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

/** The words of a person. Those of the name are in the sort name already folded, unless that was cut. */
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
  /** How many letters of the token were typed; all of them where it was misspelled. */
  readonly letters: number;
}

function compareWords<Known extends Word>(typed: string, token: Known): WordMatch<Known> | null {
  const { word, field } = token;
  const weigh = (merit: number, letters = word.length): WordMatch<Known> => ({
    token,
    merit: merit * weights[field],
    letters,
  });
  if (word === typed) return weigh(nearnessScores.same);
  if (word.startsWith(typed)) return weigh(65 + (25 * typed.length) / word.length, typed.length);
  const near = fuzzyFields.has(field) ? compareSpelling(typed, word) : null;
  return near && weigh(nearnessScores[near]);
}

/**
 * Of a matric number a card has the beginning only. Where it is cut off, a word that finds nothing else is in the rest: by that
 * the row was found.
 */
function findCutMatricNumber<Known extends Word>(
  tokens: readonly Known[],
  { matric_number: shown }: RankedRow,
): Known | null {
  const isCut = shown !== null && [...shown].length >= fieldLengths.matricNumberShown;
  return isCut ? (tokens.findLast(({ field }) => field === 'matricNumber') ?? null) : null;
}

/** A letter by itself was not looked for, so only among other parts of a matric number can it be in what is not shown. */
const isSearchable = (word: string) => word.length > 1 || /\d/u.test(word);

/** By which words a person answers what was typed; null where a typed word finds nothing at all. */
function matchWords<Known extends Word>(
  row: RankedRow,
  tokens: readonly Known[],
  typed: readonly string[],
): WordMatch<Known>[] | null {
  const rest = findCutMatricNumber(tokens, row);
  const taken: WordMatch<Known>[] = [];
  // Longer words first: they have fewer to choose from.
  for (const word of typed.toSorted((a, b) => b.length - a.length)) {
    let best: WordMatch<Known> | null = null;
    for (const token of tokens) {
      const pair = compareWords(word, token);
      if (!pair) continue;
      const isTaken = taken.some((other) => other.token === token);
      // A second time it is still better than nothing: "ade adebayo" means one name as often as two.
      const merit = isTaken ? pair.merit / 3 : pair.merit;
      if (!best || merit > best.merit) best = { ...pair, merit };
    }
    const isMatricNumber = taken.filter(({ token }) => token.field === 'matricNumber').length > 1;
    if (!best && rest && (isMatricNumber || isSearchable(word)))
      best = { token: rest, merit: nearnessScores.same * weights.matricNumber, letters: rest.word.length };
    if (!best) return null;
    taken.push(best);
  }
  return taken;
}

/** Why somebody is among the results: the fields that answer, and where in them. */
export function explain(row: RankedRow, typed: readonly string[]): Match[] {
  const texts = listTexts(row);
  const tokens = texts.flatMap(([field, text]) => tokenize(field, text));
  return listMatches(texts, matchWords(row, tokens, typed) ?? []);
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

/** One word can answer twice, and a part of a matric number alone and together with others. @param marks sorted by their beginnings */
function mergeOverlaps(marks: readonly [number, number][]): [number, number][] {
  const merged: [number, number][] = [];
  for (const [from, to] of marks) {
    const last = merged.at(-1);
    if (last && from < last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

/** Where the first so many folded letters of a word end in the text as it is written. */
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

/** The rows that answer every typed word, best first; among equals by name. */
export function rank<Row extends RankedRow>(rows: readonly Row[], typed: readonly string[]): Row[] {
  return rows
    .flatMap((row) => {
      const words = listWords(row);
      const taken = matchWords(row, words, typed);
      if (!taken) return [];
      const names = words.filter(({ field }) => field === 'name').length;
      // Among equals, whoever has no further names.
      return [{ row, score: taken.reduce((sum, { merit }) => sum + merit, 0) - names / 10 }];
    })
    .toSorted((a, b) => b.score - a.score || (a.row.sort_name < b.row.sort_name ? -1 : 1))
    .map(({ row }) => row);
}
