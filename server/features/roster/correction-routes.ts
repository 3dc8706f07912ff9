import type { FastifyInstance } from 'fastify';
import { maxClassEntries } from '#contract/staff/corrections.ts';
import type { Context } from '#server/domain/context.ts';
import { findClass, findCorrection, findOwnCorrections, insertCorrection } from '#server/domain/roster/corrections.ts';
import { countStaffAction } from '#server/domain/staff/action-limits.ts';
import { recordStaffAction, recordStaffRead, toAuditCode } from '#server/domain/staff/audit-log.ts';
import { mount } from '#server/domain/api/mount.ts';
import { refused } from '#server/domain/staff/refused.ts';
import { ProblemError } from '#server/platform/http/problem.ts';

export function correctionRoutes(app: FastifyInstance, context: Context): void {
  const { db, institution } = context;

  mount(app, 'GET /api/staff/classes', async ({ query }, { staff }) => {
    const entries = await findClass(db, institution, staff.scopes, query);
    if (entries.length === 0) throw new ProblemError('not-found');
    const details = { department: toAuditCode(query.department), year: query.year };
    await recordStaffRead(db, {
      actor: staff.accountId,
      action: 'class-read',
      subject: { kind: 'class', id: `${details.year}-${details.department}` },
      details,
    });
    return { entries: entries.slice(0, maxClassEntries), hasMore: entries.length > maxClassEntries };
  });
  mount(app, 'GET /api/staff/corrections', async (_, { staff: { scopes, accountId } }) => ({
    corrections: await findOwnCorrections(db, institution, scopes, accountId),
  }));
  mount(app, 'POST /api/staff/corrections', async ({ body: { correction } }, { staff }) => {
    await countStaffAction(context, staff);
    const { scopes, accountId } = staff;
    return db.transaction().execute(async (tx) => {
      const result = await insertCorrection(tx, institution, scopes, correction, accountId);
      if (result === 'missing') throw new ProblemError('not-found');
      if (result === 'waiting') throw refused('The same correction for this person is already in the review queue.');
      await recordStaffAction(tx, {
        actor: accountId,
        action: 'correction-proposed',
        subject: { kind: 'correction', id: result.id },
        details: { reason: correction.reason },
      });
      return result;
    });
  });
  mount(app, 'GET /api/staff/corrections/{id}', async ({ params: { id } }, { staff: { scopes, accountId } }) => {
    const found = await findCorrection(db, scopes, id);
    if (!found) throw new ProblemError('not-found');
    await recordStaffRead(db, { actor: accountId, action: 'correction-read', subject: { kind: 'correction', id } });
    return found;
  });
}
