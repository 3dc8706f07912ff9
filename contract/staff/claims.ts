import * as z from 'zod/mini';
import { affiliations } from '../campus.ts';
import { Timestamp } from '../timestamp.ts';
import { defineEndpoints } from '../endpoint.ts';
import { fieldLengths } from '../field-lengths.ts';
import { Id, prose } from '../fields.ts';
import { ClaimQuestion, evidenceKinds, membershipStatuses } from '../membership.ts';

/**
 * How a name of an entry compares with the same field of a claim. `part`: one of several names is the same. `alike`:
 * other spelling.
 * `elsewhere`: the name is in another field of the claim. `short`: an initial or a short form.
 */
const NameAgreement = z.enum(['same', 'part', 'alike', 'elsewhere', 'short', 'differs', 'missing']);
const Agreement = z.enum(['same', 'differs', 'missing']);

/** How the values of a claim compare with those of an entry. `missing`: one of them has no value. */
export const FieldAgreement = z.object({
  matricNumber: z.enum(['same', 'one-edit', 'differs', 'missing']),
  /** Neither date is shown, so that staff ask for a document instead of reading it out. */
  birthDate: z.enum(['same', 'differs', 'missing']),
  lastName: NameAgreement,
  firstName: NameAgreement,
  otherNames: NameAgreement,
  gender: Agreement,
  department: Agreement,
  /** `same` if one has all words of the other: HND, and HND Accountancy. */
  program: Agreement,
  year: z.enum(['same', 'near', 'differs', 'missing']),
  /** The verified address of the account and that of the entry. */
  email: Agreement,
});
export type FieldAgreement = z.infer<typeof FieldAgreement>;

/** Values of a claim or of an entry, for side by side. Never a birth date. */
const values = {
  matricNumber: z.string(),
  lastName: z.string(),
  firstName: z.string(),
  otherNames: z.string(),
  /** Empty if unknown, like the other texts. */
  gender: z.string(),
  department: z.string(),
  program: z.string(),
  /** 0 if unknown. */
  yearAdmitted: z.int(),
  yearGraduated: z.int(),
};

/** The names, the gender, the department, the program and the years come from the profile. */
export const TypedValues = z.object(values);
export type TypedValues = z.infer<typeof TypedValues>;

export const StaffAccount = z.object({
  id: Id,
  /** Null without a profile. */
  name: z.nullable(z.string()),
  email: z.string(),
  status: z.enum(membershipStatuses),
  createdAt: Timestamp,
});
export type StaffAccount = z.infer<typeof StaffAccount>;

const StaffName = z.pick(StaffAccount, { id: true, name: true, email: true });
export type StaffName = z.infer<typeof StaffName>;

export const StaffEntry = z.object({
  id: z.int(),
  ...values,
  college: z.string(),
  status: z.enum(['student', 'graduate', 'left']),
  /** Confidential, deceased, contested or no longer on the roster: never confirmed without staff. */
  isRestricted: z.boolean(),
});
export type StaffEntry = z.infer<typeof StaffEntry>;

export const StaffEvidence = z.object({
  kind: z.enum(evidenceKinds),
  assurance: z.enum(['strong', 'moderate']),
  detail: z.string(),
  createdAt: Timestamp,
  isWithdrawn: z.boolean(),
});
export type StaffEvidence = z.infer<typeof StaffEvidence>;

export const ClaimCandidate = z.object({
  entry: StaffEntry,
  agreement: FieldAgreement,
  /** The account that is confirmed as this entry. `account` is null if it is out of scope. */
  heldBy: z.nullable(
    z.object({
      account: z.nullable(StaffName),
      assurance: z.enum(['strong', 'moderate']),
      isClaimant: z.boolean(),
    }),
  ),
});
export type ClaimCandidate = z.infer<typeof ClaimCandidate>;

export const StaffClaim = z.object({
  id: Id,
  version: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  account: StaffAccount,
  typed: TypedValues,
  note: z.string(),
  /** What the university said about the claimant, with campus sign-on, and whether it gave the names of the profile. */
  campus: z.optional(z.object({ affiliation: z.nullable(z.enum(affiliations)), areNamesSame: z.boolean() })),
  /** Other accounts that claimed with a university account of the claimant. Null for one out of scope. */
  sharesCampusAccountWith: z.array(z.nullable(StaffName)),
  /** The oldest first. */
  questions: z.array(ClaimQuestion),
  /** The type of the document of the last answer. Null: there is none (any more). */
  document: z.nullable(z.enum(['webp', 'pdf'])),
  /** At most five, the most similar first. The order proves nothing. */
  candidates: z.array(ClaimCandidate),
  evidence: z.array(StaffEvidence),
  vouches: z.object({ yes: z.int(), unsure: z.int(), no: z.int() }),
  /**
   * The only free entry with the same number, birth date, names and class, and the answer of its address. Null: there
   * is none.
   */
  agreeing: z.nullable(
    z.object({
      entryId: z.int(),
      /** When the address was asked. Null: not yet, or there is no address. */
      toldAt: z.nullable(Timestamp),
      objectedAt: z.nullable(Timestamp),
      objection: z.string(),
    }),
  ),
});
export type StaffClaim = z.infer<typeof StaffClaim>;

export const DisputeSide = z.object({
  account: StaffAccount,
  /** The values of the latest claim, or of the profile. */
  typed: TypedValues,
  /** Null if the entry is out of scope. */
  agreement: z.nullable(FieldAgreement),
  evidence: z.array(StaffEvidence),
  isHolding: z.boolean(),
});
export type DisputeSide = z.infer<typeof DisputeSide>;

export const StaffDispute = z.object({
  id: Id,
  version: z.string(),
  createdAt: Timestamp,
  /** Null if the entry is out of scope, or its person has objected. */
  entry: z.nullable(StaffEntry),
  /** Whether the caller may decide: not if the entry is out of scope. */
  canDecide: z.boolean(),
  holder: DisputeSide,
  /** Null if the holder was reported from the address of the entry, or the entry changed. */
  claimant: z.nullable(DisputeSide),
  /** What the person behind that address wrote; may be empty. */
  text: z.string(),
});
export type StaffDispute = z.infer<typeof StaffDispute>;

const ProfileValues = z.object({
  lastName: z.string(),
  firstName: z.string(),
  matricNumber: z.string(),
  department: z.string(),
  yearGraduated: z.int(),
});

/** A change that a confirmed member wants and that disagrees with the confirmation, for the decision or after it. */
export const StaffChange = z.object({
  id: Id,
  version: z.string(),
  createdAt: Timestamp,
  account: StaffAccount,
  /** Who the member is confirmed as. Of a decided change: before the decision. */
  confirmed: ProfileValues,
  /** Omitted values do not change. */
  wanted: z.partial(ProfileValues),
  /** The entry that the member is confirmed as. Null if there is none, or it is out of scope. */
  entry: z.nullable(StaffEntry),
  evidence: z.array(StaffEvidence),
});
export type StaffChange = z.infer<typeof StaffChange>;

const params = z.strictObject({ id: Id });
const problems = ['not-found'] as const;

export const staffClaimEndpoints = defineEndpoints({
  'GET /api/staff/claims/{id}': {
    summary: 'Get a claim, with the roster entries that it may refer to',
    access: { staff: 'claims' },
    params,
    response: StaffClaim,
    problems,
  },
  'POST /api/staff/claims/{id}/questions': {
    summary: 'Ask the claimant a question, which is mailed. Refused while the last one is not answered',
    access: { staff: 'claims' },
    params,
    body: z.strictObject({ text: z.pipe(prose(fieldLengths.questionMax), z.string().check(z.minLength(5))) }),
    problems: ['not-found', 'staff/refused'],
  },
  'POST /api/staff/claims/{id}/document': {
    summary: 'Download the document of an answer, as WebP or PDF, and delete it',
    access: { staff: 'claims' },
    params,
    file: 'application/octet-stream',
    problems: ['not-found', 'staff/refused'],
  },
  'GET /api/staff/changes/{id}': {
    summary: 'Get a change that a confirmed member wants: the confirmed values beside the new ones',
    access: { staff: 'claims' },
    params,
    response: StaffChange,
    problems,
  },
  'GET /api/staff/disputes/{id}': {
    summary: 'Get a dispute: both accounts beside the roster entry',
    access: { staff: 'claims' },
    params,
    response: StaffDispute,
    problems,
  },
});
