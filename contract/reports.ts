import * as z from 'zod/mini';
import { defineEndpoints } from './endpoint.ts';
import { Id, prose } from './fields.ts';
import { fieldLengths } from './field-lengths.ts';

export const reportReasons = ['phishing', 'harassment', 'impersonation', 'advertising', 'other'] as const;
export type ReportReason = (typeof reportReasons)[number];

/** The code in the report link of a message mail. */
const Code = z.string().check(z.minLength(1), z.maxLength(200));

/** What the report page shows before anything is sent. */
export const ReportedMessage = z.object({
  sender: Id,
  /** The sender's name as members see it; null while they do not see the sender. */
  senderName: z.nullable(z.string()),
  sentAt: z.string(),
});
export type ReportedMessage = z.infer<typeof ReportedMessage>;

export const reportEndpoints = defineEndpoints({
  'POST /api/reports/check': {
    summary: 'Which message a report link is about; changes nothing',
    body: z.strictObject({ code: Code }),
    response: ReportedMessage,
    problems: ['not-found', 'auth/too-many-requests'],
  },
  'POST /api/reports': {
    summary: 'Report a message to the operator, with the link in its mail; a second report of it replaces the first',
    body: z.strictObject({
      code: Code,
      reason: z.enum(reportReasons),
      text: z.optional(z.union([z.literal(''), prose(fieldLengths.messageMax)])),
    }),
    problems: ['not-found', 'auth/too-many-requests'],
  },
});
