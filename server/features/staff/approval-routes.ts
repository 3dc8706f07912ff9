import type { FastifyInstance } from 'fastify';
import { noticeKinds, type staffRights } from '#contract/staff-values.ts';
import { requireRecentSignIn } from '../../domain/authentication.ts';
import type { Context } from '../../domain/context.ts';
import {
  type ApprovalDecision,
  type ApprovedAct,
  type StoredApproval,
  decideApproval,
  findApprovals,
} from '../../domain/staff/approvals.ts';
import { findOwnStaff } from '../../domain/staff/guard.ts';
import { type Exchange, mount } from '../../platform/http/mount.ts';
import { ProblemError } from '../../platform/http/problem.ts';
import type { FindStaff } from './find-staff.ts';

/** Adds the routes of requests that a second person approves. */
export function approvalRoutes(
  app: FastifyInstance,
  { db, authentication }: Context,
  findStaff: FindStaff,
  acts: readonly ApprovedAct[],
): void {
  const isOwner = async ({ request, reply }: Exchange): Promise<boolean> => {
    const { rights } = await findOwnStaff(db, await authentication.authenticate(request, reply));
    return rights.includes('approvals');
  };
  const decide = async (id: string, decision: ApprovalDecision, decidedBy: string) => {
    const result = await db.transaction().execute((tx) => decideApproval(tx, id, decision, decidedBy));
    if (result === 'own')
      throw new ProblemError('staff/refused', {
        detail: 'You cannot approve your own request. Another owner must approve it.',
      });
    if (result === 'missing')
      throw new ProblemError('staff/refused', { detail: 'This request has already been decided.' });
  };

  mount(app, 'GET /api/staff/approvals', async (_, exchange) => {
    const { accountId } = await findStaff(exchange, 'cancel-approvals');
    const canDecide = await isOwner(exchange);
    const visible = (await findApprovals(db)).filter((one) => canDecide || isConcerned(one, accountId));
    const approvals = await Promise.all(visible.map((one) => describe(one, accountId, canDecide)));
    return { approvals, canDecide };
  });
  const decisions = [
    ['POST /api/staff/approvals/{id}/approve', 'approved', 'approvals'],
    ['POST /api/staff/approvals/{id}/refuse', 'refused', 'approvals'],
    ['POST /api/staff/approvals/{id}/cancel', 'cancelled', 'cancel-approvals'],
  ] as const satisfies readonly (readonly [string, ApprovalDecision, keyof typeof staffRights])[];
  for (const [name, decision, right] of decisions)
    mount(app, name, async ({ params: { id } }, exchange: Exchange) => {
      const { session, accountId } = await findStaff(exchange, right);
      if (decision === 'approved') requireRecentSignIn(session);
      if (decision === 'cancelled' && !(await isOwner(exchange))) {
        const [one] = await findApprovals(db, { id });
        if (!one || !isConcerned(one, accountId)) throw new ProblemError('not-found');
      }
      await decide(id, decision, accountId);
    });

  async function describe(one: StoredApproval, accountId: string, canDecide: boolean) {
    const act = acts.find(({ kind }) => kind === one.kind);
    const isOwn = one.requestedById === accountId;
    // The filter of an export can contain the name or the address of a person outside the scope of other staff.
    const isDescribed = canDecide || isOwn || one.kind !== 'people-export';
    return {
      ...one,
      about: (isDescribed && (await act?.describe(db, one.payload))) || '',
      isOwn,
    };
  }
}

/** Returns whether a member of staff made a request, or may cancel it because there is only one owner: then all staff were emailed. */
const isConcerned = ({ kind, requestedById, state, runsAt }: StoredApproval, accountId: string): boolean =>
  requestedById === accountId || (state === 'waiting' && runsAt !== null && !noticeKinds.includes(kind));
