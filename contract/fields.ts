import * as z from 'zod/mini';
import { countCodePoints, fieldLengths } from './field-lengths.ts';
import { earliestYear } from './filter-limits.ts';
import { maxDocumentBytes, maxPictureChars, wrongDocument } from './upload-limits.ts';
import { texts } from './texts.ts';

/** Returns the form in which addresses are stored and compared: trimmed, NFC, lower case. */
export const canonicalizeEmail = (email: string): string => email.trim().normalize('NFC').toLowerCase();

/**
 * Defines a schema for text before cleaning. The schema allows four times the maximum length, for white space and
 * decomposed letters. Longer text is refused before normalization, because NFC takes quadratic time in the number of
 * combining marks: seconds for 100,000 of them.
 */
const rawText = (max: number, message: string) => z.string().check(z.maxLength(4 * max, message));

export const Email = z.pipe(
  z.pipe(rawText(fieldLengths.emailMax, texts.emailInvalid), z.transform(canonicalizeEmail)),
  z.string().check(
    z.maxLength(fieldLengths.emailMax, texts.emailInvalid),
    // One check for both messages: a check that aborts would prevent those of a whole form, such as different
    // passwords.
    z.email({ error: ({ input }) => (input === '' ? texts.emailRequired : texts.emailInvalid) }),
  ),
);

/**
 * An existing password. The only rule is that it is not empty, because the password rules may have changed since the
 * password was set.
 */
export const Password = z.string().check(z.minLength(1, texts.empty), z.maxLength(1000, texts.passwordLong));

/** A new password (specification, section 5). The server also applies its password policy. */
export const NewPassword = z.string().check(
  z.refine((value) => value !== '', { error: texts.empty, abort: true }),
  z.refine((value) => countCodePoints(value) >= fieldLengths.passwordMin, texts.passwordShort),
  z.refine((value) => countCodePoints(value) <= fieldLengths.passwordMax, texts.passwordLong),
);

/**
 * Control and other invisible characters. PostgreSQL refuses NUL, U+202E reverses text, and U+200B makes a name look
 * like another one.
 * Joiners and variation selectors are not among them, because Persian, Indic scripts, Han and emoji need them.
 */
const invisibleCharacters =
  /(?!\u200C|\u200D|\uFE0E|\uFE0F|[\u{E0100}-\u{E01EF}]|[\t-\r\u0085])[\p{Cc}\p{Cf}\p{Cs}\p{DI}\u2800]/gu;

/** A character of a script in which joiners have no visible effect, with the marks and joiners after it. */
const uselessJoiners =
  /(^|[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}\p{P}\s\u0085])([\p{M}\u200C\u200D]+)/gu;

/**
 * Removes invisible characters, normalizes white space, and converts the text to NFC. The order makes the function
 * idempotent, even if the removed character was between two spaces or between a letter and its mark.
 * @param shape normalizes spaces and line breaks
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

const isVisible = (text: string): boolean => /[\p{L}\p{N}\p{P}\p{S}]/u.test(text);

const tooLongMessage = (max: number) => `Use at most ${max} characters`;

const visibleText = (max: number, message: string, shape: (text: string) => string) =>
  z.pipe(
    z.pipe(
      rawText(max, message),
      z.transform((typed: string) => cleanText(typed, shape)),
    ),
    z.string().check(
      // The rule must not set `abort`, which would skip the rules that compare fields of a form.
      z.refine(isVisible, texts.empty),
      z.refine((value) => !isVisible(value) || countCodePoints(value) <= max, message),
    ),
  );

/** Returns a schema for one line of text. Runs of white space become one space. @param max code points */
export const line = (max: number) => visibleText(max, tooLongMessage(max), collapseWhitespace);

const collapseWhitespace = (text: string): string => text.replaceAll(/[\s\u0085]+/gu, ' ');

const normalizeParagraphs = (text: string): string =>
  text
    .replaceAll(/\r\n?|[\v\f\u2028\u2029\u0085]/gu, '\n')
    .replaceAll('\t', ' ')
    .replaceAll(/\n{3,}/gu, '\n\n');

/** Returns a schema for text of several paragraphs. Line breaks stay. @param max code points */
export const prose = (max: number, message = tooLongMessage(max)) => visibleText(max, message, normalizeParagraphs);

/** Returns a schema that also allows an empty text, with the error messages of the given one. */
export const orEmpty = <Schema extends z.ZodMiniType>(schema: Schema) =>
  z.union([z.literal(''), schema], {
    error: (issue) => (issue.code === 'invalid_union' ? issue.errors.at(-1)?.[0]?.message : undefined),
  });

/**
 * Returns a schema for text that is stored as typed, in JSON: PostgreSQL refuses NUL and half of a character there.
 * @param max UTF-16 units
 */
export const jsonText = (max: number) =>
  z.string().check(
    z.maxLength(max),
    z.refine((text) => !text.includes('\0') && text.isWellFormed(), texts.empty),
  );

/**
 * Returns a text without invisible characters, cut to a maximum length. Unlike `prose`, it refuses nothing.
 * @param max code points
 */
export const cleanAndTruncate = (text: string, max: number): string =>
  [...cleanText(text.slice(0, 4 * max), normalizeParagraphs)].slice(0, max).join('').trim();

const profileUrl =
  /^(?:https?:\/\/)?(?:[\w-]+\.)*(?:x|twitter|facebook|fb|linkedin)\.com\/(?<path>[^?#]*)(?:\?(?<query>[^#]*))?/iu;

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
 * A user name on another site. `@ada`, `https://x.com/ada?lang=en` and `ada` all become `ada`, so that profiles never
 * link to an address that a user typed.
 */
export const handle = visibleText(fieldLengths.handleMax, tooLongMessage(fieldLengths.handleMax), (text) =>
  extractHandle(collapseWhitespace(text)),
);

/** Calls itself, because the handle in a URL may look like a URL. */
function extractHandle(text: string): string {
  const bare = text.replace(/^[\s@]+/u, '').trimEnd();
  const address = profileUrl.exec(bare);
  return address?.groups ? extractHandle(extractHandleFromUrl(address.groups)) : bare;
}

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

export const pastDay = (message: string) =>
  calendarDay(message).check(z.refine((value) => new Date(`${value}T00:00:00Z`) <= new Date(), message));

/** A cropped picture as a data URL, `data:image/…;base64,…` (D13 in docs/conformance.md). */
export const PictureData = z
  .string(texts.empty)
  .check(
    z.maxLength(maxPictureChars, 'This picture is too large. Choose one under 4 MB.'),
    z.regex(/^data:image\/(?:png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2}$/u, texts.empty),
  );

/** A photo or a PDF in base64. */
export const DocumentData = z
  .string(wrongDocument)
  .check(
    z.maxLength(Math.ceil(maxDocumentBytes / 3) * 4, wrongDocument),
    z.regex(/^[A-Za-z0-9+/]+={0,2}$/, wrongDocument),
  );

export const Id = z.uuid().check(z.toLowerCase());
