import { maxLineLength } from './filter-limits.ts';

/**
 * Lengths of text fields in Unicode code points, so an emoji counts as one character. Forms and the server share them.
 */
export const fieldLengths = {
  /** Minimum length of a password (specification, section 9). */
  passwordMin: 6,
  passwordMax: 100,
  fullBioMax: 400,
  /** Longest address that can receive mail (RFC 5321, section 4.5.3.1.3, minus the angle brackets). */
  emailMax: 254,
  /** Maximum length of single-line fields that have no other maximum. */
  lineMax: maxLineLength,
  nameMax: 80,
  handleMax: 100,
  addressMax: 300,
  bioMax: 160,
  interestMax: 200,
  passkeyNameMax: 60,
  albumMax: 80,
  photoTitleMax: 120,
  /** A message from one member to another, and the text of a report. */
  messageMax: 2_000,
  /** A question of staff about a claim. */
  questionMax: 500,
  answerMax: 1_000,
  announcementSubjectMax: 120,
  replyNameMax: 80,
  announcementMax: 5_000,
  /** Characters of a matric number that a card shows (specification, section 9). */
  matricNumberShown: 11,
} as const;

/** Returns the length in code points: the characters that a person counts, not the UTF-16 units of `length`. */
export const countCodePoints = (text: string): number => [...text].length;

/** Maximum lengths of a reported browser error, in UTF-16 units. Browsers cut longer texts. */
export const browserErrorLengths = { messageMax: 500, stackMax: 4000 } as const;
