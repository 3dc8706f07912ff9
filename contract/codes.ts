import * as z from 'zod/mini';
import { line } from './fields.ts';
import { fieldLengths } from './field-lengths.ts';

/* What is typed to complete a sign-in. Apart from the calls, so that a form which needs one carries nothing else. */

/** Six digits, however they were grouped while they were typed. */
export const OneTimeCode = z.pipe(
  z.pipe(
    z.string().check(z.maxLength(40)),
    z.transform((typed: string) => typed.replaceAll(/[\s-]/gu, '')),
  ),
  z.string().check(z.regex(/^\d{6}$/u, 'Type the six digits that your app shows')),
);

/** Sixteen letters and digits; dashes, blanks and case do not count. */
export const RecoveryCode = z.pipe(
  z.pipe(
    z.string().check(z.maxLength(60)),
    z.transform((typed: string) => typed.replaceAll(/[\s-]/gu, '').toUpperCase()),
  ),
  z.string().check(z.regex(/^[A-Z2-7]{16}$/u, 'Type one of your recovery codes, all sixteen letters and digits')),
);

export const PasskeyName = line(fieldLengths.passkeyNameMax);
