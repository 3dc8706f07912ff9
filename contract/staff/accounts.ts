import * as z from 'zod/mini';
import { Timestamp } from '../timestamp.ts';
import { defineEndpoints } from '../endpoint.ts';
import { Email, Id, prose } from '../fields.ts';
import { fieldLengths } from '../field-lengths.ts';
import { clearanceReasons, suspensionLengths } from './people-values.ts';

const repeatedMails = ['verification', 'password-reset'] as const;
export type RepeatedMail = (typeof repeatedMails)[number];

const id = { params: z.strictObject({ id: Id }) };
const problems = ['not-found', 'staff/refused'] as const;

/**
 * Acts on the account of a person. All need a recent password, and are refused for owners, for the caller’s own
 * account, and, unless the caller is an owner, for registrars and moderators.
 */
export const staffAccountEndpoints = defineEndpoints({
  'DELETE /api/staff/people/{id}/sessions': {
    summary: 'Sign a person out on all devices. The person gets an email',
    access: { staff: 'change-accounts' },
    needsRecentPassword: true,
    ...id,
    problems,
  },
  'PUT /api/staff/people/{id}/email': {
    summary:
      'Change the address of a person whose identity was checked. A verified address changes after 72 hours, in which its mailbox can refuse, or after an approval. The new address must be verified',
    access: { staff: 'change-accounts' },
    needsRecentPassword: true,
    ...id,
    body: z.strictObject({
      email: Email,
      hasCheckedIdentity: z.literal(true),
    }),
    response: z.object({
      /**
       * Whether the email change is pending for 72 hours or until an approval, and then until the link in the mail to
       * the new address is opened.
       */
      isPending: z.boolean(),
    }),
    problems: [...problems, 'auth/email-already-in-use', 'sign-up/too-many-requests'],
  },
  'POST /api/staff/people/{id}/second-factor-reset': {
    summary:
      'Remove the second factor of a member of staff whose identity was checked. For owners. That of an owner needs an approval. The person gets an email',
    access: { staff: 'roles' },
    needsRecentPassword: true,
    ...id,
    body: z.strictObject({
      hasCheckedIdentity: z.literal(true),
    }),
    response: z.object({ result: z.enum(['removed', 'requested']) }),
    problems,
  },
  'POST /api/staff/people/{id}/mails': {
    summary: 'Send the email with the verification or password reset link again',
    access: { staff: 'change-accounts' },
    needsRecentPassword: true,
    ...id,
    body: z.strictObject({ mail: z.enum(repeatedMails) }),
    problems,
  },
  'POST /api/staff/people/{id}/deletion': {
    summary:
      'Delete the account of a person who asked for it. It is hidden at once, and its mailbox can cancel the deletion for 30 days',
    access: { staff: 'change-accounts' },
    needsRecentPassword: true,
    ...id,
    response: z.object({
      /** Null if it was deleted at once, because its address was never verified. */
      deletesAt: z.nullable(Timestamp),
    }),
    problems,
  },
  'POST /api/staff/people/{id}/confirmation-withdrawal': {
    summary:
      'Withdraw the confirmation of a person, with all evidence. Members no longer see the person, who gets an email with the reason',
    access: { staff: 'claims' },
    needsRecentPassword: true,
    ...id,
    body: z.strictObject({
      /** The person reads it. */
      reason: prose(fieldLengths.messageMax),
      /** Whether the person posed as someone else: the members who vouched for them may not vouch for 180 days. */
      isImpostor: z.boolean(),
    }),
    problems,
  },
  'POST /api/staff/people/{id}/impostor-clearance': {
    summary: 'Clear the record that a person posed as someone else. Their account can be confirmed again',
    access: { staff: 'claims' },
    needsRecentPassword: true,
    ...id,
    body: z.strictObject({ reason: z.enum(clearanceReasons) }),
    problems,
  },
  'PUT /api/staff/people/{id}/suspension': {
    summary: 'Suspend an account: sign-in is refused, and no one sees the profile. The person gets an email',
    access: { staff: 'suspend-accounts' },
    needsRecentPassword: true,
    ...id,
    body: z.strictObject({
      days: z.union(suspensionLengths.map((days) => z.literal(days))),
      /** The person reads it. */
      text: z.optional(prose(fieldLengths.messageMax)),
    }),
    problems,
  },
  'DELETE /api/staff/people/{id}/suspension': {
    summary: 'End a suspension early. The person gets an email',
    access: { staff: 'suspend-accounts' },
    needsRecentPassword: true,
    ...id,
    problems,
  },
});
