import * as z from 'zod/mini';
import { Timestamp } from '../timestamp.ts';
import { defineEndpoints } from '../endpoint.ts';
import { Id } from '../fields.ts';
import { approvalKinds, approvalStates } from './values.ts';

export const Approval = z.object({
  id: Id,
  kind: z.enum(approvalKinds),
  people: z.int(),
  /**
   * What it is about, for example the address of the new owner. Empty for the export of another person, unless the
   * caller is an owner.
   */
  about: z.string(),
  state: z.enum(approvalStates),
  /** Null: the account was deleted. */
  requestedBy: z.nullable(z.string()),
  isOwn: z.boolean(),
  requestedAt: Timestamp,
  /** When it runs although no second person has approved it, because there is no other owner. */
  runsAt: z.nullable(Timestamp),
  decidedBy: z.nullable(z.string()),
  failure: z.string(),
});
export type Approval = z.infer<typeof Approval>;

const approvalParams = z.strictObject({ id: Id });
const approvalProblems = ['not-found', 'staff/refused'] as const;

export const staffApprovalEndpoints = defineEndpoints({
  'GET /api/staff/approvals': {
    summary: 'List the waiting requests and the latest decided ones. Owners see all, other staff their own',
    access: { staff: 'cancel-approvals' },
    response: z.object({ approvals: z.array(Approval), canDecide: z.boolean() }),
  },
  'POST /api/staff/approvals/{id}/approve': {
    summary: 'Approve a request of another member of staff. It then runs at once',
    access: { staff: 'approvals' },
    needsRecentPassword: true,
    params: approvalParams,
    problems: approvalProblems,
  },
  'POST /api/staff/approvals/{id}/refuse': {
    summary: 'Refuse a request of another member of staff',
    access: { staff: 'approvals' },
    params: approvalParams,
    problems: approvalProblems,
  },
  'POST /api/staff/approvals/{id}/cancel': {
    summary:
      'Cancel a request that has not run. Only for the requester and owners, or for all staff if there is only one owner',
    access: { staff: 'cancel-approvals' },
    params: approvalParams,
    problems: approvalProblems,
  },
});
