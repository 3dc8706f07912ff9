import * as z from 'zod/mini';
import { Timestamp } from './timestamp.ts';
import { OneTimeCode, PasskeyName, RecoveryCode } from './second-factor-codes.ts';
import { defineEndpoints } from './endpoint.ts';
import { Id } from './fields.ts';
import { User } from './identity.ts';

/*
 * Second factors: a code from an authenticator app, a passkey, or a recovery code. A passkey also works without a
 * password (decision 15 in docs/decisions).
 */

export const Passkey = z.object({
  id: Id,
  name: z.string(),
  createdAt: Timestamp,
  usedAt: z.nullable(Timestamp),
});
export type Passkey = z.infer<typeof Passkey>;

export const SecondFactor = z.object({
  authenticator: z.nullable(z.object({ addedAt: Timestamp })),
  passkeys: z.array(Passkey),
  /** Number of unused recovery codes. 0 if the account has no second factor. */
  recoveryCodes: z.int(),
});
export type SecondFactor = z.infer<typeof SecondFactor>;

/** Recovery codes. They are shown only once, because the database stores digests. */
const RecoveryCodes = z.array(z.string());

const FirstRecoveryCodes = z.object({ recoveryCodes: z.nullable(RecoveryCodes) });

const base64Url = (max: number) => z.string().check(z.maxLength(max), z.regex(/^[\w-]+$/u));

const CredentialId = base64Url(1400);
const Transports = z.array(z.string().check(z.maxLength(40))).check(z.maxLength(10));
const Descriptor = z.object({ id: CredentialId, type: z.literal('public-key'), transports: Transports });

/** The options for `navigator.credentials.create` (WebAuthn, section 5.4). */
const CreationOptions = z.object({
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  challenge: z.string(),
  pubKeyCredParams: z.array(z.object({ alg: z.int(), type: z.literal('public-key') })),
  timeout: z.int(),
  excludeCredentials: z.array(Descriptor),
  authenticatorSelection: z.object({
    residentKey: z.literal('required'),
    requireResidentKey: z.literal(true),
    userVerification: z.literal('required'),
  }),
  attestation: z.literal('none'),
});
export type CreationOptions = z.infer<typeof CreationOptions>;

/** The options for `navigator.credentials.get` (WebAuthn, section 5.5). */
const RequestOptions = z.object({
  challenge: z.string(),
  timeout: z.int(),
  rpId: z.string(),
  /** If empty, any passkey for this site is allowed. */
  allowCredentials: z.array(Descriptor),
  userVerification: z.literal('required'),
});
export type RequestOptions = z.infer<typeof RequestOptions>;

/** The result of `navigator.credentials.create`. Unknown keys are dropped. */
const Registration = z.object({
  id: CredentialId,
  rawId: CredentialId,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: base64Url(8_000),
    attestationObject: base64Url(32_000),
    transports: z.optional(Transports),
  }),
});
export type Registration = z.infer<typeof Registration>;

/** The result of `navigator.credentials.get`. Unknown keys are dropped. */
const Assertion = z.object({
  id: CredentialId,
  rawId: CredentialId,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: base64Url(8_000),
    authenticatorData: base64Url(8_000),
    signature: base64Url(8_000),
    userHandle: z.optional(base64Url(200)),
  }),
});
export type Assertion = z.infer<typeof Assertion>;

const Proof = z
  .strictObject({
    code: z.optional(OneTimeCode),
    recoveryCode: z.optional(RecoveryCode),
    passkey: z.optional(Assertion),
  })
  .check(
    z.refine(
      ({ code, recoveryCode, passkey }) =>
        [code, recoveryCode, passkey].filter((one) => one !== undefined).length === 1,
      'Send exactly one of code, recoveryCode and passkey',
    ),
  );
export type Proof = z.infer<typeof Proof>;

export const secondFactorEndpoints = defineEndpoints({
  'GET /api/identity/sign-in/second-factor': {
    summary: 'Get the second factors that can complete the pending sign-in of this browser',
    access: 'everyone',
    response: z.object({
      authenticator: z.boolean(),
      passkey: z.boolean(),
      recoveryCode: z.boolean(),
      /** Whether the university confirmed the account, instead of a password. */
      isByCampus: z.optional(z.literal(true)),
    }),
    problems: ['auth/sign-in-expired'],
  },
  'POST /api/identity/sign-in/second-factor/options': {
    summary: 'Get the WebAuthn options to complete the pending sign-in of this browser with a passkey',
    access: 'everyone',
    response: RequestOptions,
    problems: ['auth/sign-in-expired'],
  },
  'POST /api/identity/sign-in/second-factor': {
    summary:
      'Complete a pending sign-in with an app code, a recovery code or a passkey, within five minutes and five attempts',
    access: 'everyone',
    body: Proof,
    response: z.object({ user: User }),
    problems: [
      'auth/invalid-verification-code',
      'auth/sign-in-expired',
      'auth/too-many-requests',
      'auth/user-disabled',
    ],
  },
  'POST /api/identity/sign-in/passkey/options': {
    summary: 'Get the WebAuthn options to sign in with a passkey, without a password',
    access: 'everyone',
    response: RequestOptions,
    problems: ['auth/too-many-requests'],
  },
  'POST /api/identity/sign-in/passkey': {
    summary: 'Sign in with a passkey, without a password',
    access: 'everyone',
    body: z.strictObject({ passkey: Assertion }),
    response: z.object({ user: User }),
    problems: ['auth/invalid-passkey', 'auth/too-many-requests', 'auth/user-disabled'],
  },
  'GET /api/identity/second-factor': {
    summary: 'Get the second factors of the account',
    access: 'session',
    response: SecondFactor,
  },
  // Factors need a verified address: otherwise a person could sign up with another person's address and lock the owner
  // out with a factor.
  'POST /api/identity/authenticator': {
    summary: 'Create a secret for an authenticator app. It takes effect when a code confirms it',
    access: 'verified',
    needsRecentPassword: true,
    response: z.object({
      /** Secret in Base32, to enter manually. */
      secret: z.string(),
      /** The secret as an `otpauth:` URI, for a QR code. */
      uri: z.string(),
    }),
    problems: ['auth/second-factor-already-in-use', 'auth/too-many-requests'],
  },
  'POST /api/identity/authenticator/confirm': {
    summary: 'Turn on the authenticator app with a code from it. The first factor ends all other sessions',
    access: 'verified',
    needsRecentPassword: true,
    body: z.strictObject({ code: OneTimeCode }),
    response: FirstRecoveryCodes,
    problems: ['auth/invalid-verification-code', 'auth/second-factor-already-in-use', 'auth/too-many-requests'],
  },
  'DELETE /api/identity/authenticator': {
    summary: 'Turn off the authenticator app',
    access: 'session',
    needsRecentPassword: true,
    problems: ['not-found'],
  },
  'POST /api/identity/recovery-codes': {
    summary: 'Create ten new recovery codes. The old codes stop working',
    access: 'session',
    needsRecentPassword: true,
    response: z.object({ recoveryCodes: RecoveryCodes }),
    problems: ['auth/too-many-requests', 'not-found'],
  },
  'POST /api/identity/passkeys/options': {
    summary: 'Get the WebAuthn options to create a passkey for the account',
    access: 'verified',
    needsRecentPassword: true,
    response: CreationOptions,
    problems: ['auth/too-many-requests'],
  },
  'POST /api/identity/passkeys': {
    summary: 'Add a new passkey. The first factor ends all other sessions',
    access: 'verified',
    needsRecentPassword: true,
    body: z.strictObject({ name: PasskeyName, passkey: Registration }),
    response: FirstRecoveryCodes,
    problems: ['auth/invalid-passkey', 'auth/second-factor-already-in-use', 'auth/too-many-requests'],
  },
  'DELETE /api/identity/passkeys/{id}': {
    summary: 'Remove a passkey of the account',
    access: 'session',
    needsRecentPassword: true,
    params: z.strictObject({ id: Id }),
    problems: ['not-found'],
  },
});
