import * as z from 'zod/mini';
import { Timestamp } from '../timestamp.ts';
import { defineEndpoints } from '../endpoint.ts';
import { fieldLengths } from '../field-lengths.ts';
import { Id, prose } from '../fields.ts';

export const maxFoundEntries = 20;

/** A roster entry in the scope of the caller. Never a birth date, an address or a phone number. */
export const FoundEntry = z.object({
  id: z.int(),
  matricNumber: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  otherNames: z.string(),
  department: z.nullable(z.string()),
  yearGraduated: z.nullable(z.int()),
  hasAccount: z.boolean(),
  /** When its newest unused printed code was created. Null: there is none. */
  codeCreatedAt: z.nullable(Timestamp),
  /** Pending claims that name the matric number. */
  openClaims: z.int(),
});
export type FoundEntry = z.infer<typeof FoundEntry>;

export const EntryFile = z.object({
  ...FoundEntry.shape,
  program: z.nullable(z.string()),
  status: z.enum(['student', 'graduate', 'left']),
  marks: z.array(z.enum(['confidential', 'deceased', 'missing', 'contested', 'wrong-address'])),
  /** The account that is confirmed as the entry. Null if there is none, or it is out of scope. */
  account: z.nullable(z.object({ id: Id, name: z.string() })),
  /** Printed codes, the newest first. An unused code is deleted when a new one is printed. */
  codes: z.array(z.object({ createdAt: Timestamp, expiresAt: Timestamp, usedAt: z.nullable(Timestamp) })),
  claims: z.array(z.object({ id: Id, name: z.string(), createdAt: Timestamp })),
  /** Accounts that may be this person: by matric number, address or name. Empty if `canLink` is false. */
  candidates: z.array(
    z.object({
      id: Id,
      name: z.string(),
      /** Null if members may not see it, like the class. */
      email: z.nullable(z.string()),
      department: z.nullable(z.string()),
      yearGraduated: z.nullable(z.int()),
      hasSameName: z.boolean(),
      /** Whether the account is confirmed as another entry: this one can be a further degree of the person. */
      hasEntry: z.boolean(),
    }),
  ),
  canPrint: z.boolean(),
  canCorrect: z.boolean(),
  canLink: z.boolean(),
});
export type EntryFile = z.infer<typeof EntryFile>;

const params = z.strictObject({
  id: z.coerce.number().check(z.int(), z.minimum(1), z.maximum(Number.MAX_SAFE_INTEGER)),
});

export const staffEntryEndpoints = defineEndpoints({
  'GET /api/staff/roster/entries/{id}': {
    summary: 'Get a roster entry with its account, printed codes and pending claims, and what the caller can do',
    access: { staff: 'claims' },
    params,
    response: EntryFile,
    problems: ['not-found'],
  },
  'POST /api/staff/roster/entries/{id}/link': {
    summary:
      'Confirm an account as this roster entry, because the caller saw the person or a document. Decides the pending claim of the account. Refused if an account has the entry, or the account has another one',
    access: { staff: 'claims' },
    needsRecentPassword: true,
    params,
    body: z.strictObject({
      accountId: Id,
      /** What the caller saw, for other staff. */
      seen: prose(fieldLengths.messageMax),
    }),
    problems: ['not-found', 'staff/refused'],
  },
});
