import * as z from 'zod/mini';
import { Timestamp } from '../timestamp.ts';
import { defineEndpoints } from '../endpoint.ts';
import { Id, jsonText, prose } from '../fields.ts';
import { fieldLengths } from '../field-lengths.ts';
import { earliestYear, maxLineLength } from '../filter-limits.ts';
import { evidenceKinds, membershipStatuses } from '../membership.ts';
import { Profile } from '../profile.ts';
import { FoundEntry } from './entries.ts';
import { staffRoles } from './values.ts';
import { disclosureReasons, personStates } from './people-values.ts';

export type PersonState = (typeof personStates)[number];

export const foundPeoplePerPage = 50;

const filterValue = z.optional(jsonText(maxLineLength).check(z.minLength(1)));

const filter = {
  /** Words of the name, the whole email address or matric number, or the beginning of one that members may see. */
  q: z.optional(jsonText(fieldLengths.emailMax)),
  state: z.optional(z.enum(personStates)),
  college: filterValue,
  department: filterValue,
  year: z.optional(z.coerce.number().check(z.int(), z.minimum(earliestYear), z.maximum(9999))),
};

/** Selects people. Values that a person hides from members are not compared. */
export const PeopleFilter = z.strictObject(filter);
export type PeopleFilter = z.infer<typeof PeopleFilter>;

export const FoundPerson = z.object({
  id: Id,
  /** Null without a profile. */
  name: z.nullable(z.string()),
  /** Address of the account. Null if members may not see it. */
  email: z.nullable(z.string()),
  /** Null if members may not see it, or without a profile. */
  department: z.nullable(z.string()),
  yearGraduated: z.nullable(z.int()),
  states: z.array(z.enum(personStates)),
  createdAt: Timestamp,
});
export type FoundPerson = z.infer<typeof FoundPerson>;

export type DisclosureReason = (typeof disclosureReasons)[number];

export const Disclosure = z.object({
  at: Timestamp,
  reason: z.enum(disclosureReasons),
  text: z.string(),
});

const HiddenDetails = z.object({
  /** The whole profile, with the full date of birth. Null without a profile. */
  profile: z.nullable(Profile),
  email: z.string(),
  pendingEmail: z.nullable(z.string()),
  until: Timestamp,
});

const count = z.int();

/** The file of a person. A part is null if the caller does not have the right to see it. */
export const PersonFile = z.object({
  ...FoundPerson.shape,
  lastSeenAt: Timestamp,
  /** The profile as every member sees it. Null if members do not see the person. */
  profile: z.nullable(Profile),
  /** Null until the caller gives a reason to look, and when the time is over. */
  hidden: z.nullable(HiddenDetails),
  roles: z.array(z.enum(staffRoles)),
  /** Why the caller cannot act on this person. Null if they can, as far as they have the rights. */
  protection: z.nullable(z.enum(['yourself', 'owner', 'staff'])),
  membership: z.nullable(
    z.object({
      status: z.enum(membershipStatuses),
      confirmedAt: z.nullable(Timestamp),
      /**
       * Since when staff say that the account posed as someone else, and who decided (null: the operator, or a deleted
       * account).
       */
      impostor: z.nullable(z.object({ since: Timestamp, decidedBy: z.nullable(z.string()) })),
      /** The linked roster entries in scope: the one that the account is confirmed as, and those of further degrees. */
      entries: z.array(z.object({ id: z.int(), matricNumber: z.string(), name: z.string() })),
      evidence: z.array(z.object({ kind: z.enum(evidenceKinds), createdAt: Timestamp, isWithdrawn: z.boolean() })),
    }),
  ),
  account: z.nullable(
    z.object({
      sessions: count,
      hasSecondFactor: z.boolean(),
      mailFailedAt: z.nullable(Timestamp),
      hasPendingEmail: z.boolean(),
      deletesAt: z.nullable(Timestamp),
    }),
  ),
  reports: z.nullable(z.object({ open: count, closed: count })),
  /** Whether the operator disabled the account. Only the operator can enable it. */
  isDisabled: z.boolean(),
  suspendedUntil: z.nullable(Timestamp),
  disclosures: count,
});
export type PersonFile = z.infer<typeof PersonFile>;

const id = { params: z.strictObject({ id: Id }) };

export const staffPeopleEndpoints = defineEndpoints({
  'GET /api/staff/people': {
    summary: 'Search for people in all states, newest account first, one page at a time, and for roster entries',
    access: { staff: 'people' },
    query: z.strictObject({ ...filter, after: z.optional(z.string().check(z.maxLength(200))) }),
    response: z.object({
      people: z.array(FoundPerson),
      next: z.nullable(z.string()),
      /**
       * Roster entries with the words of the name or the matric number, on the first page. Only with a text, without a
       * state, and within the right `claims`.
       */
      entries: z.array(FoundEntry),
    }),
  },
  'GET /api/staff/people/{id}': {
    summary: 'Get the file of a person, as far as the caller has the rights',
    access: { staff: 'people' },
    ...id,
    response: PersonFile,
    problems: ['not-found'],
  },
  'POST /api/staff/people/{id}/disclosures': {
    summary: 'Show hidden details of a person for 15 minutes. The person can read when and why',
    access: { staff: 'people' },
    needsRecentPassword: true,
    ...id,
    body: z.strictObject({
      reason: z.enum(disclosureReasons),
      /** Required for the reason `other`, otherwise ignored. The person reads it. */
      text: z.optional(prose(fieldLengths.interestMax)),
    }),
    problems: ['not-found'],
  },
  'GET /api/users/{id}/disclosures': {
    summary:
      'List when and why staff looked at hidden details of the caller, and how many exports contained the caller',
    access: 'session',
    ...id,
    response: z.object({
      disclosures: z.array(Disclosure),
      exports: z.object({ count, lastAt: z.nullable(Timestamp) }),
    }),
    problems: ['permission-denied'],
  },
});
