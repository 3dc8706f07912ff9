import * as z from 'zod/mini';
import { type Affiliation, type CampusFailure, affiliations } from '#contract/campus.ts';
import { Email, cleanAndTruncate } from '#contract/fields.ts';
import { fieldLengths } from '#contract/field-lengths.ts';
import { type Campus, type CampusIdentity, hasDomain } from '#server/domain/campus-arrival.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** The claims of the ID token, whose `sub` was checked, and those of UserInfo: empty if it was not needed. */
export interface Answer {
  readonly idToken: Claims & { readonly sub: string };
  readonly userInfo: Claims;
}

type Settings = Pick<Campus, 'issuer' | 'domains' | 'studentDomains' | 'affiliationClaim'>;

export const googleIssuer = 'https://accounts.google.com';

/** A subject has at most 255 ASCII characters (OpenID Connect Core, section 2). */
export const isSubject = (sub: unknown): sub is string => typeof sub === 'string' && /^[\x21-\x7e]{1,255}$/u.test(sub);

export const isMissingClaims = ({ affiliationClaim = 'sub' }: Settings, idToken: Claims): boolean =>
  ['email', 'given_name', 'family_name', affiliationClaim].some((name) => idToken[name] === undefined);

/** Why campus sign-on failed. Contains nothing that the provider sent, except `email`. */
export class CampusError extends Error {
  override readonly name = 'CampusError';
  readonly failure: CampusFailure;
  /** The address that is not of the university. */
  readonly email: string | null;

  /** @param outcome from a fixed list, for the log */
  constructor(failure: CampusFailure, outcome: string, email: string | null = null) {
    super(outcome);
    this.failure = failure;
    this.email = email;
  }
}

/**
 * Reads the identity from the claims. `addressError`: why the address is not trusted. The identity can then only sign in to
 * an account that is already connected.
 */
export function readIdentity(
  settings: Settings,
  { idToken, userInfo }: Answer,
): { readonly identity: CampusIdentity; readonly addressError: CampusError | null } {
  const claims: Claims = { ...userInfo, ...idToken };
  const read = readAddress(settings, pickAddress(idToken, userInfo), claims['hd']);
  const [email, addressError] = read instanceof CampusError ? [null, read] : [read, null];
  const identity = {
    issuer: settings.issuer,
    subject: idToken.sub,
    email,
    firstName: readName(claims['given_name']),
    lastName: readName(claims['family_name']),
    affiliation: readAffiliation(settings, claims, email),
  };
  return { identity, addressError };
}

/** The address and its verification must come from one place, because they could be about two addresses. */
function pickAddress(idToken: Claims, userInfo: Claims): Claims {
  const hasVerification = idToken['email_verified'] !== undefined || idToken['xms_edov'] !== undefined;
  return hasVerification || userInfo['email'] === undefined ? idToken : userInfo;
}

const isTrue = (value: unknown): boolean => value === true || value === 'true';

function readAddress(
  { issuer, domains }: Settings,
  { email: claimed, email_verified: verified, xms_edov: ownsDomain }: Claims,
  hostedDomain: unknown,
): string | CampusError {
  const { success, data: email = '' } = z.safeParse(Email, claimed);
  // Microsoft omits `email_verified`, and says with `xms_edov` whether the tenant owns the domain of the address.
  const isVerified =
    verified === undefined ? isTrue(ownsDomain) || ownsDomain === 1 || ownsDomain === '1' : isTrue(verified);
  const isHosted = issuer !== googleIssuer || (typeof hostedDomain === 'string' && domains.includes(hostedDomain));
  if (success && !(isHosted && hasDomain(email, domains)))
    return new CampusError('wrong-account', 'wrong-account', email);
  return success && isVerified ? email : new CampusError('no-address', 'no-address');
}

const readName = (value: unknown): string =>
  typeof value === 'string' ? cleanAndTruncate(value, fieldLengths.nameMax) : '';

/**
 * Returns whether the person is a student or a graduate, as the university says: with the scope of a listed domain, or
 * by a trusted address that only students have. A person who is both counts as a student, because the check of the year
 * is stricter.
 */
function readAffiliation(
  { domains, studentDomains, affiliationClaim }: Settings,
  claims: Claims,
  trusted: string | null,
): Affiliation | null {
  const values = affiliationClaim === undefined ? [] : [claims[affiliationClaim]].flat();
  const found = values.flatMap((value) => {
    const [kind = '', scope = '', ...rest] = typeof value === 'string' ? value.toLowerCase().split('@') : [];
    return rest.length === 0 && domains.includes(scope) ? [kind] : [];
  });
  if (trusted !== null && hasDomain(trusted, studentDomains)) found.push('student');
  return affiliations.find((kind) => found.includes(kind)) ?? null;
}
