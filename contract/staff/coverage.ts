import * as z from 'zod/mini';
import { defineEndpoints } from '../endpoint.ts';

export const ClassCoverage = z.object({
  /** Year of graduation. Null: unknown. */
  year: z.nullable(z.int()),
  onRoster: z.int(),
  confirmed: z.int(),
  listed: z.int(),
  /** People with an active account whose mail arrives; only confirmed ones if the institution confirms members. */
  reachable: z.int(),
  /** People of the current roster who were invited, who then opened a link of the mail, and who have an account now. */
  invited: z.int(),
  opened: z.int(),
  joined: z.int(),
});
export type ClassCoverage = z.infer<typeof ClassCoverage>;

export const Coverage = z.object({
  /** Without a roster, `onRoster` is 0 everywhere. */
  hasRoster: z.boolean(),
  /** Whether the institution confirms members. If not, `confirmed` is 0 for most. */
  confirmsMembers: z.boolean(),
  /** By college and name. */
  departments: z.array(
    z.object({
      /** Code of the college. Null: unknown. */
      college: z.nullable(z.string()),
      department: z.nullable(z.string()),
      /** By year, the unknown year last. */
      classes: z.array(ClassCoverage),
    }),
  ),
});
export type Coverage = z.infer<typeof Coverage>;

export const staffCoverageEndpoints = defineEndpoints({
  'GET /api/staff/coverage': {
    summary:
      'Count the people of each department and year in the scope of the caller: on the roster, confirmed, listed and reachable',
    access: { staff: 'coverage' },
    response: Coverage,
  },
  'GET /api/staff/coverage/file': {
    summary: 'Download the same counts',
    access: { staff: 'coverage' },
    file: 'text/csv; charset=utf-8',
  },
});
