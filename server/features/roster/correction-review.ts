import { sql } from 'kysely';
import { closeCorrection, correctionItems, reopenCorrection } from '#server/domain/roster/corrections.ts';
import { isDepartmentInScope, isEntryInScope } from '#server/domain/roster/entry-scope.ts';
import { recordStaffAction } from '#server/domain/staff/audit-log.ts';
import type { Reviewable } from '#server/domain/staff/review.ts';

export const correctionReview: Reviewable<'correction'> = {
  kind: 'correction',
  right: 'corrections',
  items: correctionItems,
  isProposer: async (db, id, accountId) => {
    const { rows } = await sql`select from corrections where id = ${id} and proposed_by = ${accountId}`.execute(db);
    return rows.length > 0;
  },
  // The entry may have moved since the proposal.
  isDecisionInScope: async ({ institution }, db, scopes, { id, decision }) => {
    if (decision.outcome !== 'accept') return true;
    const { rows } = await sql<{ entryId: number; department: string | null }>`
      select entry_id::int as "entryId", department from corrections where id = ${id}`.execute(db);
    const [correction] = rows;
    if (!correction) return false;
    const { entryId, department } = correction;
    return (
      (await isEntryInScope(db, institution, scopes, entryId)) &&
      (department === null || isDepartmentInScope(institution, scopes, department))
    );
  },
  decide: async (_, tx, { id, decision: { outcome, text = '' }, decidedBy }) => {
    if (outcome === 'refuse' && text === '') return 'Write a reason for the person who proposed it.';
    if (!(await closeCorrection(tx, id, outcome, text))) return 'The correction is already closed.';
    await recordStaffAction(tx, {
      actor: decidedBy,
      action: outcome === 'accept' ? 'correction-accepted' : 'correction-refused',
      subject: { kind: 'correction', id },
    });
    return null;
  },
  reopen: (_, tx, id) => reopenCorrection(tx, id),
};
