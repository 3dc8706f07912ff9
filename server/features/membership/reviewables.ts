import { sql } from 'kysely';
import type { DecisionOf } from '#contract/staff/review.ts';
import type { Db } from '#server/db/client.ts';
import type { TypedClaim } from '#server/db/schema.ts';
import { isUnlimited } from '#server/domain/staff/guard.ts';
import { isDepartmentInScope, isEntryInScope } from '#server/domain/roster/entry-scope.ts';
import { ConfirmationRefused, lockEntryAndHolder } from '#server/domain/membership/confirmations.ts';
import { decideChange, reopenChange } from '#server/domain/membership/identity-changes.ts';
import { recordStaffAction } from '#server/domain/staff/audit-log.ts';
import { type Reviewable, aboutSql, deciderSql, isClosed } from '#server/domain/staff/review.ts';
import { findAgreeingEntry } from './claims.ts';
import { reopenClaim, reopenDispute } from './reopen.ts';
import { confirmClaim, rejectClaim, resolveDispute } from './staff-decisions.ts';

/*
 * Claims and disputes in the review queue. A claim of an account that is the claimant of an open dispute is not listed:
 * the decision about the dispute decides the claim, too.
 *
 * The queries are written so that PostgreSQL reads little. It leaves out outer joins and subqueries that a query needs
 * no column of, as when it counts. It answers a subquery by an index, but a join or an EXISTS perhaps by reading the
 * whole table.
 */

/** The member of staff who closed a claim `c`. Null also if a withdrawal or the decision of a dispute closed it. */
export const claimDecider = sql<
  string | null
>`case c.state when 'confirmed' then ${deciderSql('c.id', ['claim-confirmed'])}
  when 'rejected' then ${deciderSql('c.id', ['claim-rejected'])} end`;

const claimClosed = 'The claim is already closed.';

/**
 * The version covers the claim, the status, the evidence, the answers of members who were asked to vouch, the questions to
 * the claimant, and the last import: it may have made a candidate another person.
 */
export const claimReview: Reviewable<'claim'> = {
  kind: 'claim',
  right: 'claims',
  hasPriority: true,
  hasQuestions: true,
  items: (state) => sql`
    select c.id, c.created_at as since, c.account_id as "accountId", a.display_name as name, c.college, c.department, c.year_graduated,
      ${aboutSql(sql`c.typed ->> 'matricNumber'`, sql`c.typed ->> 'department'`, sql`c.typed ->> 'yearGraduated'`)} as about,
      case
        when a.membership_status in ('disputed', 'rejected') then a.membership_status
        when (select true from evidence e where e.account_id = c.account_id and e.withdrawn_at is null limit 1) then 'contested'
        when (select true from vouches v where v.claimant_id = c.account_id limit 1) then 'vouched'
        when c.agreeing_entry is not null then 'agrees'
        else 'not-found'
      end as reason, c.agreeing_entry is null as "isLater",
      md5(concat_ws(' ', c.typed, c.agreeing_entry, c.entry_told_at is not null, c.objected_at is not null, a.membership_status, a.email,
        (select string_agg(concat(e.id, e.withdrawn_at is null), ' ' order by e.id) from evidence e where e.account_id = c.account_id),
        (select string_agg(concat(v.voucher_id, v.answer, v.ended_at is null), ' ' order by v.voucher_id) from vouches v where v.claimant_id = c.account_id),
        (select string_agg(concat(q.id, q.answered_at is null), ' ' order by q.id) from claim_questions q where q.claim_id = c.id),
        (select concat_ws(' ', max(applied_at), max(undone_at)) from roster_imports)
      )) as version,
      (select max(q.asked_at) from claim_questions q where q.claim_id = c.id) as "askedAt",
      (select q.answered_at from claim_questions q where q.claim_id = c.id order by q.asked_at desc limit 1) as "answeredAt",
      c.decided_at as "closedAt", case c.state when 'confirmed' then 'confirm' when 'rejected' then 'reject' else c.state end as "closedAs",
      c.reason as text, ${claimDecider} as "closerId"
    from claims c left join accounts a on a.id = c.account_id
    where ${
      state === 'decided'
        ? sql`c.state <> 'waiting'`
        : sql`c.state = 'waiting' and not exists (select from disputes d where d.claimant_id = c.account_id and d.closed_at is null)`
    }`,
  isProposer: hasVouched,
  decideTogether: decideAgreeingClaim,
  isDecisionInScope: async ({ institution }, db, scopes, { id, decision }) => {
    if (decision.outcome !== 'confirm') return true;
    if (decision.entryId !== null) return isEntryInScope(db, institution, scopes, decision.entryId);
    // The confirmation is about the class of the profile. The item can be in the scope of an entry that the claimant
    // named by its number.
    const claim = await db
      .selectFrom('claims as c')
      .innerJoin('profiles as p', 'p.account_id', 'c.account_id')
      .select('p.department')
      .where('c.id', '=', id)
      .executeTakeFirst();
    return isDepartmentInScope(institution, scopes, claim?.department ?? '');
  },
  decide: async (context, tx, { id, decision, decidedBy }) => {
    if (decision.outcome === 'reject') {
      const { reason, isImpostor = false } = decision;
      return (await rejectClaim(tx, id, { reason, isImpostor, decidedBy })) ? null : claimClosed;
    }
    const { entryId, seen } = decision;
    // An undo of the last import may have deleted the entry.
    if (entryId !== null && !(await lockEntryAndHolder(tx, entryId))) return 'The entry is no longer on the roster.';
    return orRefusal(async () => {
      const outcome = await confirmClaim(context, tx, id, { entryId, seen, decidedBy });
      if (outcome === null) return claimClosed;
      // Another account holds the entry: the dispute is now in the queue instead of the claim.
      if (outcome === 'confirmed' || (await isInDispute(tx, id))) return null;
      return 'The account is already confirmed as another entry.';
    });
  },
  reopen: (_, tx, id) => reopenClaim(tx, id),
};

/** Days for which the address of an entry can object before staff may confirm its claim together with others. */
const objectionDays = 7;

/**
 * Returns the decision that confirms a claim together with others: it agrees completely with one free entry, whose
 * address was asked seven days ago and did not object. Otherwise null.
 */
async function decideAgreeingClaim(db: Db, claimId: string): Promise<DecisionOf<'claim'> | null> {
  const { rows } = await sql<{ typed: TypedClaim; entryId: number; told: string }>`
    select c.typed, c.agreeing_entry::int as "entryId", to_char(c.entry_told_at, 'YYYY-MM-DD') as told
    from claims c
    where c.id = ${claimId} and c.state = 'waiting' and c.objected_at is null
      and c.entry_told_at <= now() - make_interval(days => ${sql.lit(objectionDays)})
      and exists (select from accounts where id = c.account_id and membership_status = 'unconfirmed')`.execute(db);
  const [row] = rows;
  // The entry may have been corrected since.
  const entry = row && (await findAgreeingEntry(db, row.typed));
  return row && entry && entry.id === row.entryId && !entry.needsStaff
    ? {
        outcome: 'confirm',
        entryId: entry.id,
        seen: `Agrees completely with the entry. Its email address was asked on ${row.told} and did not object.`,
      }
    : null;
}

async function hasVouched(db: Db, claimId: string, accountId: string): Promise<boolean> {
  const { rows } = await sql`
    select from vouches v join claims c on c.account_id = v.claimant_id
    where c.id = ${claimId} and v.voucher_id = ${accountId}`.execute(db);
  return rows.length > 0;
}

async function hasVouchedForParty(db: Db, disputeId: string, accountId: string): Promise<boolean> {
  const { rows } = await sql`
    select from vouches v join disputes d on v.claimant_id in (d.holder_id, d.claimant_id)
    where d.id = ${disputeId} and v.voucher_id = ${accountId}`.execute(db);
  return rows.length > 0;
}

export async function orRefusal(decide: () => Promise<string | null>): Promise<string | null> {
  try {
    return await decide();
  } catch (error) {
    if (error instanceof ConfirmationRefused) return error.message;
    throw error;
  }
}

async function isInDispute(tx: Db, claimId: string): Promise<boolean> {
  const { rows } = await sql`
    select from disputes d join claims c on c.account_id = d.claimant_id
    where c.id = ${claimId} and d.closed_at is null`.execute(tx);
  return rows.length > 0;
}

/**
 * Disputes, in the scope of the entry. The version covers both accounts, their evidence, claims and profiles. They are
 * about the claimant, or about the holder if there is none.
 */
export const disputeReview: Reviewable<'dispute'> = {
  kind: 'dispute',
  right: 'claims',
  hasOtherPerson: true,
  items: (state) => sql`
    select d.id, d.created_at as since, coalesce(d.claimant_id, d.holder_id) as "accountId", d.holder_id as "otherId",
      coalesce(ca.display_name, ha.display_name) as name,
      case when d.claimant_id is null then coalesce(d.entry_change, 'mailbox') else 'two-accounts' end as reason,
      d.college, d.department, d.year_graduated, ${aboutSql(null, sql`d.department`, sql`d.year_graduated`)} as about,
      md5(concat_ws(' ', ha.membership_status, ca.membership_status, ha.email, ca.email,
        (select concat_ws(' ', e.last_name, e.first_name, e.birth_date) from roster_entries e where e.id = d.entry_id),
        (select string_agg(concat(e.id, e.withdrawn_at is null), ' ' order by e.id) from evidence e
          where e.account_id in (d.holder_id, d.claimant_id)),
        (select string_agg(concat(c.id, c.state, c.typed), ' ' order by c.id) from claims c
          where c.account_id in (d.holder_id, d.claimant_id)),
        (select string_agg(concat_ws(' ', p.first_name, p.middle_name, p.last_name, p.other_names, p.matric_number, p.gender, p.dob,
            p.department, p.year_admitted, p.year_graduated), ' ' order by p.account_id) from profiles p
          where p.account_id in (d.holder_id, d.claimant_id))
      )) as version,
      d.closed_at as "closedAt", d.outcome as "closedAs", '' as text,
      ${deciderSql('d.id', ['dispute-kept', 'dispute-transferred'])} as "closerId"
    from disputes d left join accounts ha on ha.id = d.holder_id left join accounts ca on ca.id = d.claimant_id
    where d.closed_at ${isClosed(state)}`,
  isProposer: hasVouchedForParty,
  isDecisionInScope: async ({ institution }, db, scopes, { id }) => {
    const dispute = await db.selectFrom('disputes').select('entry_id').where('id', '=', id).executeTakeFirst();
    return (
      dispute === undefined || scopes.some(isUnlimited) || isEntryInScope(db, institution, scopes, dispute.entry_id)
    );
  },
  decide: (context, tx, { id, decision: { outcome, isImpostor = false }, decidedBy }) =>
    orRefusal(async () => {
      const isResolved = await resolveDispute(context, tx, id, { outcome, isImpostor, decidedBy });
      return isResolved ? null : 'The dispute is already closed.';
    }),
  reopen: (_, tx, id) => reopenDispute(tx, id),
};

export const changeReview: Reviewable<'change'> = {
  kind: 'change',
  right: 'claims',
  items: (state) => sql`
    select c.id, c.created_at as since, c.account_id as "accountId", a.display_name as name,
      c.scope_college as college, c.scope_department as department, c.scope_year as year_graduated,
      ${aboutSql(null, sql`c.scope_department`, sql`c.scope_year`)} as about,
      case when c.first_name is not null then 'name' when c.department is not null or c.year_graduated is not null then 'class'
        else 'matric-number' end as reason,
      md5(concat_ws(' ', c.first_name, c.last_name, c.matric_number, c.department, c.year_graduated, a.membership_status,
        (select concat(i.id) from confirmed_identities i where i.account_id = c.account_id and i.ended_at is null)
      )) as version,
      c.closed_at as "closedAt", c.outcome as "closedAs", c.answer as text,
      ${deciderSql('c.id', ['change-accepted', 'change-refused'])} as "closerId"
    from identity_changes c left join accounts a on a.id = c.account_id
    where c.closed_at ${isClosed(state)}`,
  isDecisionInScope: async ({ institution }, db, scopes, { id, decision }) => {
    if (decision.outcome !== 'accept') return true;
    const change = await db.selectFrom('identity_changes').select('department').where('id', '=', id).executeTakeFirst();
    const department = change?.department ?? null;
    return department === null || isDepartmentInScope(institution, scopes, department);
  },
  decide: async (_, tx, { id, decision: { outcome, text = '' }, decidedBy }) => {
    if (outcome === 'refuse' && text === '') return 'Write a reason for the member.';
    if (!(await decideChange(tx, id, outcome, text))) return 'The change is already closed.';
    await recordStaffAction(tx, {
      actor: decidedBy,
      action: outcome === 'accept' ? 'change-accepted' : 'change-refused',
      subject: { kind: 'change', id },
    });
    return null;
  },
  reopen: (_, tx, id) => reopenChange(tx, id),
};
