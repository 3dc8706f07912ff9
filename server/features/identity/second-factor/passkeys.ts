import { sql } from 'kysely';
import { maxPasskeysPerAccount } from '#contract/quotas.ts';
import type { Assertion, CreationOptions, Registration, RequestOptions } from '#contract/second-factor.ts';
import { secondFactorTtlSeconds } from '#contract/durations.ts';
import { type Db, now } from '#server/db/client.ts';
import { isUniqueViolation } from '#server/db/errors.ts';
import type { ChallengePurpose } from '#server/db/schema.ts';
import type { Context } from '#server/domain/context.ts';
import { type Session, lockAccountOfSession } from '#server/domain/accounts/sessions.ts';
import { ProblemError, invalidField } from '#server/platform/http/problem.ts';
import { hashToken, newToken } from '#server/platform/crypto/tokens.ts';
import { addFactor, recordFactorRemoval } from './second-factor.ts';

/** Loaded on first use, because it is large. */
const loadLibrary = () => import('@simplewebauthn/server');
const loadHelpers = () => import('@simplewebauthn/server/helpers');

/**
 * Removes the attestation statement from an attestation object. The server does not request a statement, and the
 * library would fetch URLs from its certificates, which a client could choose.
 * @throws Error if the object is malformed
 */
async function stripAttestation(attestationObject: string): Promise<string> {
  const { decodeAttestationObject, isoBase64URL, isoCBOR } = await loadHelpers();
  const authData = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject)).get('authData');
  return isoBase64URL.fromBuffer(
    isoCBOR.encode(
      new Map<string, string | Map<string, string> | Uint8Array>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]),
    ),
  );
}

/** COSE identifiers of EdDSA, ES256 and RS256. Every authenticator supports at least one of them. */
const algorithms = [-8, -7, -257];

/** Returns the relying party: a passkey belongs to the host name and works on this origin only. */
const getRelyingParty = ({ config }: Pick<Context, 'config'>) => ({
  origin: config.http.publicUrl,
  id: new URL(config.http.publicUrl).hostname,
});

interface ChallengeScope {
  readonly purpose: ChallengePurpose;
  readonly boundTo: string;
}

/** Returns the user handle: the id of the account in 16 bytes, without personal data (WebAuthn, section 14.6.1). */
const toUserHandle = (accountId: string): string =>
  Buffer.from(accountId.replaceAll('-', ''), 'hex').toString('base64url');

/**
 * Returns the options with which a browser creates a passkey. The passkey has to be discoverable and to verify the user
 * by fingerprint, face or PIN, so that it can replace the password.
 * @throws ProblemError auth/too-many-requests
 */
export async function createRegistrationOptions(context: Context, { id, account }: Session): Promise<CreationOptions> {
  const { db, limiter, institution } = context;
  await limiter.requireAttempt(db, 'setUpFactorByAccount', account.id);
  return {
    rp: { id: getRelyingParty(context).id, name: `${institution.abbreviation} alumni archive` },
    user: { id: toUserHandle(account.id), name: account.email, displayName: account.displayName ?? account.email },
    challenge: await createChallenge(db, { purpose: 'add', boundTo: id }, account.id),
    pubKeyCredParams: algorithms.map((alg) => ({ alg, type: 'public-key' })),
    timeout: secondFactorTtlSeconds * 1000,
    excludeCredentials: await findCredentialDescriptors(db, account.id),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    // The model of the authenticator does not matter, so do not collect it.
    attestation: 'none',
  };
}

/**
 * Adds a passkey that a browser has created.
 * @returns new recovery codes if this is the first factor; otherwise null
 * @throws ProblemError auth/invalid-passkey, auth/second-factor-already-in-use, auth/too-many-requests,
 *   auth/unauthenticated
 */
export async function addPasskey(
  context: Context,
  session: Session,
  name: string,
  passkey: Registration,
): Promise<string[] | null> {
  const { db } = context;
  const site = getRelyingParty(context);
  const expectedChallenge = await useChallenge(db, passkey, { purpose: 'add', boundTo: session.id });
  const { verifyRegistrationResponse } = await loadLibrary();
  const { response } = passkey;
  const attestationObject = await stripAttestation(response.attestationObject).catch(throwInvalidPasskey);
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: {
      ...passkey,
      clientExtensionResults: {},
      response: { clientDataJSON: response.clientDataJSON, attestationObject },
    },
    expectedChallenge,
    expectedOrigin: site.origin,
    expectedRPID: site.id,
    supportedAlgorithmIDs: algorithms,
  }).catch(throwInvalidPasskey);
  if (!verified) throw new ProblemError('auth/invalid-passkey');
  const { id, publicKey, counter } = registrationInfo.credential;
  return db
    .transaction()
    .execute(async (tx) => {
      const account = await lockAccountOfSession(tx, session);
      return addFactor(context, tx, session, account, {
        change: 'passkey-added',
        detail: name,
        add: async () => {
          const { count } = await tx
            .selectFrom('passkeys')
            .select(sql<number>`count(*)::int`.as('count'))
            .where('account_id', '=', account.id)
            .executeTakeFirstOrThrow();
          if (count >= maxPasskeysPerAccount)
            throw invalidField('/name', `You have ${count} passkeys. Remove one first`);
          await tx
            .insertInto('passkeys')
            .values({
              account_id: account.id,
              credential_id: id,
              public_key: Buffer.from(publicKey),
              counter,
              transports: response.transports ?? [],
              name,
            })
            .execute();
        },
      });
    })
    .catch((error: unknown) => {
      throw isUniqueViolation(error) ? new ProblemError('auth/second-factor-already-in-use') : error;
    });
}

export async function removePasskey({ db }: Context, session: Session, id: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const account = await lockAccountOfSession(tx, session);
    const removed = await tx
      .deleteFrom('passkeys')
      .where('id', '=', id)
      .where('account_id', '=', account.id)
      .returning('name')
      .executeTakeFirst();
    if (!removed) throw new ProblemError('not-found');
    await recordFactorRemoval(tx, account, 'passkey-removed', removed.name);
  });
}

/**
 * Returns the options with which a browser uses a passkey.
 * @param accountId the account whose passkeys are allowed; null to let the user choose any passkey of this site
 */
export async function createAuthenticationOptions(
  context: Context,
  scope: ChallengeScope,
  accountId: string | null,
): Promise<RequestOptions> {
  const { db } = context;
  return {
    challenge: await createChallenge(db, scope, accountId),
    timeout: secondFactorTtlSeconds * 1000,
    rpId: getRelyingParty(context).id,
    allowCredentials: accountId === null ? [] : await findCredentialDescriptors(db, accountId),
    userVerification: 'required',
  };
}

/** `recordUse` has to run in the transaction that relies on the passkey. */
interface VerifiedPasskey {
  readonly accountId: string;
  readonly recordUse: (tx: Db) => Promise<void>;
}

/**
 * Verifies the signature of a passkey. The challenge counts as used, even if the verification fails.
 * @param accountId the account that the passkey has to belong to; null to identify the account by the passkey
 * @throws ProblemError auth/invalid-passkey
 */
export async function verifyPasskey(
  context: Context,
  passkey: Assertion,
  scope: ChallengeScope,
  accountId: string | null,
): Promise<VerifiedPasskey> {
  const { db } = context;
  const site = getRelyingParty(context);
  const expectedChallenge = await useChallenge(db, passkey, scope);
  const row = await db
    .selectFrom('passkeys')
    .select(['id', 'account_id as accountId', 'credential_id as credentialId', 'public_key as publicKey', 'counter'])
    .where('credential_id', '=', passkey.id)
    .executeTakeFirst();
  const { userHandle, ...response } = passkey.response;
  const isMeant =
    row !== undefined &&
    (accountId === null || row.accountId === accountId) &&
    (userHandle === undefined || userHandle === toUserHandle(row.accountId));
  if (!isMeant) throw new ProblemError('auth/invalid-passkey');
  const { verifyAuthenticationResponse } = await loadLibrary();
  // The library refuses a signature counter that has not increased, because the passkey may have been cloned.
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: { ...passkey, clientExtensionResults: {}, response },
    expectedChallenge,
    expectedOrigin: site.origin,
    expectedRPID: site.id,
    credential: {
      id: row.credentialId,
      publicKey: new Uint8Array(row.publicKey),
      counter: Number(row.counter),
    },
  }).catch(throwInvalidPasskey);
  if (!verified) throw new ProblemError('auth/invalid-passkey');
  return {
    accountId: row.accountId,
    recordUse: async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('passkeys')
        .set({ counter: authenticationInfo.newCounter, used_at: now })
        .where('id', '=', row.id)
        // The passkey may have been used or removed in the meantime.
        .where('counter', '=', row.counter)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw new ProblemError('auth/invalid-passkey');
    },
  };
}

export async function deleteExpiredChallenges(db: Db): Promise<void> {
  await db.deleteFrom('challenges').where('expires_at', '<', now).execute();
}

async function findCredentialDescriptors(db: Db, accountId: string): Promise<RequestOptions['allowCredentials']> {
  return db
    .selectFrom('passkeys')
    .select(['credential_id as id', sql.lit('public-key' as const).as('type'), 'transports'])
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .execute();
}

async function createChallenge(
  db: Db,
  { purpose, boundTo }: ChallengeScope,
  accountId: string | null,
): Promise<string> {
  const { token, hash } = newToken();
  // A new request makes the previous challenge useless.
  await db.deleteFrom('challenges').where('purpose', '=', purpose).where('bound_to', '=', hashToken(boundTo)).execute();
  await db
    .insertInto('challenges')
    .values({
      challenge_hash: hash,
      purpose,
      bound_to: hashToken(boundTo),
      account_id: accountId,
      expires_at: sql<Date>`now() + make_interval(secs => ${secondFactorTtlSeconds})`,
    })
    .execute();
  return token;
}

/**
 * Deletes the challenge of a response, so that only one of several parallel responses can use it.
 * @returns the challenge
 */
async function useChallenge(
  db: Db,
  { response }: { response: { clientDataJSON: string } },
  { purpose, boundTo }: ChallengeScope,
): Promise<string> {
  const challenge = readChallenge(response.clientDataJSON);
  if (challenge === null) throw new ProblemError('auth/invalid-passkey');
  const { numDeletedRows } = await db
    .deleteFrom('challenges')
    .where('challenge_hash', '=', hashToken(challenge))
    .where('purpose', '=', purpose)
    .where('bound_to', '=', hashToken(boundTo))
    .where('expires_at', '>', now)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw new ProblemError('auth/invalid-passkey');
  return challenge;
}

function readChallenge(clientDataJSON: string): string | null {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as { challenge?: unknown };
    return typeof challenge === 'string' ? challenge : null;
  } catch {
    return null;
  }
}

function throwInvalidPasskey(error: unknown): never {
  throw new ProblemError('auth/invalid-passkey', { cause: error });
}
