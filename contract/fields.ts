import * as z from 'zod/mini';
import { countCodePoints, fieldLengths } from './field-lengths.ts';
import { earliestYear } from './filter-limits.ts';
import { maxPictureChars } from './upload-limits.ts';
import { texts } from './texts.ts';

/** The one spelling under which an address is stored and compared: trimmed, composed, lower case. */
export const canonicalizeEmail = (email: string): string => email.trim().normalize('NFC').toLowerCase();

/**
 * Text as it comes in, with room for blanks and decomposed letters. It is measured before anything is done with it:
 * composing takes time by the square of the combining marks, seconds for a hundred thousand of them.
 */
const rawText = (max: number, message: string) => z.string().check(z.maxLength(4 * max, message));

/** An e-mail address, made canonical on the way in. */
export const Email = z.pipe(
  z.pipe(rawText(fieldLengths.emailMax, texts.emailInvalid), z.transform(canonicalizeEmail)),
  z.string().check(
    z.refine((value) => value !== '', { error: texts.emailRequired, abort: true }),
    z.maxLength(fieldLengths.emailMax, texts.emailInvalid),
    z.email(texts.emailInvalid),
  ),
);

/** A password that somebody has: only presence is checked, for the rules may have been others when it was chosen. */
export const Password = z.string().check(z.minLength(1, texts.empty), z.maxLength(1000, texts.passwordLong));

/** A password that somebody chooses: specification, section 5. The server's policy comes on top. */
export const NewPassword = z.string().check(
  z.refine((value) => value !== '', { error: texts.empty, abort: true }),
  z.refine((value) => countCodePoints(value) >= fieldLengths.passwordMin, texts.passwordShort),
  z.refine((value) => countCodePoints(value) <= fieldLengths.passwordMax, texts.passwordLong),
);

/**
 * What cannot be seen has no place in a name: PostgreSQL refuses NUL, U+202E turns the text around, and with U+200B one
 * name poses as another. Joiners and the variation selectors stay, for Persian, Indic scripts, Han and emoji need them.
 */
const invisibleCharacters =
  /(?!\u200C|\u200D|\uFE0E|\uFE0F|[\u{E0100}-\u{E01EF}]|[\t-\r\u0085])[\p{Cc}\p{Cf}\p{Cs}\p{DI}\u2800]/gu;

/** A letter after which a joiner changes nothing that can be seen, with the marks and joiners that follow it. */
const uselessJoiners =
  /(^|[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}\p{P}\s\u0085])([\p{M}\u200C\u200D]+)/gu;

/**
 * Removes what cannot be seen, shapes the rest and composes it, in this order: what is removed between two blanks or between a letter and
 * its mark must not leave a text that the next save would change.
 * @param shape what happens to blanks and lines
 */
const cleanText = (text: string, shape: (text: string) => string): string =>
  shape(
    text
      .replaceAll(invisibleCharacters, '')
      .replaceAll(
        uselessJoiners,
        (_, letter: string, marks: string) => letter + marks.replaceAll(/[\u200C\u200D]/gu, ''),
      ),
  )
    .normalize('NFC')
    .trim();

/** One character at least of which something is seen. */
const isVisible = (text: string): boolean => /[\p{L}\p{N}\p{P}\p{S}]/u.test(text);

const tooLongMessage = (max: number) => `Use at most ${max} characters`;

/** Text of which everything can be seen, and which is not empty. @param shape what happens to blanks and lines */
const visibleText = (max: number, message: string, shape: (text: string) => string) =>
  z.pipe(
    z.pipe(
      rawText(max, message),
      z.transform((typed: string) => cleanText(typed, shape)),
    ),
    z.string().check(
      // Not with `abort`: that would keep the rules between the fields of a form from being checked.
      z.refine(isVisible, texts.empty),
      z.refine((value) => !isVisible(value) || countCodePoints(value) <= max, message),
    ),
  );

/** Line breaks and runs of blanks become one blank; what is left must not be empty. @param max code points */
export const line = (max: number) => visibleText(max, tooLongMessage(max), collapseWhitespace);

const collapseWhitespace = (text: string): string => text.replaceAll(/[\s\u0085]+/gu, ' ');

const normalizeParagraphs = (text: string): string =>
  text
    .replaceAll(/\r\n?|[\v\f\u2028\u2029\u0085]/gu, '\n')
    .replaceAll('\t', ' ')
    .replaceAll(/\n{3,}/gu, '\n\n');

/** Text in paragraphs: composed and trimmed, line breaks kept. @param max code points */
export const prose = (max: number, message = tooLongMessage(max)) => visibleText(max, message, normalizeParagraphs);

/** A text that is kept whatever it breaks, without what cannot be seen, and cut where it is too long. @param max code points */
export const cleanAndTruncate = (text: string, max: number): string =>
  [...cleanText(text.slice(0, 4 * max), normalizeParagraphs)].slice(0, max).join('').trim();

/** The address of a profile on one of the sites that we ask for, split into host and what follows. */
const profileUrl =
  /^(?:https?:\/\/)?(?:[\w-]+\.)*(?:x|twitter|facebook|fb|linkedin)\.com\/(?<path>[^?#]*)(?:\?(?<query>[^#]*))?/iu;

/** The name in such an address; empty where it names no person. */
function extractHandleFromUrl({ path = '', query = '' }: Record<string, string | undefined>): string {
  const [first = '', second = '', third = ''] = path.split('/');
  switch (first.toLowerCase()) {
    case 'in':
    case 'pub':
      return second;
    case 'people':
      return third;
    case 'profile.php':
      return new URLSearchParams(query).get('id') ?? '';
    case 'company':
    case 'school':
    case 'groups':
      return '';
    default:
      return first;
  }
}

/**
 * A name on another site, without the ornaments people paste with it: `@ada`, `https://x.com/ada?lang=en` and `ada`
 * are the same handle, so a profile never links to wherever a stranger typed.
 */
export const handle = visibleText(fieldLengths.handleMax, tooLongMessage(fieldLengths.handleMax), (text) =>
  extractHandle(collapseWhitespace(text)),
);

/** The name in an address may look like an address again. */
function extractHandle(text: string): string {
  const bare = text.replace(/^[\s@]+/u, '').trimEnd();
  const address = profileUrl.exec(bare);
  return address?.groups ? extractHandle(extractHandleFromUrl(address.groups)) : bare;
}

/** `YYYY-MM-DD` that names a day of the calendar. */
export const calendarDay = (message: string) =>
  z.string().check(
    z.refine(
      (value) => {
        if (!/^\d{4}-\d{2}-\d{2}$/u.test(value) || value < `${earliestYear}-01-01`) return false;
        const day = new Date(`${value}T00:00:00Z`);
        return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value);
      },
      { error: message, abort: true },
    ),
  );

/** The same, not in the future. */
export const pastDay = (message: string) =>
  calendarDay(message).check(z.refine((value) => new Date(`${value}T00:00:00Z`) <= new Date(), message));

/** `data:image/…;base64,…`, the form in which onboarding sends the cropped picture (decision 13). */
export const PictureData = z
  .string(texts.empty)
  .check(
    z.maxLength(maxPictureChars, 'This picture is too large. Choose one under 4 MB.'),
    z.regex(/^data:image\/(?:png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2}$/u, texts.empty),
  );

export const Id = z.uuid().check(z.toLowerCase());
