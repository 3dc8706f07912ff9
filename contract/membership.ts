import * as z from 'zod/mini';
import { Timestamp } from './timestamp.ts';
import { defineEndpoints } from './endpoint.ts';
import { DocumentData, Id, line, orEmpty, pastDay, prose } from './fields.ts';
import { fieldLengths } from './field-lengths.ts';
import { earliestYear } from './filter-limits.ts';
import { texts } from './texts.ts';
import { maxDocumentBodyBytes } from './upload-limits.ts';

/**
 * How an account becomes a member. `open`: by verifying the address and completing the profile. `confirmed`: the
 * institution must confirm the account as well.
 */
export const membershipModes = ['open', 'confirmed'] as const;
export type MembershipMode = (typeof membershipModes)[number];

/**
 * Status of an account in the mode `confirmed`. Only accounts that are `confirmed` or in a grace period are members.
 */
export const membershipStatuses = ['unconfirmed', 'confirmed', 'disputed', 'rejected'] as const;
export type MembershipStatus = (typeof membershipStatuses)[number];

export const acceptableEvidenceKinds = [
  'printed-code',
  'roster-email',
  'staff-review',
  'campus-sign-on',
  'peer-vouch',
] as const;
export type AcceptableEvidenceKind = (typeof acceptableEvidenceKinds)[number];

/**
 * All kinds in stored evidence. `knowledge-match` is in evidence of earlier versions: it still reads, and confirms no
 * one else.
 */
export const evidenceKinds = [...acceptableEvidenceKinds, 'knowledge-match'] as const;
export type EvidenceKind = (typeof evidenceKinds)[number];

/** Strength of each kind of evidence. Strong evidence replaces moderate evidence of another account. */
export const assuranceOf = {
  'printed-code': 'strong',
  'roster-email': 'strong',
  'staff-review': 'strong',
  'campus-sign-on': 'strong',
  'knowledge-match': 'moderate',
  'peer-vouch': 'moderate',
} as const satisfies Record<EvidenceKind, 'strong' | 'moderate'>;
export type Assurance = (typeof assuranceOf)[EvidenceKind];

export const OwnStatus = z.object({
  status: z.enum(membershipStatuses),
  /** End of the grace period. Until then, the account counts as confirmed. Null if there is none. */
  confirmBy: z.nullable(z.string()),
  isWaiting: z.boolean(),
});
export type OwnStatus = z.infer<typeof OwnStatus>;

/** A question of staff about a claim. */
export const ClaimQuestion = z.object({
  id: Id,
  text: z.string(),
  askedAt: Timestamp,
  answer: z.string(),
  /** Null until the claimant answers. */
  answeredAt: z.nullable(Timestamp),
});
export type ClaimQuestion = z.infer<typeof ClaimQuestion>;

export const Membership = z.object({
  ...OwnStatus.shape,
  confirmedAt: z.nullable(Timestamp),
  accepts: z.array(z.enum(acceptableEvidenceKinds)),
  /** The current evidence, oldest first. */
  evidence: z.array(
    z.object({ id: Id, kind: z.enum(evidenceKinds), assurance: z.enum(['strong', 'moderate']), createdAt: Timestamp }),
  ),
  claim: z.nullable(
    z.object({
      state: z.enum(['waiting', 'confirmed', 'rejected', 'withdrawn', 'expired']),
      createdAt: Timestamp,
      matricNumber: z.string(),
      dob: z.string(),
      reason: z.string(),
    }),
  ),
  /** The last question of staff about the pending claim. */
  question: z.nullable(ClaimQuestion),
  /** Values of the profile that fill the claim form; null without a profile. */
  suggested: z.nullable(z.object({ matricNumber: z.string(), dob: z.string() })),
  /** Median days until staff decide, over the last 90 days. Null with fewer than five decisions. */
  usualDays: z.nullable(z.int()),
  vouching: z.object({
    /** Whether the class has enough confirmed members, so that vouching is possible. */
    isAvailable: z.boolean(),
    linkExpiresAt: z.nullable(Timestamp),
    /** Number of answers with yes that count. */
    received: z.int(),
  }),
});
export type Membership = z.infer<typeof Membership>;

/** The names, the department and the year come from the profile. */
export const Claim = z.strictObject({
  matricNumber: line(fieldLengths.lineMax),
  dob: pastDay(texts.empty),
  /** For staff, for example a former name. */
  note: z.optional(orEmpty(prose(fieldLengths.messageMax))),
});
export type Claim = z.infer<typeof Claim>;

/** What a claim or a code led to. All failures are `waiting`, so that the answer reveals nothing about the roster. */
export const ClaimResult = z.object({ status: z.enum(['confirmed', 'waiting']) });
export type ClaimResult = z.infer<typeof ClaimResult>;

/**
 * A code on a slip or in a mail: 12 characters of Crockford base32, in any case, with or without spaces and hyphens.
 */
const MembershipCode = z.string().check(z.minLength(1), z.maxLength(40));

/** The code in a link: vouch links and notices to an entry's mailbox. */
const LinkCode = z.string().check(z.minLength(1), z.maxLength(200));

/** The person who asks a classmate to vouch, as the confirmed classmate sees them. */
export const Claimant = z.object({
  name: z.string(),
  /**
   * Path of the picture of the account. Null: there is none, members may not see it, or the caller may not answer.
   */
  thumb: z.nullable(z.string()),
  /** For the question whether this person has sent the link. */
  firstName: z.string(),
  accountCreatedAt: Timestamp,
  department: z.string(),
  yearGraduated: z.int().check(z.minimum(earliestYear)),
  /**
   * Digest of the name, the department and the year. An answer contains it, so that it counts only for what the caller
   * saw.
   */
  version: z.string(),
  answer: z.nullable(z.enum(['yes', 'unsure', 'no'])),
  /** Whether the caller is the representative of this person's class, so that their “yes” is enough alone. */
  isRepresentative: z.boolean(),
  refusal: z.nullable(z.enum(['not-confirmed', 'too-new', 'other-class', 'limit', 'suspended', 'own', 'decided'])),
});
export type Claimant = z.infer<typeof Claimant>;

/** An answer to the question of a vouch link. @property version that of the `Claimant` whom the caller was shown */
const VouchAnswer = z.strictObject({
  answer: z.enum(['yes', 'unsure', 'no']),
  version: z.string().check(z.maxLength(100)),
});

/** Also for the “yes” of a class representative, which is a decision of staff. */
const answerProblems = [
  'permission-denied',
  'profile-changed',
  'auth/requires-recent-login',
  'staff/too-many-requests',
] as const;
const codeParams = z.strictObject({ code: LinkCode });

export const membershipEndpoints = defineEndpoints({
  'GET /api/membership': {
    summary:
      'Get the membership of the caller: status, evidence and latest claim. Responds with “not-found” in archives without confirmation',
    access: 'verified',
    feature: 'confirmation',
    response: Membership,
  },
  'POST /api/membership/claims': {
    summary: 'Claim an entry of the roster. The response reveals only whether the caller is confirmed',
    access: 'onboarded',
    feature: 'confirmation',
    body: Claim,
    response: ClaimResult,
  },
  'DELETE /api/membership/claims': {
    summary: 'Withdraw the open claim. Succeeds also when there is none',
    access: 'onboarded',
    feature: 'confirmation',
  },
  'POST /api/membership/answers': {
    summary:
      'Answer the open question of staff about the pending claim of the caller, with a text, a photo or PDF, or both',
    access: 'onboarded',
    feature: 'confirmation',
    maxBodyBytes: maxDocumentBodyBytes,
    body: z.strictObject({
      question: Id,
      text: z.optional(orEmpty(prose(fieldLengths.answerMax))),
      document: z.optional(orEmpty(DocumentData)),
    }),
    problems: ['not-found'],
  },
  'POST /api/membership/codes': {
    summary: 'Use a printed or mailed code',
    access: 'onboarded',
    feature: 'confirmation',
    body: z.strictObject({ code: MembershipCode }),
    response: ClaimResult,
    problems: ['membership/wrong-code'],
  },
  'POST /api/membership/mailed-codes': {
    summary: 'Mail a code to the address in the roster. The response is the same whether or not there is such an entry',
    access: 'onboarded',
    feature: 'confirmation',
    body: z.pick(Claim, { matricNumber: true, dob: true }),
  },
  'DELETE /api/membership/evidence': {
    summary: 'Withdraw all evidence of the caller. This ends the membership',
    access: 'onboarded',
    feature: 'confirmation',
    needsRecentPassword: true,
  },
  'POST /api/membership/vouch-link': {
    summary: 'Create the link with which the caller asks classmates to vouch. Replaces the previous link',
    access: 'onboarded',
    feature: 'vouching',
    response: z.object({ url: z.string(), expiresAt: Timestamp }),
  },
  'GET /api/membership/vouch-links/{code}': {
    summary: 'Get the person behind a vouch link',
    access: 'verified',
    feature: 'vouching',
    params: codeParams,
    response: Claimant,
    problems: ['permission-denied'],
  },
  'PUT /api/membership/vouch-links/{code}': {
    summary: 'Answer the request behind a vouch link',
    access: 'verified',
    feature: 'vouching',
    params: codeParams,
    body: VouchAnswer,
    problems: answerProblems,
  },
  'POST /api/membership/disputes': {
    summary:
      'Report, with the code from a notice, that the confirmed account is not the person who received the notice',
    access: 'everyone',
    feature: 'confirmation',
    body: z.strictObject({
      code: LinkCode,
      text: z.optional(orEmpty(prose(fieldLengths.messageMax))),
    }),
  },
});
