import * as z from 'zod/mini';
import { defineEndpoints } from './endpoint.ts';
import { Email, Id, NewPassword, Password } from './fields.ts';
import { fieldLengths } from './field-lengths.ts';

/**
 * What a mailed link does. `verifyAndChangeEmail` proves a new address, `recoverEmail` undoes a change of address from
 * the old one (decisions 3 and 6).
 */
export const ActionMode = z.enum(['verifyEmail', 'resetPassword', 'recoverEmail', 'verifyAndChangeEmail']);
export type ActionMode = z.infer<typeof ActionMode>;

/** The signed-in user as the specification's section 3 has it, and what the shell shows of them. */
export const User = z.object({
  uid: Id,
  email: z.string(),
  emailVerified: z.boolean(),
  /** Last name, a space, first name: set at the end of onboarding, null before. */
  displayName: z.nullable(z.string()),
  imgURL: z.nullable(z.string()),
  /** Where the dashboard starts for this member. */
  department: z.nullable(z.string()),
  /** Notifications that have not been read, 100 at most. */
  unread: z.int(),
});
export type User = z.infer<typeof User>;

/** Which rules of the password policy a password meets; a client shows what is missing. */
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
  /** Seconds until a further mail can be asked for; 0 means now. */
  retryAfter: z.int(),
});

/**
 * Why mail does not get to an address: its mail server says that there is no such mailbox, or one that takes nothing; or
 * the office has had a mail come back.
 */
export const MailFault = z.enum(['no-mailbox', 'closed', 'reported']);
export type MailFault = z.infer<typeof MailFault>;

/** An address of the caller's own, the one that counts or the one that was wished for, to which mail does not get. */
export const Undelivered = z.object({ email: z.string(), fault: MailFault });
export type Undelivered = z.infer<typeof Undelivered>;

const SessionUser = z.object({ user: User });

export const Device = z.object({
  id: Id,
  current: z.boolean(),
  createdAt: z.string(),
  seenAt: z.string(),
  /** As the browser named itself; shown as it is, never interpreted. */
  userAgent: z.string(),
});
export type Device = z.infer<typeof Device>;

/** The version of the terms that a page has shown (`contract/terms.ts`): nobody agrees to others than those. */
const TermsVersion = z.string().check(z.minLength(1), z.maxLength(20));

/** Null where it was before this was written down. */
export const AcceptedTerms = z.object({ version: z.nullable(z.string()), acceptedAt: z.nullable(z.string()) });
export type AcceptedTerms = z.infer<typeof AcceptedTerms>;

export const identityEndpoints = defineEndpoints({
  'POST /api/identity/sign-up': {
    summary: 'Create an account, sign in, and queue the verification mail',
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
    summary: 'Sign in with address and password; an account with a second factor is asked for it then, in five minutes',
    body: z.strictObject({ email: Email, password: Password }),
    response: SessionUser,
    problems: ['auth/invalid-credential', 'auth/multi-factor-required', 'auth/too-many-requests', 'auth/user-disabled'],
  },
  'POST /api/identity/sign-out': { summary: 'End this session' },
  'GET /api/identity/session': {
    summary: 'Who is signed in here: a user, or null',
    response: z.object({ user: z.nullable(User) }),
  },
  'GET /api/identity/verification': {
    summary: 'How long until the verification mail can be sent again, and whether mail gets to the own address',
    response: z.extend(Cooldown, { undelivered: z.nullable(Undelivered) }),
    problems: ['auth/unauthenticated'],
  },
  'POST /api/identity/verification': {
    summary:
      'Send the verification mail again, at most once in 179 seconds; to a verified address only where mail did not get to it',
    response: Cooldown,
    problems: ['auth/unauthenticated', 'auth/too-many-requests', 'sign-up/too-many-requests'],
  },
  'POST /api/identity/action-code/check': {
    summary: 'Say what a mailed code would do; changes nothing and does not use it up',
    body: z.strictObject({ code: ActionCode }),
    response: z.object({
      mode: ActionMode,
      /** The address that the code verifies, resets, or restores. */
      email: z.string(),
      /** Whether it belongs to the account that is signed in here. Elsewhere, a person is asked before it is applied. */
      isOwn: z.boolean(),
    }),
    problems: ['auth/invalid-action-code', 'auth/expired-action-code', 'auth/too-many-requests'],
  },
  'POST /api/identity/action-code/apply': {
    summary: 'Do what a code of mode verifyEmail, verifyAndChangeEmail or recoverEmail stands for, once',
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
    summary: 'Ask for a reset mail; the answer is the same whether the address has an account or not',
    body: z.strictObject({ email: Email }),
    problems: ['auth/too-many-requests'],
  },
  'POST /api/identity/password-reset/confirm': {
    summary: 'Choose a new password with a code of mode resetPassword; ends every session',
    body: z.strictObject({ code: ActionCode, password: NewPassword }),
    problems: [
      'auth/invalid-action-code',
      'auth/expired-action-code',
      'auth/password-does-not-meet-requirements',
      'auth/too-many-requests',
    ],
  },
  'POST /api/identity/reauthenticate': {
    summary: 'Type the password again before a sensitive act',
    body: z.strictObject({ password: Password }),
    problems: ['auth/unauthenticated', 'auth/invalid-credential', 'auth/too-many-requests'],
  },
  'POST /api/identity/email': {
    summary: 'Change the address: at once while it is unverified, else when the new one has proved itself',
    body: z.strictObject({ email: Email }),
    response: z.object({
      /** True when a link in the new mailbox has to be followed before the new address counts. */
      pending: z.boolean(),
      user: User,
    }),
    problems: [
      'auth/unauthenticated',
      'auth/requires-recent-login',
      'auth/email-already-in-use',
      'auth/too-many-requests',
    ],
  },
  'POST /api/identity/password': {
    summary: 'Change the password; ends every other session',
    body: z.strictObject({ password: NewPassword }),
    problems: [
      'auth/unauthenticated',
      'auth/requires-recent-login',
      'auth/password-does-not-meet-requirements',
      'auth/too-many-requests',
    ],
  },
  'GET /api/identity/password-policy': {
    summary: 'What a password has to be like',
    response: z.object({
      minPasswordLength: z.int(),
      maxPasswordLength: z.int(),
      refusesCommonPasswords: z.boolean(),
      refusesOwnEmail: z.boolean(),
    }),
  },
  'POST /api/identity/password-status': {
    summary: 'Which rules of the policy a password meets; nothing is kept',
    body: z.strictObject({
      email: z.optional(z.string().check(z.maxLength(4 * fieldLengths.emailMax))),
      password: z.string().check(z.maxLength(1000)),
    }),
    response: PasswordStatus,
    problems: ['auth/too-many-requests'],
  },
  'POST /api/identity/token': {
    summary:
      'A token for the configured other site, in the header x-auth-token: who is signed in, for five minutes (JWT, Ed25519; keys at /.well-known/jwks.json)',
    problems: ['auth/unauthenticated', 'auth/unverified-email', 'auth/too-many-requests', 'not-found'],
  },
  'GET /api/identity/sessions': {
    summary: 'Where this account is signed in',
    response: z.object({ sessions: z.array(Device) }),
    problems: ['auth/unauthenticated'],
  },
  'DELETE /api/identity/sessions/{id}': {
    summary: 'End one of the own sessions',
    params: z.strictObject({ id: Id }),
    problems: ['auth/unauthenticated', 'not-found'],
  },
  'DELETE /api/identity/sessions': {
    summary: 'End every session but this one',
    problems: ['auth/unauthenticated'],
  },
  'GET /api/identity/terms': {
    summary: 'Which terms the caller has accepted, and when',
    response: AcceptedTerms,
    problems: ['auth/unauthenticated'],
  },
  'POST /api/identity/terms': {
    summary: 'Accept the terms that count now',
    body: z.strictObject({ terms: TermsVersion }),
    response: AcceptedTerms,
    problems: ['auth/unauthenticated', 'terms-changed'],
  },
  'DELETE /api/identity/account': {
    summary: 'Delete your own account with all its data: at once, or when the last held email address is released',
    response: z.object({
      /** When the account, which is hidden at once, will be deleted; null when it was deleted because no old address is held. */
      deletesAt: z.nullable(z.string()),
    }),
    problems: ['auth/unauthenticated', 'auth/requires-recent-login'],
  },
});
