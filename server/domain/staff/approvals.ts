import type { ApprovalKind } from '#contract/staff-approvals.ts';
import type { Db } from '../../db/client.ts';
import type { Context } from '../context.ts';
import { recordStaffAction } from './audit-log.ts';

/** An act that needs a second person. */
export interface ApprovalRequest {
  readonly kind: ApprovalKind;
  /** What the act needs, as JSON. It is stored. */
  readonly payload: unknown;
  /** How many people it concerns. */
  readonly people: number;
  readonly requestedBy: string;
}

/** What a feature does when a request of one kind was approved. `server/staff.ts` lists them. */
export interface ApprovedAct {
  readonly kind: ApprovalKind;
  /**
   * Does the act, in a transaction that also marks the request as done. Records its own action in the audit log.
   * @throws ActRefused if it cannot be done any more
   */
  readonly run: (
    context: Context,
    tx: Db,
    request: { readonly id: string; readonly payload: unknown; readonly requestedBy: string | null },
  ) => Promise<void>;
}

/** An approved act cannot be done any more. The message says why, for staff. */
export class ActRefused extends Error {
  override readonly name: string = 'ActRefused';
}

/** Stores a request for approval. @returns its id */
export async function requestApproval(
  tx: Db,
  { kind, payload, people, requestedBy }: ApprovalRequest,
): Promise<string> {
  const { id } = await tx
    .insertInto('approvals')
    .values({ kind, payload: JSON.stringify(payload), people, requested_by: requestedBy })
    .returning('id')
    .executeTakeFirstOrThrow();
  await recordStaffAction(tx, {
    actor: requestedBy,
    action: 'approval-requested',
    subject: { kind: 'approval', id },
    details: { kind, people },
  });
  return id;
}
