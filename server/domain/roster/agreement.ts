import { compareSpelling } from '../spelling.ts';
import { searchWords } from '../folding.ts';
import type { ClaimInput, RosterEntry } from './claim-input.ts';
import { toMatricKey } from './matric-key.ts';
import { type Names, nameWords } from './name-words.ts';
import { isPlaceholderDate } from './placeholder-date.ts';
import { isShortened } from './short-forms.ts';

/*
 * The comparison for the evidence "knowledge match". It uses no score: `matching.ts` orders candidates, and this file compares what only the
 * person is expected to know. Neither file imports the other.
 */

/**
 * Returns whether a claim has the matric number, the full birth date and the names of an entry. A birth date on 1 January never agrees.
 */
export const agreesExactly = (claim: ClaimInput, entry: RosterEntry): boolean =>
  entry.matricKey !== '' &&
  toMatricKey(claim.matricNumber) === entry.matricKey &&
  entry.birthDate !== null &&
  claim.dob === entry.birthDate &&
  !isPlaceholderDate(entry.birthDate) &&
  namesAgree(claim, entry);

/** Maximum number of words in the names of a claim. A longer list is an attempt to guess a name. */
const maxClaimWords = 8;

/**
 * Returns whether the names of a claim can be those of an entry: the entry's last name and its first name occur among the names of the claim,
 * as different words and in any order. A former name may therefore be among the other names. A name may differ in diacritics, hyphens,
 * sound or one letter, and the first name may be an initial or a short form.
 */
export function namesAgree(claim: Names, entry: Names): boolean {
  const count = searchWords(`${claim.lastName} ${claim.firstName} ${claim.otherNames}`).length;
  if (count > maxClaimWords) return false;
  const typed = [...nameWords(claim.lastName), ...nameWords(claim.firstName), ...nameWords(claim.otherNames)];
  const lastNames = typed.filter((word) => nameWords(entry.lastName).some((name) => isSpelledAlike(word, name)));
  const firstNames = typed.filter((word) =>
    nameWords(entry.firstName).some((name) => isSpelledAlike(word, name) || isShortened(word, name)),
  );
  return lastNames.some((last) => firstNames.some((first) => first !== last));
}

function isSpelledAlike(typed: string, name: string): boolean {
  const match = compareSpelling(typed, name);
  return match !== null && match !== 'two edits';
}
