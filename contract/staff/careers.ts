import * as z from 'zod/mini';
import { Employer } from '../careers.ts';
import { defineEndpoints } from '../endpoint.ts';
import { maxLineLength } from '../filter-limits.ts';

const Key = z.string().check(z.minLength(1), z.maxLength(maxLineLength));

/** Null: hidden, because so few people could be recognized. */
const Count = z.nullable(z.int());

/** What became of one class of a program. `year` is null in a row for all years. */
export const TracerRow = z.object({
  college: z.string(),
  department: z.string(),
  program: z.string(),
  year: z.nullable(z.int()),
  /** In an archive that confirms no one, the members. */
  onRoster: Count,
  reached: Count,
  answered: Count,
  working: Count,
  inField: Count,
  studying: Count,
  seeking: Count,
});
export type TracerRow = z.infer<typeof TracerRow>;

export const staffCareerEndpoints = defineEndpoints({
  'GET /api/staff/employers': {
    summary: 'List merged employers, pairs that are probably the same, and employers whose words begin with a text',
    access: { staff: 'employers' },
    query: z.strictObject({ q: z.optional(z.string().check(z.maxLength(maxLineLength))) }),
    response: z.object({
      found: z.array(Employer),
      proposals: z.array(z.object({ one: Employer, other: Employer })),
      merged: z.array(z.object({ key: z.string(), into: Employer })),
    }),
  },
  'POST /api/staff/employers': {
    summary: 'Merge an employer into another one, or separate it again. The spellings on profiles stay',
    access: { staff: 'employers' },
    /** `into`: null separates the employer. */
    body: z.strictObject({ key: Key, into: z.nullable(Key) }),
    problems: ['not-found', 'staff/refused'],
  },
  'GET /api/staff/tracer': {
    summary: 'Get the tracer report: the latest monthly snapshot, within the scope of the caller',
    access: { staff: 'tracer' },
    feature: 'tracer',
    response: z.object({
      /** Month of the snapshot, `YYYY-MM`. Null before the first one. */
      month: z.nullable(z.string()),
      /** Whether `onRoster` counts entries of the roster, not members. */
      countsRoster: z.boolean(),
      rows: z.array(TracerRow),
    }),
  },
  'GET /api/staff/tracer/file': {
    summary: 'Download the tracer report as CSV. The audit log records it',
    access: { staff: 'tracer' },
    feature: 'tracer',
    file: 'text/csv; charset=utf-8',
  },
});
