import * as z from 'zod/mini';
import { line } from './fields.ts';
import { fieldLengths } from './field-lengths.ts';

/* Fields of the second factor forms. A separate module, so that a form does not load the schemas of the endpoints. */

export const OneTimeCode = z.pipe(
  z.pipe(
    z.string().check(z.maxLength(40)),
    z.transform((typed: string) => typed.replaceAll(/[\s-]/gu, '')),
  ),
  z.string().check(z.regex(/^\d{6}$/u, 'Enter the six digits from your authenticator app')),
);

export const RecoveryCode = z.pipe(
  z.pipe(
    z.string().check(z.maxLength(60)),
    z.transform((typed: string) => typed.replaceAll(/[\s-]/gu, '').toUpperCase()),
  ),
  z.string().check(z.regex(/^[A-Z2-7]{16}$/u, 'Enter all 16 letters and digits of a recovery code')),
);

export const PasskeyName = line(fieldLengths.passkeyNameMax);
