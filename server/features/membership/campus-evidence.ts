import { sql } from 'kysely';
import type { ClaimResult } from '#contract/membership.ts';
import {
  type Campus,
  type CampusIdentity,
  findConnection,
  hasDomain,
  hashIdentity,
} from '#server/domain/campus-arrival.ts';
import type { Context } from '#server/domain/context.ts';
import type { Identity } from '#server/db/schema.ts';
import { openClaim, recordAttempt } from '#server/domain/membership/claims.ts';
import { identitiesAgree, namesAgree } from '#server/domain/membership/identity-agreement.ts';
import { type Session, lockAccountOfSession } from '#server/domain/accounts/sessions.ts';
import type { ClaimInput } from '#server/domain/roster/claim-input.ts';
import {
  type ClaimedEntry,
  findClaimedEntries,
  findClass,
  hasEntryWithAddress,
} from '#server/domain/roster/claimed-entries.ts';
import { toMatricKey } from '#server/domain/roster/matric-key.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { countFirstClaim, decideClaim, findStanding } from './claims.ts';

/**
 * Claims membership with what the university said. Confirms only the first claim of an account, and one account for
 * each university account. Staff decide everything else.
 * @throws ProblemError permission-denied if the university account is not connected with the caller's account
 */
export async function submitCampusClaim(
  context: Context,
  { domains }: Campus,
  session: Session,
  identity: CampusIdentity,
): Promise<ClaimResult> {
  const { institution } = context;
  return context.db.transaction().execute(async (tx) => {
    const account = await lockAccountOfSession(tx, session);
    const connection = await findConnection(tx, account.id);
    if (connection?.issuer !== identity.issuer || connection.subject !== identity.subject)
      throw new ProblemError('permission-denied', { detail: 'Connect your university account first.' });
    const { email } = connection;
    const standing = await findStanding(tx, account.id);
    if (standing.status === 'confirmed') return { status: standing.status };
    const { id, typed: claim } = await openClaim(tx, account.id, null);
    const identityHash = hashIdentity(identity);
    const campus = {
      affiliation: identity.affiliation,
      areNamesSame: namesAgree(identity, claim),
      identity: identityHash.toString('hex'),
    };
    await sql`update claims set typed = typed || ${JSON.stringify({ campus })}::jsonb where id = ${id}`.execute(tx);
    await recordAttempt(tx, account.id, 'claim', { ...claim, campus });
    const isFirst = await countFirstClaim(context, tx, standing, [email, account.email]);
    const used = await tx
      .selectFrom('evidence')
      .select('id')
      .where('identity_hash', '=', identityHash)
      .where('withdrawn_at', 'is', null)
      .executeTakeFirst();
    const isAccepted = isFirst && !used && institution.acceptedEvidence.includes('campus-sign-on');
    const found = findCampusEvidence({
      claim,
      identity,
      email,
      domains,
      entries: await findClaimedEntries(tx, {
        matricKey: toMatricKey(claim.matricNumber),
        email,
        birthDate: claim.dob,
      }),
      isAddressOnRoster: await hasEntryWithAddress(tx, email),
      classmates: await findClass(tx, claim),
    });
    const detail = `${institution.abbreviation} says: ${identity.affiliation}`;
    const evidence = isAccepted && found ? { ...found, kind: 'campus-sign-on' as const, detail, identityHash } : null;
    return decideClaim(tx, context, account.id, evidence);
  });
}

interface CampusClaim {
  readonly claim: ClaimInput;
  readonly identity: Pick<CampusIdentity, 'firstName' | 'lastName' | 'affiliation'>;
  /** The address of the connection. */
  readonly email: string;
  readonly domains: readonly string[];
  readonly entries: readonly ClaimedEntry[];
  readonly isAddressOnRoster: boolean;
  readonly classmates: readonly Identity[];
}

/**
 * Returns the roster entry to link, `entryId: null` to confirm without an entry, or null to leave the claim to staff.
 * The provider must state that the person is a student or graduate, and its names must match the profile.
 *
 * With an entry: exactly one has the matric number, or the address and the birth date. Its names and class match, and
 * its birth date and university address, if known, do not differ.
 *
 * Without: no entry has the number or the address, no entry of the class has the names, and the year fits the
 * affiliation.
 */
export function findCampusEvidence(evidence: CampusClaim): { readonly entryId: number | null } | null {
  const { claim, identity, email, entries } = evidence;
  if (identity.affiliation === null || !namesAgree(identity, claim)) return null;
  const [entry, ...others] = entries;
  if (entry) {
    const isOpen = others.length === 0 && !entry.needsStaff && entry.heldBy !== 'strong';
    const isOtherBirthDate = entry.birthDate !== null && entry.birthDate !== claim.dob;
    const isOtherAddress = entry.email !== null && entry.email !== email && hasDomain(entry.email, evidence.domains);
    return isOpen && !isOtherBirthDate && !isOtherAddress && identitiesAgree(claim, entry)
      ? { entryId: entry.id }
      : null;
  }
  const thisYear = new Date().getUTCFullYear();
  const isYearPlausible =
    identity.affiliation === 'student' ? claim.yearGraduated >= thisYear - 1 : claim.yearGraduated <= thisYear;
  const isUnknown =
    toMatricKey(claim.matricNumber) !== '' &&
    !evidence.isAddressOnRoster &&
    !evidence.classmates.some((one) => identitiesAgree(claim, one));
  return isYearPlausible && isUnknown ? { entryId: null } : null;
}
