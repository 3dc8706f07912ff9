import * as z from 'zod/mini';
import { OneTimeCode, PasskeyName, RecoveryCode } from './codes.ts';
import { defineEndpoints } from './endpoint.ts';
import { Id } from './fields.ts';
import { User } from './identity.ts';

/*
 * What somebody can be asked for beside the password: a code of their authenticator app, a passkey, a recovery code.
 * A passkey also signs in by itself (decision 15 in docs/decisions).
 */

export const Passkey = z.object({
  id: Id,
  name: z.string(),
  createdAt: z.string(),
  usedAt: z.nullable(z.string()),
});
export type Passkey = z.infer<typeof Passkey>;

/** What an account has beside its password, without any secret. */
export const SecondFactor = z.object({
  authenticator: z.nullable(z.object({ addedAt: z.string() })),
  passkeys: z.array(Passkey),
  /** How many recovery codes are left; none without another factor. */
  recoveryCodes: z.int(),
});
export type SecondFactor = z.infer<typeof SecondFactor>;

/** Shown once, when they are made: only digests are kept. */
const RecoveryCodes = z.array(z.string());

/** Those that come with the first factor; null where there were some already. */
const FirstRecoveryCodes = z.object({ recoveryCodes: z.nullable(RecoveryCodes) });

const base64Url = (max: number) => z.string().check(z.maxLength(max), z.regex(/^[\w-]+$/u));

const CredentialId = base64Url(1400);
const Transports = z.array(z.string().check(z.maxLength(40))).check(z.maxLength(10));
const Descriptor = z.object({ id: CredentialId, type: z.literal('public-key'), transports: Transports });

/** What a browser hands to `navigator.credentials.create` (WebAuthn, section 5.4). */
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

/** What a browser hands to `navigator.credentials.get` (WebAuthn, section 5.5). */
const RequestOptions = z.object({
  challenge: z.string(),
  timeout: z.int(),
  rpId: z.string(),
  /** Empty: whichever passkey somebody has for this site. */
  allowCredentials: z.array(Descriptor),
  userVerification: z.literal('required'),
});
export type RequestOptions = z.infer<typeof RequestOptions>;

/** What comes back from the former; what we do not read is dropped. */
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

/** What comes back from the latter. */
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

/** The one thing with which somebody shows that it is them. */
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
      'Send one of code, recoveryCode and passkey',
    ),
  );
export type Proof = z.infer<typeof Proof>;

export const secondFactorEndpoints = defineEndpoints({
  'GET /api/identity/sign-in/second-factor': {
    summary: 'With what the sign-in that this browser has begun can be completed',
    response: z.object({ authenticator: z.boolean(), passkey: z.boolean(), recoveryCode: z.boolean() }),
    problems: ['auth/sign-in-expired'],
  },
  'POST /api/identity/sign-in/second-factor/options': {
    summary: 'What a passkey has to sign to complete the sign-in that this browser has begun',
    response: RequestOptions,
    problems: ['auth/sign-in-expired'],
  },
  'POST /api/identity/sign-in/second-factor': {
    summary:
      'Complete a sign-in with a code of the app, a recovery code or a passkey: within five minutes, with five tries',
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
    summary: 'What a passkey has to sign to sign in without a password',
    response: RequestOptions,
    problems: ['auth/too-many-requests'],
  },
  'POST /api/identity/sign-in/passkey': {
    summary: 'Sign in with a passkey, without a password',
    body: z.strictObject({ passkey: Assertion }),
    response: z.object({ user: User }),
    problems: ['auth/invalid-passkey', 'auth/too-many-requests', 'auth/user-disabled'],
  },
  'GET /api/identity/second-factor': {
    summary: 'What the own account asks for beside the password',
    response: SecondFactor,
    problems: ['auth/unauthenticated'],
  },
  'POST /api/identity/authenticator': {
    summary: 'Begin to set up an authenticator app: a secret for it, which counts once a code has confirmed it',
    response: z.object({
      /** In Base32, for whoever types it. */
      secret: z.string(),
      /** The same as an `otpauth:` address, for a QR code. */
      uri: z.string(),
    }),
    problems: [
      'auth/unauthenticated',
      'auth/unverified-email',
      'auth/requires-recent-login',
      'auth/second-factor-already-in-use',
      'auth/too-many-requests',
    ],
  },
  'POST /api/identity/authenticator/confirm': {
    summary: 'Switch the authenticator app on, with a code that it shows; the first factor ends every other session',
    body: z.strictObject({ code: OneTimeCode }),
    response: FirstRecoveryCodes,
    problems: [
      'auth/unauthenticated',
      'auth/unverified-email',
      'auth/requires-recent-login',
      'auth/invalid-verification-code',
      'auth/second-factor-already-in-use',
      'auth/too-many-requests',
    ],
  },
  'DELETE /api/identity/authenticator': {
    summary: 'Switch the authenticator app off',
    problems: ['auth/unauthenticated', 'auth/requires-recent-login', 'not-found'],
  },
  'POST /api/identity/recovery-codes': {
    summary: 'Make ten new recovery codes; the old ones open nothing any more',
    response: z.object({ recoveryCodes: RecoveryCodes }),
    problems: ['auth/unauthenticated', 'auth/requires-recent-login', 'auth/too-many-requests', 'not-found'],
  },
  'POST /api/identity/passkeys/options': {
    summary: 'What a browser needs to make a passkey for the own account',
    response: CreationOptions,
    problems: ['auth/unauthenticated', 'auth/unverified-email', 'auth/requires-recent-login', 'auth/too-many-requests'],
  },
  'POST /api/identity/passkeys': {
    summary: 'Add the passkey that was made; the first factor ends every other session',
    body: z.strictObject({ name: PasskeyName, passkey: Registration }),
    response: FirstRecoveryCodes,
    problems: [
      'auth/unauthenticated',
      'auth/unverified-email',
      'auth/requires-recent-login',
      'auth/invalid-passkey',
      'auth/second-factor-already-in-use',
      'auth/too-many-requests',
    ],
  },
  'DELETE /api/identity/passkeys/{id}': {
    summary: 'Remove one of the own passkeys',
    params: z.strictObject({ id: Id }),
    problems: ['auth/unauthenticated', 'auth/requires-recent-login', 'not-found'],
  },
});
