import type * as z from 'zod/mini';
import { sql } from 'kysely';
import type { MembershipEvent } from '#contract/staff/history.ts';
import type { ClearanceReason } from '#contract/staff/people-values.ts';
import type { StaffScope } from '#contract/staff/scope.ts';
import type { Db } from '#server/db/client.ts';
import type { TypedClaim } from '#server/db/schema.ts';
import type { Context } from '#server/domain/context.ts';
import { findStaffEntries } from '#server/domain/roster/staff-entries.ts';
import { isClassInScope } from '#server/domain/staff/class-scope.ts';
import { isProfileInScope } from '#server/domain/staff/guard.ts';
import { claimDecider } from './reviewables.ts';
import { toValues } from './staff-details.ts';

type StoredEvent = z.input<typeof MembershipEvent>;

interface HistoryReader {
  /** Without the rights for their own history, because it contains what others answer about them. */
  readonly accountId: string;
  readonly claimScopes: readonly StaffScope[];
  readonly reportScopes: readonly StaffScope[];
}

const nameOf = (table: string) =>
  sql<string | null>`coalesce(${sql.ref(`${table}.display_name`)}, ${sql.ref(`${table}.email`)})`;

const itemsOf = {
  claims: (accountId: string) => sql`
    select college, department, year_graduated from claims where account_id = ${accountId}
    union all select scope_college, scope_department, scope_year from identity_changes where account_id = ${accountId}
    union all select college, department, year_graduated from disputes where ${accountId}::uuid in (holder_id, claimant_id)`,
  reports: (accountId: string) => sql`
    select college, department, year_graduated from reports where subject_id = ${accountId} and is_confirmed`,
};

/**
 * Returns whether the profile of an account, or an item about it, is in the scopes: people choose the college in their
 * profile, and could hide their earlier attempts from the staff who decide.
 */
async function isAccountInScope(
  db: Db,
  institution: Context['institution'],
  accountId: string,
  right: keyof typeof itemsOf,
  scopes: readonly StaffScope[],
): Promise<boolean> {
  const { rows } = await sql`
    select from accounts a left join profiles p on p.account_id = a.id
    where a.id = ${accountId} and (${isProfileInScope(scopes, 'p')}
      or exists (select from (${itemsOf[right](accountId)}) as i where ${isClassInScope(institution, scopes, 'i')}))`.execute(
    db,
  );
  return rows.length > 0;
}

export async function findHistory(
  { db, institution }: Pick<Context, 'db' | 'institution'>,
  { accountId: readerId, claimScopes, reportScopes }: HistoryReader,
  accountId: string,
): Promise<StoredEvent[] | null> {
  const isDecider = await isAccountInScope(db, institution, accountId, 'claims', claimScopes);
  if (!isDecider && !(await isAccountInScope(db, institution, accountId, 'reports', reportScopes))) return null;
  const mayDecide = isDecider && accountId !== readerId;
  const events = [
    ...(mayDecide ? [...(await findAttempts(db, accountId)), ...(await findAnswers(db, accountId))] : []),
    ...(await findDecisions(db, accountId)),
    ...(await findEvidence(db, institution, mayDecide ? claimScopes : [], accountId)),
    ...(await findReopenings(db, accountId, mayDecide)),
    ...(await findImpostorMarks(db, accountId)),
  ];
  return events.toSorted((a, b) => b.at.getTime() - a.at.getTime());
}

async function findAttempts(db: Db, accountId: string): Promise<StoredEvent[]> {
  const attempts = await db
    .selectFrom('claim_attempts')
    .select(['kind as way', 'typed', 'created_at as at'])
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return attempts.map(({ typed, ...attempt }, index) => ({
    kind: 'attempt',
    ...attempt,
    typed: toValues(typed),
    birthDate: compareDates(typed, attempts[index - 1]?.typed),
  }));
}

const compareDates = (typed: TypedClaim, before: TypedClaim | undefined) =>
  before === undefined ? 'first' : typed.dob === before.dob ? 'same' : 'changed';

async function findAnswers(db: Db, accountId: string): Promise<StoredEvent[]> {
  return db
    .selectFrom('vouches as v')
    .innerJoin('accounts as a', 'a.id', 'v.voucher_id')
    .select([
      sql.lit('vouch' as const).as('kind'),
      'v.created_at as at',
      nameOf('a').as('by'),
      'v.answer',
      'v.seen',
      'v.ended_at as endedAt',
    ])
    .where('v.claimant_id', '=', accountId)
    .execute();
}

async function findDecisions(db: Db, accountId: string): Promise<StoredEvent[]> {
  const { rows } = await sql<StoredEvent>`
    select 'decision' as kind, coalesce(c.decided_at, c.updated_at) as at, c.id as "claimId", c.state, c.decided_by as "decidedBy", c.reason,
      (select ${nameOf('a')} from accounts a where a.id = ${claimDecider}) as by
    from claims c where c.account_id = ${accountId} and c.state <> 'waiting'`.execute(db);
  return rows;
}

async function findEvidence(
  db: Db,
  institution: Context['institution'],
  scopes: readonly StaffScope[],
  accountId: string,
): Promise<StoredEvent[]> {
  const evidence = await db
    .selectFrom('evidence')
    .select(['kind as evidence', 'detail', 'entry_id as entryId', 'created_at as at', 'withdrawn_at as withdrawnAt'])
    .where('account_id', '=', accountId)
    .execute();
  const ids = [...new Set(evidence.flatMap(({ entryId }) => entryId ?? []))];
  const found = ids.length === 0 || scopes.length === 0 ? [] : await findStaffEntries(db, institution, scopes, ids);
  const entries = new Map(
    found.map(({ entry: { id, matricNumber, firstName, lastName } }) => [
      id,
      { matricNumber, name: `${lastName} ${firstName}`.trim() },
    ]),
  );
  return evidence.map(({ entryId, ...event }) => ({
    kind: 'evidence',
    ...event,
    entry: entryId === null ? null : (entries.get(entryId) ?? null),
  }));
}

async function findImpostorMarks(db: Db, accountId: string): Promise<StoredEvent[]> {
  const { rows } = await sql<{
    since: Date;
    by: string | null;
    clearedAt: Date | null;
    clearedBy: string | null;
    reason: ClearanceReason;
  }>`
    select m.since, ${nameOf('d')} as by, m.cleared_at as "clearedAt", ${nameOf('c')} as "clearedBy", m.reason
    from (
      select impostor_since as since, impostor_decided_by as decided_by, null as cleared_at, null as cleared_by, null as reason
      from accounts where id = ${accountId} and impostor_since is not null
      union all
      select since, decided_by, cleared_at, cleared_by, reason from cleared_impostors where account_id = ${accountId}
    ) as m left join accounts d on d.id = m.decided_by left join accounts c on c.id = m.cleared_by`.execute(db);
  return rows.map(({ since, by, clearedAt, clearedBy, reason }) => ({
    kind: 'impostor',
    at: since,
    by,
    cleared: clearedAt && { at: clearedAt, by: clearedBy, reason },
  }));
}

async function findReopenings(db: Db, accountId: string, hasReasons: boolean): Promise<StoredEvent[]> {
  const { rows } = await sql<StoredEvent>`
    select 'reopened' as kind, r.recorded_at as at, ${nameOf('a')} as by, coalesce((
      select n.text from review_notes n where n.kind = 'claim' and n.item_id = o.reopened_as and n.author_id = r.actor and ${hasReasons}
      order by n.created_at, n.id limit 1), '') as reason
    from claims c join review_reopenings o on o.kind = 'claim' and o.item_id = c.id
      join audit_records r on r.subject = c.id::text and r.action = 'claim-reopened'
      left join accounts a on a.id = r.actor
    where c.account_id = ${accountId}`.execute(db);
  return rows;
}
