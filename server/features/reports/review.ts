import { sql } from 'kysely';
import { type Reviewable, isClosed } from '#server/domain/staff/review.ts';
import { decideReport } from './decide-report.ts';
import { deathOutcomes } from './outcomes.ts';
import { reopenReport } from './reopen-report.ts';
import { isAboutDeath } from './staff-queries.ts';

/** One item for all reports about the same profile, photo or message. */
export const reportReview: Reviewable<'report'> = {
  kind: 'report',
  right: 'reports',
  simple: { right: 'deaths', outcomes: deathOutcomes },
  items: (state) => sql`
    select r.id, r.created_at as since, r.subject_id as "accountId", coalesce(a.display_name, r.subject_name) as name,
      r.kind || '-' || r.reason as reason, '' as about, r.version::text as version, ${isAboutDeath} as "isSimple", r.college, r.department, r.year_graduated,
      r.closed_at as "closedAt", r.outcome as "closedAs", '' as text, (
        -- The decision is recorded about the report, or about the photo or account on which it acted.
        select x.actor from audit_records x
        where x.subject in (r.id::text, r.photo_id::text, r.subject_id::text)
          and (x.subject = r.id::text and x.action = 'report-closed' or x.details ->> 'report' = r.id::text)
        order by x.id limit 1) as "closerId"
    from reports r left join accounts a on a.id = r.subject_id
    where r.closed_at ${isClosed(state)} and r.is_confirmed and r.item_id is null`,
  isProposer: async (db, id, accountId) => {
    const { rows } = await sql`
      select from reports where (id = ${id} or item_id = ${id}) and reporter_id = ${accountId}`.execute(db);
    return rows.length > 0;
  },
  decide: (_, tx, { id, decision: { outcome, text = '' }, decidedBy }) =>
    decideReport(tx, id, { outcome, text }, decidedBy),
  reopen: (_, tx, id) => reopenReport(tx, id),
};
