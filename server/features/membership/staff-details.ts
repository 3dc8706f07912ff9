import type * as z from 'zod/mini';
import { sql } from 'kysely';
import type { Institution } from '#contract/institution.ts';
import type {
  ClaimCandidate,
  DisputeSide,
  StaffAccount,
  StaffChange,
  StaffClaim,
  StaffDispute,
  StaffEvidence,
  StaffName,
  TypedValues,
} from '#contract/staff/claims.ts';
import { itemStates } from '#contract/staff/values.ts';
import type { StaffScope } from '#contract/staff/scope.ts';
import type { ProfileField } from '#contract/visibility.ts';
import type { Db } from '#server/db/client.ts';
import type { TypedClaim } from '#server/db/schema.ts';
import { toTypedClaim } from '#server/domain/membership/claims.ts';
import { findIdentityBefore } from '#server/domain/membership/confirmed-identity.ts';
import { findCandidates } from '#server/domain/roster/candidates.ts';
import { readFrequencies } from '#server/domain/roster/frequencies.ts';
import { findHolder, findLinkedEntry } from '#server/domain/roster/links.ts';
import { rankCandidates } from '#server/domain/roster/matching.ts';
import {
  type FoundEntry,
  compareWithEntry,
  findStaffEntries,
  toAgreement,
} from '#server/domain/roster/staff-entries.ts';
import { isClassInScope } from '#server/domain/staff/class-scope.ts';
import { isProfileInScope, isUnlimited } from '#server/domain/staff/guard.ts';
import type { Reviewable } from '#server/domain/staff/review.ts';
import { findQuestions } from './questions.ts';
import { changeReview, claimReview, disputeReview } from './reviewables.ts';

const maxCandidates = 5;

interface Reader {
  readonly institution: Pick<Institution, 'colleges'>;
  readonly scopes: readonly StaffScope[];
}

export async function findStaffClaim(db: Db, reader: Reader, id: string): Promise<z.input<typeof StaffClaim> | null> {
  const version = await findVersion(db, claimReview, reader, id);
  const claim = await db
    .selectFrom('claims')
    .select([
      'account_id as accountId',
      'typed',
      'created_at as createdAt',
      'updated_at as updatedAt',
      'agreeing_entry as entryId',
      'entry_told_at as toldAt',
      'objected_at as objectedAt',
      'objection',
      sql<'webp' | 'pdf' | null>`(select type from claim_documents d where d.claim_id = claims.id)`.as('document'),
    ])
    .where('id', '=', id)
    .executeTakeFirst();
  const account = claim && (await findAccount(db, claim.accountId));
  if (version === null || !account) return null;
  const { rows: vouches } = await sql<z.input<typeof StaffClaim>['vouches']>`
    select count(*) filter (where answer = 'yes')::int as yes, count(*) filter (where answer = 'unsure')::int as unsure,
      count(*) filter (where answer = 'no')::int as no from vouches
      where claimant_id = ${account.id} and ended_at is null`.execute(db);
  const { typed, createdAt, updatedAt, entryId, toldAt, objectedAt, objection, document } = claim;
  return {
    id,
    version,
    createdAt,
    updatedAt,
    account,
    typed: toValues(typed),
    note: typed.note,
    ...(typed.campus && { campus: typed.campus }),
    sharesCampusAccountWith: await findSharedCampusAccounts(db, reader.scopes, account.id),
    questions: await findQuestions(db, id),
    document,
    candidates: await findClaimCandidates(db, reader, typed, account),
    evidence: await findEvidence(db, account.id),
    vouches: vouches[0] ?? { yes: 0, unsure: 0, no: 0 },
    agreeing: entryId === null ? null : { entryId, toldAt, objectedAt, objection },
  };
}

export async function findStaffDispute(
  db: Db,
  reader: Reader,
  id: string,
): Promise<z.input<typeof StaffDispute> | null> {
  const version = await findVersion(db, disputeReview, reader, id);
  const dispute = await db
    .selectFrom('disputes')
    .select([
      'entry_id as entryId',
      'holder_id as holderId',
      'claimant_id as claimantId',
      'created_at as createdAt',
      'text',
    ])
    .where('id', '=', id)
    .executeTakeFirst();
  if (version === null || !dispute) return null;
  const { entryId, holderId, claimantId, createdAt, text } = dispute;
  const [entry = null] = await findStaffEntries(db, reader.institution, reader.scopes, [entryId]);
  const holder = await findSide(db, holderId, entryId, entry);
  if (!holder) return null;
  return {
    id,
    version,
    createdAt,
    entry: entry && entry.entry,
    canDecide: entry !== null || reader.scopes.some(isUnlimited),
    holder,
    claimant: claimantId === null ? null : await findSide(db, claimantId, entryId, entry),
    text,
  };
}

/** Includes what the member is, or was before the decision, confirmed as. Null if the change is not in the scopes. */
export async function findStaffChange(db: Db, reader: Reader, id: string): Promise<z.input<typeof StaffChange> | null> {
  const version = await findVersion(db, changeReview, reader, id);
  const change = await db
    .selectFrom('identity_changes')
    .select([
      'account_id as accountId',
      'created_at as createdAt',
      'closed_at as closedAt',
      'last_name as lastName',
      'first_name as firstName',
      'matric_number as matricNumber',
      'department',
      'year_graduated as yearGraduated',
    ])
    .where('id', '=', id)
    .executeTakeFirst();
  const account = change && (await findAccount(db, change.accountId));
  const confirmed = change && (await findIdentityBefore(db, change.accountId, change.closedAt));
  if (version === null || !account || !confirmed) return null;
  const { createdAt, lastName, firstName, matricNumber, department, yearGraduated } = change;
  const entryId = await findLinkedEntry(db, account.id);
  const [found] = entryId === null ? [] : await findStaffEntries(db, reader.institution, reader.scopes, [entryId]);
  return {
    id,
    version,
    createdAt,
    account,
    confirmed,
    wanted: {
      ...(lastName !== null && { lastName }),
      ...(firstName !== null && { firstName }),
      ...(matricNumber !== null && { matricNumber }),
      ...(department !== null && { department }),
      ...(yearGraduated !== null && { yearGraduated }),
    },
    entry: found?.entry ?? null,
    evidence: await findEvidence(db, account.id),
  };
}

/** Read it before the details, so that a change in between makes it out of date. */
async function findVersion(
  db: Db,
  reviewable: Reviewable,
  { institution, scopes }: Reader,
  id: string,
): Promise<string | null> {
  for (const state of itemStates) {
    const { rows } = await sql<{ version: string }>`
      select x.version from (${reviewable.items(state)}) as x
      where x.id = ${id} and ${isClassInScope(institution, scopes, 'x')}`.execute(db);
    if (rows[0]) return rows[0].version;
  }
  return null;
}

async function findAccount(db: Db, id: string): Promise<z.input<typeof StaffAccount> | null> {
  const account = await db
    .selectFrom('accounts')
    .select(['id', 'display_name as name', 'email', 'membership_status as status', 'created_at as createdAt'])
    .where('id', '=', id)
    .executeTakeFirst();
  return account ?? null;
}

/** Omits the birth date: staff compare it with a document that they see. */
export const toValues = (typed: TypedClaim): TypedValues => ({
  matricNumber: typed.matricNumber,
  lastName: typed.lastName,
  firstName: typed.firstName,
  otherNames: typed.otherNames,
  gender: typed.gender,
  department: typed.department,
  program: typed.program ?? '',
  yearAdmitted: typed.yearAdmitted,
  yearGraduated: typed.yearGraduated,
});

async function findClaimCandidates(
  db: Db,
  { institution, scopes }: Reader,
  typed: TypedClaim,
  claimant: z.input<typeof StaffAccount>,
): Promise<z.input<typeof ClaimCandidate>[]> {
  const isReadable = isClassInScope(institution, scopes, 'entry');
  // The entries of the evidence first: their names may be so different that no comparison finds them.
  const { rows: own } = await sql<{ id: number }>`
    select distinct entry_id::int as id from evidence
    where account_id = ${claimant.id} and entry_id is not null and withdrawn_at is null`.execute(db);
  const ownIds = own.map(({ id }) => id);
  const ownEntries = await findStaffEntries(db, institution, scopes, ownIds);
  const found = await findCandidates(db, typed, isReadable);
  const ranked = rankCandidates(
    typed,
    [...ownEntries.map(({ compared }) => compared), ...found.filter(({ id }) => !ownIds.includes(id))],
    await readFrequencies(db, typed),
  )
    .toSorted((a, b) => Number(ownIds.includes(b.entry.id)) - Number(ownIds.includes(a.entry.id)))
    .slice(0, maxCandidates);
  const entries = await findStaffEntries(
    db,
    institution,
    scopes,
    ranked.map(({ entry }) => entry.id),
  );
  const levels = new Map(ranked.map((each) => [each.entry.id, each.levels]));
  const holders = await findNames(
    db,
    scopes,
    entries.flatMap(({ heldBy }) => (heldBy ? [heldBy.accountId] : [])),
  );
  return entries.flatMap(({ entry, compared, heldBy }) => {
    const own = levels.get(entry.id);
    if (!own) return [];
    return [
      {
        entry,
        agreement: toAgreement(typed, claimant.email, { entry, compared }, own),
        heldBy: heldBy && {
          account: holders.get(heldBy.accountId) ?? null,
          assurance: heldBy.assurance,
          isClaimant: heldBy.accountId === claimant.id,
        },
      },
    ];
  });
}

/** Reads the attempts, because a later claim overwrites what the open one contains. */
async function findSharedCampusAccounts(
  db: Db,
  scopes: readonly StaffScope[],
  accountId: string,
): Promise<(StaffName | null)[]> {
  const { rows: own } = await sql<{ identity: string }>`
    select distinct typed -> 'campus' ->> 'identity' as identity from claim_attempts
    where account_id = ${accountId} and typed ? 'campus'`.execute(db);
  if (own.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select distinct account_id as id from claim_attempts
    where account_id <> ${accountId}
      and typed -> 'campus' ->> 'identity' = any(${own.map(({ identity }) => identity)}::text[])`.execute(db);
  const ids = rows.map(({ id }) => id);
  const names = await findNames(db, scopes, ids);
  return ids.map((id) => names.get(id) ?? null);
}

/** Returns the accounts within the scopes, by their ids. */
async function findNames(db: Db, scopes: readonly StaffScope[], ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, never>();
  const rows = await db
    .selectFrom('accounts as a')
    .leftJoin('profiles as p', 'p.account_id', 'a.id')
    .select(['a.id', 'a.display_name as name', 'a.email'])
    .where('a.id', 'in', ids)
    .where(isProfileInScope(scopes, 'p'))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

const findEvidence = (
  db: Db,
  accountId: string,
  entryId: number | null = null,
): Promise<z.input<typeof StaffEvidence>[]> =>
  db
    .selectFrom('evidence')
    .select((eb) => [
      'kind',
      'assurance',
      'detail',
      'created_at as createdAt',
      eb('withdrawn_at', 'is not', null).$castTo<boolean>().as('isWithdrawn'),
    ])
    .where('account_id', '=', accountId)
    .$if(entryId !== null, (query) => query.where('entry_id', '=', entryId))
    .orderBy('created_at')
    .orderBy('id')
    .execute();

/** Replaces the values whose visibility is `me` by empty ones. */
async function omitPrivateValues(db: Db, accountId: string, values: TypedValues): Promise<TypedValues> {
  const profile = await db
    .selectFrom('profiles')
    .select('visibility')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  const shown = <Value>(field: ProfileField, value: Value, empty: Value): Value =>
    profile?.visibility[field] === 'me' ? empty : value;
  return {
    ...values,
    matricNumber: shown('matricNumber', values.matricNumber, ''),
    otherNames: shown('otherNames', values.otherNames, ''),
    gender: shown('gender', values.gender, ''),
    department: shown('department', values.department, ''),
    program: shown('program', values.program, ''),
    yearAdmitted: shown('yearAdmitted', values.yearAdmitted, 0),
    yearGraduated: shown('yearGraduated', values.yearGraduated, 0),
  };
}

async function findSide(
  db: Db,
  accountId: string,
  entryId: number,
  entry: FoundEntry | null,
): Promise<z.input<typeof DisputeSide> | null> {
  const account = await findAccount(db, accountId);
  if (!account) return null;
  const claim = await db
    .selectFrom('claims')
    .select('typed')
    .where('account_id', '=', accountId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  const typed = claim?.typed ?? (await toTypedClaim(db, accountId, null));
  return {
    account,
    // A typed claim was submitted for a review. Values of a profile were not, so private ones are compared, but not
    // shown.
    typed: claim && !typed.isFromProfile ? toValues(typed) : await omitPrivateValues(db, accountId, toValues(typed)),
    agreement: entry && (await compareWithEntry(db, typed, account.email, entry)),
    evidence: await findEvidence(db, accountId, entryId),
    isHolding: (await findHolder(db, entryId)) === accountId,
  };
}
