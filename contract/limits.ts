import { listLimits } from './list-limits.ts';

/*
 * Numbers that both sides share. Hardly anything is imported here: a page that needs one of them gets nothing else.
 */

/** Every limit has one name; forms, the server and the tests read it here. */
export const limits = {
  ...listLimits,
  /** Specification, section 9; counted in Unicode code points, so that an emoji is one character. */
  passwordMin: 6,
  passwordMax: 100,
  fullBioMax: 400,
  /** Longest address that can be mailed to (RFC 5321, section 4.5.3.1.3, minus the angle brackets). */
  emailMax: 254,
  nameMax: 80,
  handleMax: 100,
  addressMax: 300,
  bioMax: 160,
  interestMax: 200,
  /** A cropped portrait as a data string, in characters; about 4.5 MB of image. */
  pictureMax: 6_000_000,
  /** The profile document with its picture, in bytes. */
  profileMax: 6_200_000,
  /** Characters of the name that somebody gives to a passkey. */
  passkeyNameMax: 60,
  /** Passkeys that an account can have. */
  passkeysMax: 20,
  albumMax: 80,
  photoTitleMax: 120,
  /** Photos that one person can have in the gallery. */
  photosMax: 300,
  /** A message from one member to another. */
  messageMax: 2_000,
  /** People whom one person can block. */
  blocksMax: 500,
  /** Characters of a matric number that a card shows (specification, section 9). */
  matricNumberShown: 11,
} as const;

/** Length in code points: what a person counts, not what UTF-16 stores. */
export const codePoints = (text: string): number => [...text].length;
