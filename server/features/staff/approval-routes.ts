import type { FastifyInstance } from 'fastify';
import { noticeKinds } from '#contract/staff/values.ts';
import type { Context } from '#server/domain/context.ts';
import {
  type ApprovalDecision,
  type ApprovedAction,
  type StoredApproval,
  decideApproval,
  findApprovals,
} from '#server/domain/staff/approvals.ts';
import { type Staff, findOwnStaff } from '#server/domain/staff/guard.ts';
import { mount } from '#server/domain/api/mount.ts';
import { refused } from '#server/domain/staff/refused.ts';
import { ProblemError } from '#server/platform/http/problem.ts';

export function approvalRoutes(app: FastifyInstance, { db }: Context, actions: readonly ApprovedAction[]): void {
  const isOwner = async ({ session }: Staff): Promise<boolean> =>
    (await findOwnStaff(db, session)).rights.includes('approvals');
  const decide = async (id: string, decision: ApprovalDecision, decidedBy: string) => {
    const result = await db.transaction().execute((tx) => decideApproval(tx, id, decision, decidedBy));
    if (result === 'own') throw refused('You cannot approve your own request. Another owner must approve it.');
    if (result === 'missing') throw refused('This request has already been decided.');
  };

  mount(app, 'GET /api/staff/approvals', async (_, { staff }) => {
    const { accountId } = staff;
    const canDecide = await isOwner(staff);
    const visible = (await findApprovals(db)).filter((one) => canDecide || isConcerned(one, accountId));
    const approvals = await Promise.all(visible.map((one) => describe(one, accountId, canDecide)));
    return { approvals, canDecide };
  });
  mount(app, 'POST /api/staff/approvals/{id}/approve', async ({ params: { id } }, { staff }) =>
    decide(id, 'approved', staff.accountId),
  );
  mount(app, 'POST /api/staff/approvals/{id}/refuse', async ({ params: { id } }, { staff }) =>
    decide(id, 'refused', staff.accountId),
  );
  mount(app, 'POST /api/staff/approvals/{id}/cancel', async ({ params: { id } }, { staff }) => {
    if (!(await isOwner(staff))) {
      const [one] = await findApprovals(db, { id });
      if (!one || !isConcerned(one, staff.accountId)) throw new ProblemError('not-found');
    }
    await decide(id, 'cancelled', staff.accountId);
  });

  async function describe(one: StoredApproval, accountId: string, canDecide: boolean) {
    const action = actions.find(({ kind }) => kind === one.kind);
    const isOwn = one.requestedById === accountId;
    // The filter of an export can contain the name or the address of a person outside the scope of other staff.
    const isDescribed = canDecide || isOwn || one.kind !== 'people-export';
    return {
      ...one,
      about: (isDescribed && (await action?.describe(db, one.payload))) || '',
      isOwn,
    };
  }
}

/** Whether staff made a request, or may cancel it because there is only one owner: then all staff were emailed. */
const isConcerned = ({ kind, requestedById, state, runsAt }: StoredApproval, accountId: string): boolean =>
  requestedById === accountId || (state === 'waiting' && runsAt !== null && !noticeKinds.includes(kind));
