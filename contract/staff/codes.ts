import * as z from 'zod/mini';
import { defineEndpoints } from '../endpoint.ts';
import { fieldLengths } from '../field-lengths.ts';
import { line } from '../fields.ts';
import { earliestYear } from '../filter-limits.ts';

/** Maximum number of codes in one sheet, so that a browser can print it. */
export const maxPrintedCodes = 4_000;

/** Which people on the roster without a confirmed account get a code. An empty filter is everyone. */
const department = z.optional(line(fieldLengths.lineMax));
const yearRange = [z.int(), z.minimum(earliestYear), z.maximum(2_100)] as const;

export const staffCodeEndpoints = defineEndpoints({
  'GET /api/staff/roster/codes': {
    summary: 'Count the people who would get a printed code',
    access: { staff: 'roster' },
    query: z.strictObject({
      department,
      year: z.optional(z.coerce.number().check(...yearRange)),
      graduates: z.optional(z.literal('true')),
    }),
    response: z.object({ people: z.int() }),
  },
  'POST /api/staff/roster/codes': {
    summary:
      'Create a sheet of printed codes as HTML, which is shown once. The codes replace the unused printed codes of the same people',
    access: { staff: 'roster' },
    needsRecentPassword: true,
    body: z.strictObject({
      department,
      year: z.optional(z.number().check(...yearRange)),
      graduates: z.optional(z.boolean()),
      entryId: z.optional(z.int().check(z.minimum(1))),
    }),
    response: z.object({ html: z.string(), codes: z.int() }),
    problems: ['staff/refused'],
  },
});
