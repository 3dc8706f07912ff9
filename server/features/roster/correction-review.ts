import { sql } from 'kysely';
import { closeCorrection, correctionItems, reopenCorrection } from '#server/domain/roster/corrections.ts';
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
