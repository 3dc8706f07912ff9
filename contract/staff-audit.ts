import * as z from 'zod/mini';
import { defineEndpoints } from './endpoint.ts';
import { Email } from './fields.ts';
import { staffProblems } from './staff.ts';

/** Acts of staff that the audit log records. */
export const auditActions = [
  'role-granted',
  'role-removed',
  'claim-confirmed',
  'claim-rejected',
  'dispute-kept',
  'dispute-transferred',
  'report-closed',
  'photo-hidden',
  'photo-taken-down',
  'photo-restored',
  'profile-hidden',
  'profile-restored',
  'account-suspended',
  'account-restored',
  'correction-proposed',
  'correction-accepted',
  'correction-refused',
  'person-viewed',
  'sessions-ended',
  'address-changed',
  'mail-repeated',
  'account-deleted',
  'people-exported',
  'roster-applied',
  'roster-undone',
  'codes-printed',
  'announcement-sent',
  'announcement-stopped',
  'approval-requested',
  'approval-approved',
  'approval-refused',
  'approval-cancelled',
  'approval-run',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** What an act concerns. */
export const auditSubjectKinds = [
  'account',
  'claim',
  'dispute',
  'report',
  'correction',
  'photo',
  'roster-import',
  'roster-entry',
  'announcement',
  'approval',
  'export',
] as const;
export type AuditSubjectKind = (typeof auditSubjectKinds)[number];

/** A record of the audit log, as owners see it. */
export const AuditRecord = z.object({
  id: z.int(),
  at: z.string(),
  /** Address of the member of staff, looked up now. Null: the operator, a job, or a deleted account. */
  actor: z.nullable(z.string()),
  /** Null: the operator or a job. */
  actorId: z.nullable(z.string()),
  action: z.string(),
  subjectKind: z.nullable(z.string()),
  subject: z.nullable(z.string()),
  /** The address of an account as the subject, looked up now. */
  subjectLabel: z.nullable(z.string()),
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
});
export type AuditRecord = z.infer<typeof AuditRecord>;

export const staffAuditEndpoints = defineEndpoints({
  'GET /api/staff/audit-log': {
    summary: 'List the records of the audit log, newest first. For owners',
    query: z.strictObject({
      action: z.optional(z.enum(auditActions)),
      /** Address of a member of staff. */
      actor: z.optional(Email),
      /** Id of the account or item that the act concerns. */
      subject: z.optional(z.string().check(z.maxLength(40))),
      from: z.optional(z.iso.date()),
      /** Last day, inclusive, in UTC. */
      to: z.optional(z.iso.date()),
      /** Id of the last record of the page before. */
      before: z.optional(z.coerce.number().check(z.int(), z.minimum(1))),
    }),
    response: z.object({ records: z.array(AuditRecord), hasMore: z.boolean() }),
    problems: staffProblems,
  },
});
