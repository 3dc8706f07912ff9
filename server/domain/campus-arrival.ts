import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Affiliation, CampusArrival } from '#contract/campus.ts';
import type { Institution } from '#contract/institution.ts';
import type { Db } from '#server/db/client.ts';
import { ConfigError } from '#server/platform/config/config-error.ts';
import type { Config } from '#server/platform/config/config.ts';
import { openInstallationKey } from '#server/platform/crypto/installation-key.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { createCookie } from '#server/platform/http/cookies.ts';
import type { Context } from './context.ts';

export type Campus = NonNullable<Config['campus']> & NonNullable<Institution['campusSignOn']>;

/** Returns the settings of campus sign-on; null if there are none. @throws ConfigError if only one half is set */
export function findCampus({ config, institution }: Pick<Context, 'config' | 'institution'>): Campus | null {
  const { campus } = config;
  const { campusSignOn } = institution;
  if ((campus === null) !== (campusSignOn === undefined))
    throw new ConfigError(
      'Campus sign-on needs "campusSignOn" in the institution file together with CAMPUS_ISSUER, CAMPUS_CLIENT_ID and CAMPUS_CLIENT_SECRET.',
    );
  return campus && campusSignOn ? { ...campus, ...campusSignOn } : null;
}

/** What binds the provider's answer to one browser (OpenID Connect Core, section 3.1.2.1; RFC 7636). */
export type CampusFlow = Record<'expectedState' | 'expectedNonce' | 'pkceCodeVerifier', string>;

export interface CampusIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** The trusted address, in canonical form. Null: the provider confirmed none. */
  readonly email: string | null;
  readonly firstName: string;
  readonly lastName: string;
  readonly affiliation: Affiliation | null;
}

/** What `/campus` says instead of the next step. */
export type FailedArrival = Pick<CampusArrival, 'next' | 'email' | 'detail' | 'problem'>;

type CookieContent = Pick<CampusArrival, 'from'> &
  ({ readonly flow: CampusFlow } | { readonly identity: CampusIdentity } | FailedArrival);

const arrivalTtlSeconds = 600;

/** An encrypted cookie instead of a table: a flow that no one finishes leaves nothing. */
export function createCampusCookie({ http, dataDir, campus }: Config) {
  const issuer = campus?.issuer ?? '';
  const cookie = createCookie('campus', arrivalTtlSeconds, http.publicUrl);
  const keys = openInstallationKey(dataDir);
  const key = () => keys.derive('campus arrival');

  /** Returns null without a cookie, and for one that is older than ten minutes, forged, or of another provider. */
  async function read(request: FastifyRequest): Promise<CookieContent | null> {
    const token = cookie.read(request);
    if (token === undefined) return null;
    const { jwtDecrypt } = await import('jose');
    const options = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'], issuer };
    const opened = await jwtDecrypt(token, await key(), options).catch(() => null);
    return (opened?.payload['arrival'] as CookieContent | undefined) ?? null;
  }

  return {
    read,
    /** @throws ProblemError auth/sign-in-expired */
    requireIdentity: async (request: FastifyRequest): Promise<CampusIdentity> => {
      const arrival = await read(request);
      if (!arrival || !('identity' in arrival)) throw new ProblemError('auth/sign-in-expired');
      return arrival.identity;
    },
    write: async (reply: FastifyReply, arrival: CookieContent): Promise<void> => {
      const { EncryptJWT } = await import('jose');
      const token = new EncryptJWT({ arrival })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setIssuer(issuer)
        .setExpirationTime(`${arrivalTtlSeconds}s`);
      cookie.write(reply, await token.encrypt(await key()));
    },
    clear: (reply: FastifyReply): void => cookie.clear(reply),
  };
}

/** Returns the digest under which evidence stores a university account. */
export const hashIdentity = ({ issuer, subject }: Pick<CampusIdentity, 'issuer' | 'subject'>): Buffer =>
  hash('sha256', JSON.stringify([issuer, subject]), 'buffer');

/** Returns the university account that is connected with an account. */
export const findConnection = async (db: Db, accountId: string) =>
  (await db
    .selectFrom('campus_identities')
    .select(['issuer', 'subject', 'email', 'connected_at as connectedAt', 'used_at as usedAt'])
    .where('account_id', '=', accountId)
    .executeTakeFirst()) ?? null;

/** Returns whether an address has one of the domains, exactly. @param email canonical */
export const hasDomain = (email: string, domains: readonly string[]): boolean =>
  domains.includes(email.slice(email.lastIndexOf('@') + 1));
