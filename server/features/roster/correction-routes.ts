import type { FastifyInstance } from 'fastify';
import { maxClassEntries } from '#contract/staff-corrections.ts';
import type { StaffRight } from '#contract/staff-values.ts';
import type { Context } from '../../domain/context.ts';
import { findClass, findCorrection, findOwnCorrections, insertCorrection } from '../../domain/roster/corrections.ts';
import { countStaffAct } from '../../domain/staff/act-limits.ts';
import { recordStaffAction, recordStaffRead } from '../../domain/staff/audit-log.ts';
import { requireStaff } from '../../domain/staff/guard.ts';
import { type Exchange, mount } from '../../platform/http/mount.ts';
import { ProblemError } from '../../platform/http/problem.ts';

/** Adds the routes with which staff who know a class propose corrections of the roster. */
export function correctionRoutes(app: FastifyInstance, context: Context): void {
  const { db, authentication, institution } = context;
  const findStaff = async ({ request, reply }: Exchange, right: StaffRight) =>
    requireStaff(db, await authentication.authenticate(request, reply), right);

  mount(app, 'GET /api/staff/classes', async ({ query }, exchange) => {
    const { scopes } = await findStaff(exchange, 'propose-corrections');
    const entries = await findClass(db, institution, scopes, query);
    if (entries.length === 0) throw new ProblemError('not-found');
    return { entries: entries.slice(0, maxClassEntries), hasMore: entries.length > maxClassEntries };
  });
  mount(app, 'GET /api/staff/corrections', async (_, exchange) => {
    const { scopes, accountId } = await findStaff(exchange, 'propose-corrections');
    return { corrections: await findOwnCorrections(db, institution, scopes, accountId) };
  });
  mount(app, 'POST /api/staff/corrections', async ({ body: { correction } }, exchange) => {
    const staff = await findStaff(exchange, 'propose-corrections');
    await countStaffAct(context, staff);
    const { scopes, accountId } = staff;
    return db.transaction().execute(async (tx) => {
      const result = await insertCorrection(tx, institution, scopes, correction, accountId);
      if (result === 'missing') throw new ProblemError('not-found');
      if (result === 'waiting')
        throw new ProblemError('staff/refused', {
          detail: 'The same correction for this person is already in the review queue.',
        });
      await recordStaffAction(tx, {
        actor: accountId,
        action: 'correction-proposed',
        subject: { kind: 'correction', id: result.id },
        details: { reason: correction.reason },
      });
      return result;
    });
  });
  mount(app, 'GET /api/staff/corrections/{id}', async ({ params: { id } }, exchange) => {
    const { scopes, accountId } = await findStaff(exchange, 'corrections');
    const found = await findCorrection(db, scopes, id);
    if (!found) throw new ProblemError('not-found');
    await recordStaffRead(db, { actor: accountId, action: 'correction-read', subject: { kind: 'correction', id } });
    return found;
  });
}
