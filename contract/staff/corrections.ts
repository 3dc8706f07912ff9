import * as z from 'zod/mini';
import { Timestamp } from '../timestamp.ts';
import { defineEndpoints } from '../endpoint.ts';
import { fieldLengths } from '../field-lengths.ts';
import { Id, line, orEmpty, prose } from '../fields.ts';
import { earliestYear } from '../filter-limits.ts';

const correctionReasons = ['deceased', 'wrong-class', 'wrong-name', 'other'] as const;
export type CorrectionReason = (typeof correctionReasons)[number];

export const maxClassEntries = 1_000;

const Department = line(fieldLengths.lineMax);
const Year = z.int().check(z.minimum(earliestYear), z.maximum(2_100));
const Name = line(fieldLengths.nameMax);
const Text = prose(fieldLengths.messageMax);
const OptionalText = z.optional(orEmpty(Text));
const entryId = z.int().check(z.minimum(1));

export const CorrectionForm = z.discriminatedUnion('reason', [
  z.strictObject({ reason: z.literal('deceased'), entryId, text: OptionalText }),
  z.strictObject({
    reason: z.literal('wrong-class'),
    entryId,
    department: Department,
    yearGraduated: Year,
    text: OptionalText,
  }),
  z.strictObject({
    reason: z.literal('wrong-name'),
    entryId,
    lastName: Name,
    firstName: Name,
    otherNames: z.optional(orEmpty(Name)),
    text: OptionalText,
  }),
  z.strictObject({ reason: z.literal('other'), entryId, text: Text }),
]);
export type CorrectionForm = z.infer<typeof CorrectionForm>;

export const ClassQuery = z.strictObject({
  department: Department,
  year: z.coerce.number().check(z.int(), z.minimum(earliestYear), z.maximum(2_100)),
});

/** A person of a class: the name only, no number and no date. */
export const ClassEntry = z.object({
  id: z.int(),
  lastName: z.string(),
  firstName: z.string(),
  otherNames: z.string(),
  hasAccount: z.boolean(),
  hasCorrection: z.boolean(),
});
export type ClassEntry = z.infer<typeof ClassEntry>;

export const OwnCorrection = z.object({
  id: Id,
  /** Null while the person is not in a class of the caller. */
  name: z.nullable(z.string()),
  reason: z.enum(correctionReasons),
  createdAt: Timestamp,
  outcome: z.nullable(z.enum(['accept', 'refuse'])),
  answer: z.string(),
});

const EntryFacts = z.object({
  lastName: z.string(),
  firstName: z.string(),
  otherNames: z.string(),
  department: z.nullable(z.string()),
  yearGraduated: z.nullable(z.int()),
});

export const Correction = z.object({
  id: Id,
  version: z.string(),
  reason: z.enum(correctionReasons),
  text: z.string(),
  createdAt: Timestamp,
  /** Name, or address of an account without a profile. */
  proposedBy: z.string(),
  entry: z.extend(EntryFacts, { isDeceased: z.boolean(), hasAccount: z.boolean() }),
  /** The proposed values. Null: not proposed. */
  proposed: z.partial(
    z.object({
      lastName: z.nullable(z.string()),
      firstName: z.nullable(z.string()),
      otherNames: z.nullable(z.string()),
      department: z.nullable(z.string()),
      yearGraduated: z.nullable(z.int()),
    }),
  ),
});
export type Correction = z.infer<typeof Correction>;

export const staffCorrectionEndpoints = defineEndpoints({
  'GET /api/staff/classes': {
    summary: 'List the people of one class on the roster by name, without people marked as confidential or deceased',
    access: { staff: 'propose-corrections' },
    query: ClassQuery,
    response: z.object({ entries: z.array(ClassEntry), hasMore: z.boolean() }),
    problems: ['not-found'],
  },
  'GET /api/staff/corrections': {
    summary: 'List the latest corrections that the caller has proposed',
    access: { staff: 'propose-corrections' },
    response: z.object({ corrections: z.array(OwnCorrection) }),
  },
  'POST /api/staff/corrections': {
    summary: 'Propose a correction of a roster entry. It waits in the review queue for a decision',
    access: { staff: 'propose-corrections' },
    body: z.strictObject({ correction: CorrectionForm }),
    response: z.object({ id: Id }),
    problems: ['not-found', 'staff/refused'],
  },
  'GET /api/staff/corrections/{id}': {
    summary: 'Get a correction: the entry as it is now, and what is proposed',
    access: { staff: 'corrections' },
    params: z.strictObject({ id: Id }),
    response: Correction,
    problems: ['not-found'],
  },
});
