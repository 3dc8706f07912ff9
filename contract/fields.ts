import * as z from 'zod/mini';
import { codePoints, limits } from './limits.ts';
import { texts } from './texts.ts';

/** The one spelling under which an address is stored and compared: trimmed, composed, lower case. */
export const canonicalEmail = (email: string): string => email.trim().normalize('NFC').toLowerCase();

/** An e-mail address, made canonical on the way in. */
export const Email = z.pipe(
  z.pipe(z.string(), z.transform(canonicalEmail)),
  z.string().check(
    z.refine((value) => value !== '', { error: texts.emailRequired, abort: true }),
    z.maxLength(limits.emailMax, texts.emailInvalid),
    z.email(texts.emailInvalid),
  ),
);

/** A password that somebody has: only presence is checked, for the rules may have been others when it was chosen. */
export const Password = z.string().check(z.minLength(1, texts.empty), z.maxLength(1000, texts.passwordLong));

/** A password that somebody chooses: specification, section 5. The server's policy comes on top. */
export const NewPassword = z.string().check(
  z.refine((value) => value !== '', { error: texts.empty, abort: true }),
  z.refine((value) => codePoints(value) >= limits.passwordMin, texts.passwordShort),
  z.refine((value) => codePoints(value) <= limits.passwordMax, texts.passwordLong),
);

/** Controls and direction overrides have no place in a name: PostgreSQL refuses NUL, and U+202E lets one name pose as another. */
const unprintable = /[\u202A-\u202E\u2066-\u2069]|(?!\n)\p{Cc}/gu;

/** Line breaks and runs of blanks become one blank; what is left must not be empty. */
export const line = (max: number) =>
  z.pipe(
    z.pipe(
      z.string(),
      z.transform((value: string) =>
        value.normalize('NFC').replaceAll(/\s+/gu, ' ').replaceAll(unprintable, '').trim(),
      ),
    ),
    z.string().check(z.minLength(1, texts.empty), z.maxLength(max, texts.empty)),
  );

/** Text in paragraphs: composed and trimmed, line breaks kept. */
export const prose = (max: number) =>
  z.pipe(
    z.pipe(
      z.string(),
      z.transform((value: string) =>
        value.normalize('NFC').replaceAll('\r\n', '\n').replaceAll(unprintable, '').trim(),
      ),
    ),
    z.string().check(
      z.minLength(1, texts.empty),
      z.refine((value) => codePoints(value) <= max, texts.empty),
    ),
  );

/**
 * A name on another site, without the ornaments people paste with it: `@ada`, `https://x.com/ada?lang=en` and `ada`
 * are the same handle, so a profile never links to wherever a stranger typed.
 */
export const handle = z.pipe(
  z.pipe(
    z.string(),
    z.transform((value: string) =>
      value
        .normalize('NFC')
        .replaceAll(unprintable, '')
        .trim()
        .replace(/^(?:https?:\/\/)?(?:[\w-]+\.)*(?:x|twitter|facebook|fb|linkedin)\.com\/(?:in\/)?/iu, '')
        .replace(/[?#/].*$/u, '')
        .replace(/^@+/u, '')
        .trim(),
    ),
  ),
  z.string().check(z.minLength(1, texts.empty), z.maxLength(limits.handleMax, texts.empty)),
);

/** `YYYY-MM-DD` that names a day of the calendar, not in the future. */
export const BirthDate = z.string().check(
  z.refine((value) => {
    if (!/^\d{4}-\d{2}-\d{2}$/u.test(value) || value < `${limits.yearMin}-01-01`) return false;
    const day = new Date(`${value}T00:00:00Z`);
    return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value) && day <= new Date();
  }, texts.empty),
);

/** `data:image/…;base64,…`, the form in which onboarding sends the cropped picture (decision 13). */
export const PictureData = z
  .string(texts.empty)
  .check(
    z.maxLength(limits.pictureMax, 'This picture is too large. Choose one under 4 MB.'),
    z.regex(/^data:image\/(?:png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2}$/u, texts.empty),
  );

export const Id = z.uuid();
