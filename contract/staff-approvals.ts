import * as z from 'zod/mini';
import { defineEndpoints } from './endpoint.ts';
import { Id } from './fields.ts';
import { staffProblems } from './staff.ts';

/** Acts that need a second person. */
export const approvalKinds = ['people-export', 'announcement', 'roster-apply', 'roster-undo', 'owner-role'] as const;
export type ApprovalKind = (typeof approvalKinds)[number];

/** `approved`: its job has not run yet. */
export const approvalStates = ['waiting', 'approved', 'refused', 'cancelled', 'done', 'failed'] as const;
export type ApprovalState = (typeof approvalStates)[number];

/** An export of more people needs an approval. */
export const exportApprovalAbove = 100;

/** An announcement to more people needs an approval. */
export const announcementApprovalAbove = 500;

/** Hours after which a request runs if there is no second owner who could approve it. */
export const soleOwnerHours = 24;

const plural = (count: number, one: string) => `${count.toLocaleString('en')} ${count === 1 ? one : `${one}s`}`;

/** Says what happens when a request is approved, as the rest of “Request to …”. */
export const approvalTexts: Record<ApprovalKind, (people: number) => string> = {
  'people-export': (people) =>
    `download the data of ${people === 1 ? '1 person' : `${people.toLocaleString('en')} people`}`,
  announcement: (people) => `send an announcement to ${people.toLocaleString('en')} people`,
  'roster-apply': (people) =>
    `apply a roster import that changes or misses ${plural(people, 'entry').replace('entrys', 'entries')}`,
  'roster-undo': () => 'undo the last roster import',
  'owner-role': () => 'make an account an owner',
};

/** A request for approval, as staff see it. */
export const Approval = z.object({
  id: Id,
  kind: z.enum(approvalKinds),
  people: z.int(),
  /** What it is about, for example the address of the new owner. */
  about: z.string(),
  state: z.enum(approvalStates),
  /** Null: the account was deleted. */
  requestedBy: z.nullable(z.string()),
  isOwn: z.boolean(),
  requestedAt: z.string(),
  /** When it runs although no second person has approved it, because there is no other owner. */
  runsAt: z.nullable(z.string()),
  decidedBy: z.nullable(z.string()),
  decidedAt: z.nullable(z.string()),
  failure: z.string(),
});
export type Approval = z.infer<typeof Approval>;

const approvalParams = z.strictObject({ id: Id });
const approvalProblems = [...staffProblems, 'not-found', 'staff/refused'] as const;

export const staffApprovalEndpoints = defineEndpoints({
  'GET /api/staff/approvals': {
    summary: 'List the requests that wait, and the latest decided ones. Owners see all, other staff their own',
    response: z.object({ approvals: z.array(Approval), canDecide: z.boolean() }),
    problems: staffProblems,
  },
  'POST /api/staff/approvals/{id}/approve': {
    summary: 'Approve what another member of staff has requested. It then runs at once',
    params: approvalParams,
    problems: approvalProblems,
  },
  'POST /api/staff/approvals/{id}/refuse': {
    summary: 'Refuse what another member of staff has requested',
    params: approvalParams,
    problems: approvalProblems,
  },
  'POST /api/staff/approvals/{id}/cancel': {
    summary:
      'Cancel a request that has not run. For the requester and owners, and for all staff, who are mailed, when there is only one owner',
    params: approvalParams,
    problems: approvalProblems,
  },
});
