import { sql } from 'kysely';
import type { ClaimResult } from '#contract/membership.ts';
import { type Campus, type CampusIdentity, hasDomain, hashIdentity } from '#server/domain/campus-arrival.ts';
import type { Context } from '#server/domain/context.ts';
import type { Db } from '#server/db/client.ts';
import type { Identity } from '#server/db/schema.ts';
import { openClaim, recordAttempt } from '#server/domain/membership/claims.ts';
import { confirmAccount, lockEntryAndHolder } from '#server/domain/membership/confirmations.ts';
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
import { findStanding } from './claims.ts';
import { reviewClaimJob } from './jobs.ts';

/**
 * Claims membership with what the university said. Confirms only the first claim of an account, and one account for
 * each university account. Staff decide everything else.
 * @throws ProblemError permission-denied if the university account is not connected with the caller's account
 */
export async function submitCampusClaim(
  context: Context,
  { issuer, domains }: Pick<Campus, 'issuer' | 'domains'>,
  session: Session,
  identity: CampusIdentity,
): Promise<ClaimResult> {
  const { institution, limiter } = context;
  return context.db.transaction().execute(async (tx) => {
    const account = await lockAccountOfSession(tx, session);
    const email = await lockConnection(tx, account.id, issuer, identity.subject);
    if (email === null)
      throw new ProblemError('permission-denied', { detail: 'Connect your university account first.' });
    const { status, hasClaimed } = await findStanding(tx, account.id);
    if (status === 'confirmed') return { status };
    const { id, typed } = await openClaim(tx, account.id, null);
    const identityHash = hashIdentity(issuer, identity.subject);
    const campus = {
      affiliation: identity.affiliation,
      areNamesSame: namesAgree(identity, typed),
      identity: identityHash.toString('hex'),
    };
    await sql`update claims set typed = typed || ${JSON.stringify({ campus })}::jsonb where id = ${id}`.execute(tx);
    await recordAttempt(tx, account.id, 'claim', { ...typed, campus });
    const isFirst = !hasClaimed && status === 'unconfirmed';
    // Both count, so that neither address gives further guesses.
    let isGuess = false;
    for (const address of isFirst ? new Set([email, account.email]) : [])
      if ((await limiter.countAttempt(tx, 'firstClaimsByMailbox', address)) > 0) isGuess = true;
    const isOpen = isFirst && !isGuess && !(await isUsed(tx, identityHash));
    const isAccepted = isOpen && institution.acceptedEvidence.includes('campus-sign-on');
    const entries = await findClaimedEntries(tx, {
      matricKey: toMatricKey(typed.matricNumber),
      email,
      birthDate: typed.dob,
    });
    const found = findCampusEvidence({ claim: typed, identity, email, domains }, entries, {
      isAddressOnRoster: await hasEntryWithAddress(tx, email),
      classmates: await findClass(tx, typed),
      thisYear: new Date().getUTCFullYear(),
    });
    // An undo of the last import may have deleted the entry in the meantime.
    if (isAccepted && found && (found.entryId === null || (await lockEntryAndHolder(tx, found.entryId)))) {
      const detail = `${institution.abbreviation} says: ${identity.affiliation}`;
      const evidence = { accountId: account.id, entryId: found.entryId, kind: 'campus-sign-on', detail } as const;
      const outcome = await confirmAccount(tx, context, { ...evidence, identityHash });
      return { status: outcome === 'confirmed' ? outcome : 'waiting' };
    }
    await reviewClaimJob.queue(tx, { accountId: account.id, contestedEntryId: null });
    return { status: 'waiting' };
  });
}

/** Locks the connection, so that it confirms one account. @returns its address; null if it is not of this account */
async function lockConnection(tx: Db, accountId: string, issuer: string, subject: string): Promise<string | null> {
  const row = await tx
    .selectFrom('campus_identities')
    .select('email')
    .where('account_id', '=', accountId)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .forUpdate()
    .executeTakeFirst();
  return row?.email ?? null;
}

async function isUsed(tx: Db, identityHash: Buffer): Promise<boolean> {
  const row = await tx
    .selectFrom('evidence')
    .select('id')
    .where('identity_hash', '=', identityHash)
    .where('withdrawn_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

interface CampusClaim {
  readonly claim: ClaimInput;
  readonly identity: CampusIdentity;
  /** The address of the connection. */
  readonly email: string;
  readonly domains: readonly string[];
}

interface RosterContext {
  readonly isAddressOnRoster: boolean;
  readonly classmates: readonly Identity[];
  readonly thisYear: number;
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
export function findCampusEvidence(
  { claim, identity, email, domains }: CampusClaim,
  entries: readonly ClaimedEntry[],
  { isAddressOnRoster, classmates, thisYear }: RosterContext,
): { readonly entryId: number | null } | null {
  const { affiliation } = identity;
  if (affiliation === null || !namesAgree(identity, claim)) return null;
  const [entry, ...others] = entries;
  if (entry) {
    const isOpen = others.length === 0 && !entry.needsStaff && entry.heldBy !== 'strong';
    const isOtherBirthDate = entry.birthDate !== null && entry.birthDate !== claim.dob;
    const isOtherAddress = entry.email !== null && entry.email !== email && hasDomain(entry.email, domains);
    return isOpen && !isOtherBirthDate && !isOtherAddress && identitiesAgree(claim, entry)
      ? { entryId: entry.id }
      : null;
  }
  const isYearPlausible =
    affiliation === 'student' ? claim.yearGraduated >= thisYear - 1 : claim.yearGraduated <= thisYear;
  const isUnknown =
    toMatricKey(claim.matricNumber) !== '' &&
    !isAddressOnRoster &&
    !classmates.some((one) => identitiesAgree(claim, one));
  return isYearPlausible && isUnknown ? { entryId: null } : null;
}
