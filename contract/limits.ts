/*
 * Numbers and texts that both sides share. Nothing is imported here: a page that needs one of them gets nothing else.
 */

/** Every limit has one name; forms, the server and the tests read it here. */
export const limits = {
  /** Specification, section 9; counted in Unicode code points, so that an emoji is one character. */
  passwordMin: 6,
  passwordMax: 100,
  fullBioMax: 400,
  /** Longest address that can be mailed to (RFC 5321, section 4.5.3.1.3, minus the angle brackets). */
  emailMax: 254,
  nameMax: 80,
  handleMax: 100,
  lineMax: 160,
  addressMax: 300,
  bioMax: 160,
  interestMax: 200,
  /** A cropped portrait as a data string, in characters; about 4.5 MB of image. */
  pictureMax: 6_000_000,
  yearMin: 1900,
  /** Characters of a matric number that a card shows (specification, section 9). */
  matricNumberShown: 11,
  pageSize: 24,
  pageSizeMax: 96,
} as const;

/** The texts of the specification, section 5, to the letter. */
export const texts = {
  emailInvalid: 'Please enter a valid email address',
  emailRequired: 'Email is required',
  empty: 'Field cannot be empty',
  passwordShort: 'Password cannot be less than six characters',
  passwordLong: 'Password cannot be more than hundred character',
  passwordsDiffer: 'Passwords does not match',
} as const;

/** Length in code points: what a person counts, not what UTF-16 stores. */
export const codePoints = (text: string): number => [...text].length;

/** Seconds; specification, section 9. */
export const resendCooldown = 179;
/** Milliseconds from the congratulations to the onboarding; specification, section 9. */
export const verifiedRedirectDelay = 5000;
/** Seconds for which a typed password vouches for sensitive acts (design, identity rule 5). */
export const recentSignIn = 300;
