import { sql } from 'kysely';
import type { MembershipEvent } from '#contract/staff-history.ts';
import type { StaffScope } from '#contract/staff.ts';
import type { Db } from '../../db/client.ts';
import type { TypedClaim } from '../../db/schema.ts';
import { type ClaimDecider, openClaim } from '../../domain/claims.ts';
import type { Context } from '../../domain/context.ts';
import { findStaffEntries } from '../../domain/roster/staff-entries.ts';
import { lockAccount } from '../../domain/sessions.ts';
import { recordStaffAction } from '../../domain/staff/audit-log.ts';
import { isInScope, profileScopeColumns } from '../../domain/staff/guard.ts';
import { ProblemError } from '../../platform/http/problem.ts';
import { toValues } from './staff-details.ts';

/** Who reads: the parts of the institution in which they decide claims, and those in which they decide reports. */
export interface HistoryReader {
  readonly claimScopes: readonly StaffScope[];
  readonly reportScopes: readonly StaffScope[];
}

const nameOf = (table: string) =>
  sql<string | null>`coalesce(${sql.ref(`${table}.display_name`)}, ${sql.ref(`${table}.email`)})`;

async function isAccountInScope(db: Db, accountId: string, scopes: readonly StaffScope[]): Promise<boolean> {
  if (scopes.length === 0) return false;
  const { rows } = await sql`
    select from accounts a left join profiles p on p.account_id = a.id
    where a.id = ${accountId} and ${isInScope(scopes, profileScopeColumns('p'))}`.execute(db);
  return rows.length > 0;
}

/** Returns what happened to the membership of an account, the latest first. Null: the account is not in the scopes. */
export async function findHistory(
  { db, institution }: Pick<Context, 'db' | 'institution'>,
  { claimScopes, reportScopes }: HistoryReader,
  accountId: string,
): Promise<MembershipEvent[] | null> {
  const mayDecide = await isAccountInScope(db, accountId, claimScopes);
  if (!mayDecide && !(await isAccountInScope(db, accountId, reportScopes))) return null;
  const events = [
    ...(mayDecide ? [...(await findAttempts(db, accountId)), ...(await findAnswers(db, accountId))] : []),
    ...(await findDecisions(db, accountId)),
    ...(await findEvidence(db, institution, mayDecide ? claimScopes : [], accountId)),
    ...(await findImpostorMark(db, accountId)),
  ];
  return events.toSorted((a, b) => b.at.localeCompare(a.at));
}

async function findAttempts(db: Db, accountId: string): Promise<MembershipEvent[]> {
  const attempts = await db
    .selectFrom('claim_attempts')
    .select(['kind', 'typed', 'created_at'])
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return attempts.map(({ kind, typed, created_at }, index) => ({
    kind: 'attempt',
    at: created_at.toISOString(),
    way: kind,
    typed: toValues(typed),
    birthDate: compareDates(typed, attempts[index - 1]?.typed),
  }));
}

const compareDates = (typed: TypedClaim, before: TypedClaim | undefined) =>
  before === undefined ? 'first' : typed.dob === before.dob ? 'same' : 'changed';

async function findAnswers(db: Db, accountId: string): Promise<MembershipEvent[]> {
  const answers = await db
    .selectFrom('vouches as v')
    .innerJoin('accounts as a', 'a.id', 'v.voucher_id')
    .select(['v.answer', 'v.seen', 'v.created_at', 'v.ended_at', nameOf('a').as('by')])
    .where('v.claimant_id', '=', accountId)
    .execute();
  return answers.map(({ created_at, ended_at, ...answer }) => ({
    kind: 'vouch',
    at: created_at.toISOString(),
    endedAt: ended_at?.toISOString() ?? null,
    ...answer,
  }));
}

async function findDecisions(db: Db, accountId: string): Promise<MembershipEvent[]> {
  const { rows } = await sql<{
    claimId: string;
    state: 'confirmed' | 'rejected' | 'withdrawn' | 'expired';
    decidedAt: Date;
    decidedBy: ClaimDecider | null;
    by: string | null;
    reason: string;
  }>`
    select c.id as "claimId", c.state, coalesce(c.decided_at, c.updated_at) as "decidedAt", c.decided_by as "decidedBy", c.reason,
      (select ${nameOf('a')} from audit_records r join accounts a on a.id = r.actor
        where r.subject_kind = 'claim' and r.subject = c.id::text and r.action in ('claim-confirmed', 'claim-rejected')
        order by r.id desc limit 1) as by
    from claims c where c.account_id = ${accountId} and c.state <> 'waiting'`.execute(db);
  return rows.map(({ decidedAt, ...decision }) => ({ kind: 'decision', at: decidedAt.toISOString(), ...decision }));
}

async function findEvidence(
  db: Db,
  institution: Context['institution'],
  scopes: readonly StaffScope[],
  accountId: string,
): Promise<MembershipEvent[]> {
  const evidence = await db
    .selectFrom('evidence')
    .select(['kind', 'detail', 'entry_id', 'created_at', 'withdrawn_at'])
    .where('account_id', '=', accountId)
    .execute();
  const ids = [...new Set(evidence.flatMap(({ entry_id }) => entry_id ?? []))];
  const found = ids.length === 0 || scopes.length === 0 ? [] : await findStaffEntries(db, institution, scopes, ids);
  const entries = new Map(
    found.map(({ entry: { id, matricNumber, firstName, lastName } }) => [
      id,
      { matricNumber, name: `${firstName} ${lastName}`.trim() },
    ]),
  );
  return evidence.map(({ kind, detail, entry_id, created_at, withdrawn_at }) => ({
    kind: 'evidence',
    at: created_at.toISOString(),
    evidence: kind,
    detail,
    entry: entry_id === null ? null : (entries.get(entry_id) ?? null),
    withdrawnAt: withdrawn_at?.toISOString() ?? null,
  }));
}

async function findImpostorMark(db: Db, accountId: string): Promise<MembershipEvent[]> {
  const account = await db
    .selectFrom('accounts as a')
    .leftJoin('accounts as s', 's.id', 'a.impostor_decided_by')
    .select(['a.impostor_since', nameOf('s').as('by')])
    .where('a.id', '=', accountId)
    .executeTakeFirst();
  if (!account?.impostor_since) return [];
  return [{ kind: 'impostor', at: account.impostor_since.toISOString(), by: account.by }];
}

/**
 * Returns a closed claim to the queue, as a new claim with the same values. The closed one stays as it was decided.
 * @returns the id of the new claim
 * @throws ProblemError not-found, permission-denied for an own claim, staff/refused if there is nothing to decide
 */
export async function reopenClaim(
  tx: Db,
  { accountId: staffId, scopes }: { readonly accountId: string; readonly scopes: readonly StaffScope[] },
  claimId: string,
  reason: string,
): Promise<string> {
  const claim = await tx.selectFrom('claims').selectAll().where('id', '=', claimId).executeTakeFirst();
  if (!claim || !(await isAccountInScope(tx, claim.account_id, scopes))) throw new ProblemError('not-found');
  const { account_id: accountId, typed } = claim;
  if (accountId === staffId)
    throw new ProblemError('permission-denied', { detail: 'Another member of staff must reopen your claim.' });
  if (!(await lockAccount(tx, accountId))) throw new ProblemError('not-found');
  const { membership_status: status } = await tx
    .selectFrom('accounts')
    .select('membership_status')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  if (status === 'confirmed')
    throw new ProblemError('staff/refused', { detail: 'This person is confirmed. Withdraw the confirmation instead.' });
  const waiting = await tx
    .selectFrom('claims')
    .select('id')
    .where('account_id', '=', accountId)
    .where('state', '=', 'waiting')
    .executeTakeFirst();
  if (waiting)
    throw new ProblemError('staff/refused', { detail: 'A claim of this person waits in the queue already.' });
  // With the names and class of today, so that staff do not decide about another person.
  const { matricNumber, dob, note } = typed;
  const opened = await openClaim(tx, accountId, { matricNumber, dob, note });
  await tx
    .insertInto('review_notes')
    .values({ kind: 'claim', item_id: opened.id, about: accountId, author_id: staffId, text: reason })
    .execute();
  await recordStaffAction(tx, { actor: staffId, action: 'claim-reopened', subject: { kind: 'claim', id: opened.id } });
  return opened.id;
}
