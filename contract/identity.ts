import * as z from 'zod/mini';
import { Timestamp } from './timestamp.ts';
import { defineEndpoints } from './endpoint.ts';
import { Email, Id, NewPassword, Password } from './fields.ts';
import { fieldLengths } from './field-lengths.ts';
import { OwnStatus } from './membership.ts';

/**
 * Purpose of a mailed link. `refuseEmailChange`, sent to the current address, cancels a change that staff requested.
 * `verifyAndChangeEmail` confirms a new address, and `recoverEmail`, sent to the old address, undoes that change (D3
 * and D6 in docs/conformance.md).
 */
export const ActionMode = z.enum([
  'verifyEmail',
  'resetPassword',
  'recoverEmail',
  'verifyAndChangeEmail',
  'refuseEmailChange',
]);
export type ActionMode = z.infer<typeof ActionMode>;

/** The signed-in user (specification, section 3), with the fields that the page header shows. */
export const User = z.object({
  uid: Id,
  email: z.string(),
  emailVerified: z.boolean(),
  /** Last name, a space, first name. Null until the onboarding is complete. */
  displayName: z.nullable(z.string()),
  imgURL: z.nullable(z.string()),
  /** The department that the dashboard shows first. */
  department: z.nullable(z.string()),
  yearGraduated: z.nullable(z.int()),
  /** Number of unread notifications, at most 100. */
  unread: z.int(),
  /** Null in archives that require no confirmation. */
  membership: z.nullable(OwnStatus),
  isStaff: z.boolean(),
});
export type User = z.infer<typeof User>;

export const PasswordStatus = z.object({
  isValid: z.boolean(),
  meetsMinPasswordLength: z.boolean(),
  meetsMaxPasswordLength: z.boolean(),
  isNotCommon: z.boolean(),
  isNotOwnEmail: z.boolean(),
});
export type PasswordStatus = z.infer<typeof PasswordStatus>;

const ActionCode = z.string().check(z.minLength(1), z.maxLength(200));

const Cooldown = z.object({
  /** Seconds until the next mail can be requested. 0 means immediately. */
  retryAfter: z.int(),
});

/**
 * Reason why mail to an address fails. `no-mailbox`: its mail server reports that the mailbox does not exist. `closed`:
 * the mailbox accepts no mail. `reported`: the operator reported a bounced mail.
 */
export const MailFault = z.enum(['no-mailbox', 'closed', 'reported']);
export type MailFault = z.infer<typeof MailFault>;

export const UndeliverableAddress = z.object({ email: z.string(), fault: MailFault });
export type UndeliverableAddress = z.infer<typeof UndeliverableAddress>;

const SessionUser = z.object({ user: User });

export const Device = z.object({
  id: Id,
  current: z.boolean(),
  createdAt: Timestamp,
  seenAt: Timestamp,
  userAgent: z.string(),
});
export type Device = z.infer<typeof Device>;

/** The version of the terms that the page showed (`contract/terms.ts`). The user accepts this version only. */
export const TermsVersion = z.string().check(z.minLength(1), z.maxLength(20));

export const AcceptedTerms = z.object({ version: z.nullable(z.string()), acceptedAt: z.nullable(Timestamp) });
export type AcceptedTerms = z.infer<typeof AcceptedTerms>;

export const identityEndpoints = defineEndpoints({
  'POST /api/identity/sign-up': {
    summary: 'Create an account, sign in, and queue the verification mail',
    access: 'everyone',
    body: z.strictObject({ email: Email, password: NewPassword, terms: TermsVersion }),
    response: SessionUser,
    problems: [
      'auth/email-already-in-use',
      'auth/password-does-not-meet-requirements',
      'auth/too-many-requests',
      'sign-up/too-many-requests',
      'terms-changed',
    ],
  },
  'POST /api/identity/sign-in': {
    summary:
      'Sign in with email and password. An account with a second factor must complete the sign-in within five minutes',
    access: 'everyone',
    body: z.strictObject({ email: Email, password: Password }),
    response: SessionUser,
    problems: ['auth/invalid-credential', 'auth/multi-factor-required', 'auth/too-many-requests', 'auth/user-disabled'],
  },
  'POST /api/identity/sign-out': { summary: 'End this session', access: 'everyone' },
  'GET /api/identity/session': {
    summary: 'Get the signed-in user, or null',
    access: 'everyone',
    response: z.object({ user: z.nullable(User) }),
  },
  'GET /api/identity/verification': {
    summary: 'Get the seconds until the verification mail can be sent again, and whether mail to the caller fails',
    access: 'session',
    response: z.extend(Cooldown, { undelivered: z.nullable(UndeliverableAddress) }),
  },
  'POST /api/identity/verification': {
    summary:
      'Send the verification mail again, at most once in 179 seconds. Verified addresses get one only after mail to them failed',
    access: 'session',
    response: Cooldown,
    problems: ['auth/too-many-requests', 'sign-up/too-many-requests'],
  },
  'POST /api/identity/action-code/check': {
    summary: 'Get the purpose of a mailed code, without using it',
    access: 'everyone',
    body: z.strictObject({ code: ActionCode }),
    response: z.object({
      mode: ActionMode,
      /** The email address to verify, to reset the password of, or to restore. */
      email: z.string(),
      /**
       * Whether the code belongs to the signed-in account. If not, the page requires confirmation before it applies the
       * code.
       */
      isOwn: z.boolean(),
    }),
    problems: ['auth/invalid-action-code', 'auth/expired-action-code', 'auth/too-many-requests'],
  },
  'POST /api/identity/action-code/apply': {
    summary: 'Use a mailed code of mode verifyEmail, verifyAndChangeEmail, recoverEmail or refuseEmailChange, once',
    access: 'everyone',
    body: z.strictObject({ code: ActionCode }),
    response: z.object({ mode: ActionMode, email: z.string() }),
    problems: [
      'auth/invalid-action-code',
      'auth/expired-action-code',
      'auth/email-already-in-use',
      'auth/too-many-requests',
    ],
  },
  'POST /api/identity/password-reset': {
    summary: 'Request a password reset mail. The response does not reveal whether the address has an account',
    access: 'everyone',
    body: z.strictObject({ email: Email }),
    problems: ['auth/too-many-requests'],
  },
  'POST /api/identity/password-reset/confirm': {
    summary: 'Set a new password with a code of mode resetPassword, and end all sessions',
    access: 'everyone',
    body: z.strictObject({ code: ActionCode, password: NewPassword }),
    problems: [
      'auth/invalid-action-code',
      'auth/expired-action-code',
      'auth/password-does-not-meet-requirements',
      'auth/too-many-requests',
    ],
  },
  'POST /api/identity/reauthenticate': {
    summary: 'Confirm the password before a sensitive action',
    access: 'session',
    body: z.strictObject({ password: Password }),
    problems: ['auth/invalid-credential', 'auth/too-many-requests'],
  },
  'POST /api/identity/email': {
    summary: 'Change the email address: at once while it is unverified, otherwise after the new address is confirmed',
    access: 'session',
    needsRecentPassword: true,
    body: z.strictObject({ email: Email }),
    response: z.object({
      /** Whether the change is pending until the new address is verified with the mailed link. */
      pending: z.boolean(),
      user: User,
    }),
    problems: ['auth/email-already-in-use', 'auth/too-many-requests'],
  },
  'POST /api/identity/password': {
    summary: 'Change the password, and end all other sessions',
    access: 'session',
    needsRecentPassword: true,
    body: z.strictObject({ password: NewPassword }),
    problems: ['auth/password-does-not-meet-requirements', 'auth/too-many-requests'],
  },
  'GET /api/identity/password-policy': {
    summary: 'Get the password policy',
    access: 'everyone',
    response: z.object({
      minPasswordLength: z.int(),
      maxPasswordLength: z.int(),
      refusesCommonPasswords: z.boolean(),
      refusesOwnEmail: z.boolean(),
    }),
  },
  'POST /api/identity/password-status': {
    summary: 'Get which rules of the password policy a password meets. The password is not stored',
    access: 'everyone',
    body: z.strictObject({
      email: z.optional(z.string().check(z.maxLength(4 * fieldLengths.emailMax))),
      password: z.string().check(z.maxLength(1000)),
    }),
    response: PasswordStatus,
    problems: ['auth/too-many-requests'],
  },
  'POST /api/identity/token': {
    summary:
      'Get a token for the connected site. The response header x-auth-token contains a JWT (Ed25519) for the signed-in user, valid for five minutes. Public keys: /.well-known/jwks.json',
    access: 'confirmed',
    problems: ['auth/too-many-requests', 'not-found'],
  },
  'GET /api/identity/sessions': {
    summary: 'List the sessions of the account',
    access: 'session',
    response: z.object({ sessions: z.array(Device) }),
  },
  'DELETE /api/identity/sessions/{id}': {
    summary: 'End one session of the account',
    access: 'session',
    params: z.strictObject({ id: Id }),
    problems: ['not-found'],
  },
  'DELETE /api/identity/sessions': {
    summary: 'End all sessions except the current one',
    access: 'session',
  },
  'GET /api/identity/terms': {
    summary: 'Get the accepted version of the terms, and when it was accepted',
    access: 'session',
    response: AcceptedTerms,
  },
  'POST /api/identity/terms': {
    summary: 'Accept the current terms',
    access: 'session',
    body: z.strictObject({ terms: TermsVersion }),
    response: AcceptedTerms,
    problems: ['terms-changed'],
  },
  'DELETE /api/identity/account': {
    summary: 'Delete the caller’s account with all its data: at once, or when no old email address is held any more',
    access: 'session',
    needsRecentPassword: true,
    response: z.object({
      /**
       * Time when the account will be deleted. The account is hidden until then. Null when it was deleted immediately.
       */
      deletesAt: z.nullable(Timestamp),
    }),
    problems: ['staff/refused'],
  },
});
