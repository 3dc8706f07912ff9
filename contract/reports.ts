import * as z from 'zod/mini';
import { Timestamp } from './timestamp.ts';
import { defineEndpoints } from './endpoint.ts';
import { Email, Id, prose } from './fields.ts';
import { fieldLengths } from './field-lengths.ts';
import { reportReasons, contentReasons, contentKinds, reportResults } from './report-values.ts';

const Code = z.string().check(z.minLength(1), z.maxLength(200));

const OptionalText = z.optional(z.union([z.literal(''), prose(fieldLengths.messageMax)]));

export const ContentReport = z.strictObject({
  reason: z.enum([...contentReasons.profile, ...contentReasons.photo]),
  /** Required for the reason `other`. */
  text: OptionalText,
  /** Required from guests. */
  email: z.optional(z.union([z.literal(''), Email])),
});
export type ContentReport = z.infer<typeof ContentReport>;

const contentParams = z.strictObject({ kind: z.enum(contentKinds), id: Id });

export const ReportedMessage = z.object({
  sender: Id,
  /** The sender's name as members see it. Null while members do not see the sender. */
  senderName: z.nullable(z.string()),
  sentAt: Timestamp,
});
export type ReportedMessage = z.infer<typeof ReportedMessage>;

export const reportEndpoints = defineEndpoints({
  'POST /api/reports/check': {
    summary: 'Get the message that a report link belongs to',
    access: 'everyone',
    body: z.strictObject({ code: Code }),
    response: ReportedMessage,
    problems: ['not-found', 'auth/too-many-requests'],
  },
  'POST /api/reports': {
    summary:
      'Report a message to the operator, with the code from the mail. A second report of the same message replaces the first',
    access: 'everyone',
    body: z.strictObject({
      code: Code,
      reason: z.enum(reportReasons),
      text: OptionalText,
    }),
    problems: ['not-found', 'auth/too-many-requests'],
  },
  'GET /api/reports/{kind}/{id}': {
    summary: 'Get the name of a profile or the title of a photo that the caller can report',
    access: 'everyone',
    params: contentParams,
    response: z.object({ title: z.string() }),
    problems: ['not-found', 'permission-denied', 'too-many-requests'],
  },
  'POST /api/reports/{kind}/{id}': {
    summary:
      'Report a profile or a photo to the alumni office. The report of a guest counts once the guest has opened the link in a mail. A second report of the same replaces the first',
    access: 'everyone',
    params: contentParams,
    body: ContentReport,
    response: z.object({ result: z.enum(reportResults) }),
    problems: ['not-found', 'permission-denied', 'auth/too-many-requests'],
  },
  'POST /api/reports/confirm': {
    summary: 'Confirm the report of a guest, with the code from the mail',
    access: 'everyone',
    body: z.strictObject({ code: Code }),
    problems: ['not-found', 'auth/too-many-requests'],
  },
});
