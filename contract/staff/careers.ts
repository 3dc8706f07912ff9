import * as z from 'zod/mini';
import { Employer } from '../careers.ts';
import { defineEndpoints } from '../endpoint.ts';
import { maxLineLength } from '../filter-limits.ts';

const Key = z.string().check(z.minLength(1), z.maxLength(maxLineLength));

/** Null: hidden, because the few people that it counts could be identified. */
const Count = z.nullable(z.int());

const TracerCounts = z.object({
  /** In an archive that confirms no one, the members. */
  onRoster: Count,
  reached: Count,
  answered: Count,
  working: Count,
  inField: Count,
  study: Count,
  seeking: Count,
});
export type TracerCounts = z.infer<typeof TracerCounts>;

/** Sums of the counts that are not hidden. */
const TracerSum = z.extend(TracerCounts, {
  /** Number of answers in the rows that show an outcome: the denominator of its rate. */
  answers: z.partial(TracerCounts),
});
export type TracerSum = z.infer<typeof TracerSum>;

const TracerRow = z.extend(z.partial(TracerSum, { answers: true }), {
  college: z.nullable(z.string()),
  department: z.nullable(z.string()),
  program: z.nullable(z.string()),
  /** `allYears` if most answers of the single years would be hidden. */
  year: z.nullable(z.int()),
});
export type TracerRow = z.infer<typeof TracerRow>;

export const staffCareerEndpoints = defineEndpoints({
  'GET /api/staff/employers': {
    summary: 'List merged employers and pairs that are probably the same, or search by the beginnings of words',
    access: { staff: 'employers' },
    query: z.strictObject({ q: z.optional(z.string().check(z.maxLength(maxLineLength))) }),
    response: z.object({
      /** With `q`, at most 50, most people first. */
      found: z.array(Employer),
      /** Without `q`. Most people first; `one` is the smaller employer. */
      proposals: z.array(z.object({ one: Employer, other: Employer })),
      /** Latest first, at most 500. With `q`, those that are part of what was found. */
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
    summary: 'Get the latest monthly tracer report within the scope of the caller, by department or of one department',
    access: { staff: 'tracer' },
    feature: 'tracer',
    /** The empty text is an unknown college or department. */
    query: z.strictObject({
      college: z.optional(z.string().check(z.maxLength(maxLineLength))),
      department: z.optional(z.string().check(z.maxLength(maxLineLength))),
    }),
    response: z.object({
      /** Day on which the people were counted, `YYYY-MM-DD`. Null before the first report. */
      asOf: z.nullable(z.string()),
      /** Whether `onRoster` counts entries of the roster, not members. */
      countsRoster: z.boolean(),
      /** Of the department in the query; otherwise the sum of each department. */
      rows: z.array(TracerRow),
      total: TracerSum,
    }),
  },
  'GET /api/staff/tracer/file': {
    summary: 'Download the tracer report as CSV. The audit log records it',
    access: { staff: 'tracer' },
    feature: 'tracer',
    file: 'text/csv; charset=utf-8',
    problems: ['staff/refused'],
  },
});
