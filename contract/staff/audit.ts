import * as z from 'zod/mini';
import { Timestamp } from '../timestamp.ts';
import { defineEndpoints } from '../endpoint.ts';
import { Email } from '../fields.ts';
import { auditActions } from './values.ts';

export const AuditRecord = z.object({
  id: z.int(),
  at: Timestamp,
  /** Address of the member of staff, looked up now. Null: the operator, a job, or a deleted account. */
  actor: z.nullable(z.string()),
  /** Null: the operator or a job. */
  actorId: z.nullable(z.string()),
  action: z.string(),
  subjectKind: z.nullable(z.string()),
  subject: z.nullable(z.string()),
  /** The address of an account, or the key of a merged employer, looked up now. */
  subjectLabel: z.nullable(z.string()),
  /** Numbers and codes, as texts. */
  details: z.array(z.object({ name: z.string(), value: z.string() })),
});
export type AuditRecord = z.infer<typeof AuditRecord>;

/** PostgreSQL refuses the year 0. */
const Moment = z.iso.datetime().check(z.refine((text) => text >= '1900'));

export const staffAuditEndpoints = defineEndpoints({
  'GET /api/staff/audit-log': {
    summary: 'List the records of the audit log, newest first. Only for owners',
    access: { staff: 'audit-log' },
    query: z.strictObject({
      action: z.optional(z.enum(auditActions)),
      actor: z.optional(Email),
      subject: z.optional(z.string().check(z.maxLength(80))),
      from: z.optional(Moment),
      /** Inclusive. */
      to: z.optional(Moment),
      /** Id of the last record of the page before. */
      before: z.optional(z.coerce.number().check(z.int(), z.minimum(1))),
    }),
    response: z.object({ records: z.array(AuditRecord), hasMore: z.boolean() }),
  },
});
