import * as z from 'zod/mini';
import { defineEndpoints } from './endpoint.ts';
import { browserErrorLengths } from './field-lengths.ts';

export const browserErrorEndpoints = defineEndpoints({
  'POST /api/browser-errors': {
    summary: 'Log an unexpected error of a page in the browser. Returns the reference of the log line',
    access: 'everyone',
    body: z.strictObject({
      message: z.string().check(z.maxLength(browserErrorLengths.messageMax)),
      stack: z.string().check(z.maxLength(browserErrorLengths.stackMax)),
    }),
    response: z.object({ reference: z.string() }),
    problems: ['auth/too-many-requests'],
  },
});
