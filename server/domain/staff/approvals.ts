import { sql } from 'kysely';
import * as z from 'zod/mini';
import {
  type ApprovalKind,
  noticeHours,
  noticeKinds,
  soleOwnerHours,
  type StaffRight,
} from '#contract/staff/values.ts';
import { type Db, now } from '#server/db/client.ts';
import { defineJob, defineMailJob, wholeArchiveTimeoutSeconds } from '#server/platform/jobs/define-job.ts';
import type { Context } from '../context.ts';
import { recordStaffAction } from './audit-log.ts';
import { findScopes } from './guard.ts';
import { isActiveRole, isReadyStaff } from './roles.ts';

interface ApprovalRequest {
  readonly kind: ApprovalKind;
  readonly payload: unknown;
  readonly people: number;
  readonly requestedBy: string;
}

/** What a feature does when a request of one kind was approved. `server/app/staff.ts` lists them. */
export interface ApprovedAction {
  readonly kind: ApprovalKind;
  readonly right: StaffRight;
  readonly describe: (db: Db, payload: unknown) => Promise<string>;
  /** Whether the feature mails the requester when the action is complete, so that the approval itself needs no mail. */
  readonly mailsRequester?: boolean;
  /**
   * Does the action, in a transaction that also marks the request as done. Records its own action in the audit log.
   * @throws ActionRefused if it is no longer possible
   */
  readonly run: (
    context: Context,
    tx: Db,
    request: { readonly id: string; readonly payload: unknown; readonly requestedBy: string },
  ) => Promise<void>;
}

export class ActionRefused extends Error {
  override readonly name: string = 'ActionRefused';
}

export const approvedActionJob = defineJob('staff:approved-action', z.object({ approvalId: z.string() }), {
  timeoutSeconds: wholeArchiveTimeoutSeconds,
});

export const approvalMailJob = defineMailJob(
  'staff:approval-mail',
  z.object({ approvalId: z.string(), accountId: z.string() }),
  'normal',
);

/** What the requester is mailed about. `started`: the time of the request of an only owner has come. */
export const approvalOutcomes = ['approved', 'started', 'refused', 'cancelled', 'failed'] as const;
export type ApprovalOutcome = (typeof approvalOutcomes)[number];

export const approvalOutcomeMailJob = defineMailJob(
  'staff:approval-outcome-mail',
  z.object({ approvalId: z.string(), outcome: z.enum(approvalOutcomes) }),
  'normal',
);

/**
 * Stores a request for approval, and mails the other owners. If there is no other owner who could approve it, it runs
 * after `soleOwnerHours`; then all staff are mailed, and each of them can cancel it. Requests of `noticeKinds` run
 * after `noticeHours`, with or without another owner; all owners and the requester are mailed.
 * @returns its id
 * @throws ProblemError staff/too-many-requests
 */
export async function requestApproval(
  { limiter }: Pick<Context, 'limiter'>,
  tx: Db,
  { kind, payload, people, requestedBy }: ApprovalRequest,
): Promise<string> {
  await limiter.requireAttempt(tx, 'approvalRequestsByAccount', requestedBy);
  const others = await findRecipients(tx, requestedBy, 'owners');
  const { id } = await tx
    .insertInto('approvals')
    .values({ kind, payload: JSON.stringify(payload), people, requested_by: requestedBy })
    .returning('id')
    .executeTakeFirstOrThrow();
  const isNotice = noticeKinds.includes(kind);
  if (isNotice) await scheduleRun(tx, id, noticeHours);
  else if (others.length === 0) await scheduleWithoutApproval(tx, id, requestedBy);
  const recipients = isNotice
    ? new Set([...(await findRecipients(tx, requestedBy, 'all-owners')), requestedBy])
    : others;
  for (const accountId of recipients) await approvalMailJob.queue(tx, { approvalId: id, accountId });
  await recordStaffAction(tx, {
    actor: requestedBy,
    action: 'approval-requested',
    subject: { kind: 'approval', id },
    details: { kind, people },
  });
  return id;
}

async function scheduleWithoutApproval(tx: Db, id: string, requestedBy: string | null): Promise<void> {
  await scheduleRun(tx, id, soleOwnerHours);
  for (const accountId of await findRecipients(tx, requestedBy, 'everyone'))
    await approvalMailJob.queue(tx, { approvalId: id, accountId });
}

async function scheduleRun(tx: Db, id: string, hours: number): Promise<void> {
  await tx
    .updateTable('approvals')
    .set({ runs_at: sql<Date>`now() + make_interval(hours => ${hours})` })
    .where('id', '=', id)
    .execute();
  await approvedActionJob.queue(tx, { approvalId: id }, { key: id, delaySeconds: hours * 60 * 60 });
}

/**
 * Schedules the pending requests that no other owner can approve any more to run without an approval: a role has ended,
 * an account was deleted, or a second factor was removed. Their `soleOwnerHours` start now.
 */
export async function scheduleRequestsWithoutApprover(tx: Db): Promise<void> {
  const waiting = await tx
    .selectFrom('approvals')
    .select(['id', 'requested_by as requestedBy'])
    .where('state', '=', 'waiting')
    .where('runs_at', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute();
  for (const { id, requestedBy } of waiting)
    if ((await findRecipients(tx, requestedBy, 'owners')).length === 0)
      await scheduleWithoutApproval(tx, id, requestedBy);
}

async function findRecipients(
  tx: Db,
  requestedBy: string | null,
  who: 'owners' | 'all-owners' | 'everyone',
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct r.account_id as id from staff_roles r join accounts a on a.id = r.account_id
    where ${isActiveRole} and a.is_active
      and (${who === 'everyone'} or (r.role = 'owner' and (${who === 'all-owners'} or (r.account_id is distinct from ${requestedBy}::uuid and ${isReadyStaff}))))
    order by 1`.execute(tx);
  return rows.map(({ id }) => id);
}

export type ApprovalDecision = 'approved' | 'refused' | 'cancelled';

/**
 * Decides a pending request. An approved one runs at once.
 * @param decidedBy null for the operator, who may also approve what is their own
 * @returns `own` if the requester approves their own request, `missing` if there is no pending one
 */
export async function decideApproval(
  tx: Db,
  id: string,
  decision: ApprovalDecision,
  decidedBy: string | null,
): Promise<'decided' | 'own' | 'missing'> {
  const request = await tx
    .selectFrom('approvals')
    .select('requested_by as requestedBy')
    .where('id', '=', id)
    .where('state', 'in', decision === 'cancelled' ? ['waiting', 'approved'] : ['waiting'])
    .forUpdate()
    .executeTakeFirst();
  if (!request) return 'missing';
  if (decision === 'approved' && decidedBy !== null && request.requestedBy === decidedBy) return 'own';
  await tx
    .updateTable('approvals')
    .set({ state: decision, decided_by: decidedBy, decided_at: now })
    .where('id', '=', id)
    .execute();
  if (decision === 'approved') await approvedActionJob.queue(tx, { approvalId: id });
  // An approved request is mailed when it has run.
  else if (request.requestedBy !== decidedBy)
    await approvalOutcomeMailJob.queue(tx, { approvalId: id, outcome: decision });
  await recordStaffAction(tx, {
    actor: decidedBy,
    action: `approval-${decision}`,
    subject: { kind: 'approval', id },
  });
  return 'decided';
}

export async function cancelRequests(
  tx: Db,
  kind: ApprovalKind,
  about: Readonly<Record<string, number | string>>,
  cancelledBy: string | null,
): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id from approvals where kind = ${kind} and state in ('waiting', 'approved')
      and payload @> ${JSON.stringify(about)}::jsonb`.execute(tx);
  for (const { id } of rows) await decideApproval(tx, id, 'cancelled', cancelledBy);
}

/**
 * Does what a request asks for, if it was approved, or if it needs no approval and its time has come. The requester
 * must still have the right to the action, and who approved it the right to approve.
 * @param actions what happens for each kind
 */
export async function runApproved(context: Context, id: string, actions: readonly ApprovedAction[]): Promise<void> {
  try {
    await context.db.transaction().execute(async (tx) => {
      const { rows } = await sql<{
        kind: ApprovalKind;
        payload: unknown;
        state: 'approved' | 'waiting';
        requestedBy: string | null;
        approvedBy: string | null;
      }>`
        select kind, payload, state, requested_by as "requestedBy", decided_by as "approvedBy"
        from approvals
        where id = ${id} and (state = 'approved' or (state = 'waiting' and runs_at <= now())) for update`.execute(tx);
      const [request] = rows;
      if (!request) return;
      const { kind, payload, state, requestedBy, approvedBy } = request;
      const action = actions.find((one) => one.kind === kind);
      if (!action) throw new Error(`Nothing does the action "${kind}".`);
      if (requestedBy === null || !(await hasRight(tx, requestedBy, action.right)))
        throw new ActionRefused('Who requested this may no longer do so.');
      // Null: the operator, or a request of the only owner whose time has come.
      if (approvedBy !== null && !(await hasRight(tx, approvedBy, 'approvals')))
        throw new ActionRefused('Who approved this may no longer do so.');
      await sql`
        update approvals set state = 'done', decided_at = coalesce(decided_at, now()) where id = ${id}`.execute(tx);
      await action.run(context, tx, { id, payload, requestedBy });
      if (state === 'waiting')
        await recordStaffAction(tx, {
          actor: null,
          action: 'request-run-without-approval',
          subject: { kind: 'approval', id },
          details: { kind },
        });
      if (!action.mailsRequester)
        await approvalOutcomeMailJob.queue(tx, {
          approvalId: id,
          outcome: state === 'approved' ? 'approved' : 'started',
        });
    });
  } catch (error) {
    if (!(error instanceof ActionRefused)) throw error;
    const { message } = error;
    await context.db.transaction().execute(async (tx) => {
      const { rows } = await sql<{ kind: ApprovalKind }>`
        update approvals set state = 'failed', failure = ${message}, decided_at = coalesce(decided_at, now())
        where id = ${id} and state in ('approved', 'waiting') returning kind`.execute(tx);
      const [failed] = rows;
      if (!failed) return;
      await approvalOutcomeMailJob.queue(tx, { approvalId: id, outcome: 'failed' });
      await recordStaffAction(tx, {
        actor: null,
        action: 'request-failed',
        subject: { kind: 'approval', id },
        details: { kind: failed.kind },
      });
    });
  }
}

const hasRight = async (db: Db, accountId: string, right: StaffRight): Promise<boolean> =>
  (await findScopes(db, accountId))(right).length > 0;

export interface StoredApproval {
  readonly id: string;
  readonly kind: ApprovalKind;
  readonly payload: unknown;
  readonly people: number;
  readonly state: 'waiting' | 'approved' | 'refused' | 'cancelled' | 'done' | 'failed';
  readonly requestedById: string | null;
  readonly requestedBy: string | null;
  readonly requestedAt: Date;
  readonly runsAt: Date | null;
  readonly decidedBy: string | null;
  readonly failure: string;
}

const listedApprovals = 100;

export async function findApprovals(
  db: Db,
  only: { readonly id?: string; readonly requestedBy?: string; readonly kinds?: readonly ApprovalKind[] } = {},
): Promise<StoredApproval[]> {
  const { rows } = await sql<StoredApproval>`
    select p.id, p.kind, p.payload, p.people, p.state, p.requested_by as "requestedById", r.email as "requestedBy",
      p.requested_at as "requestedAt", p.runs_at as "runsAt", d.email as "decidedBy", p.failure
    from approvals p left join accounts r on r.id = p.requested_by left join accounts d on d.id = p.decided_by
    where (${only.id ?? null}::uuid is null or p.id = ${only.id ?? null}::uuid)
      and (${only.requestedBy ?? null}::uuid is null or p.requested_by = ${only.requestedBy ?? null}::uuid)
      and (${only.kinds ?? null}::text[] is null or p.kind = any(${only.kinds ?? null}::text[]))
    order by p.state <> 'waiting', p.requested_at desc, p.id limit ${listedApprovals}`.execute(db);
  return rows;
}
