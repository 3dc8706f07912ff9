import * as z from 'zod/mini';
import { defineEndpoints } from './endpoint.ts';
import { Id, prose } from './fields.ts';
import { fieldLengths } from './field-lengths.ts';

export const reportReasons = ['phishing', 'harassment', 'impersonation', 'advertising', 'other'] as const;
export type ReportReason = (typeof reportReasons)[number];

/** What a report is about. */
export const reportKinds = ['message', 'profile', 'photo'] as const;
export type ReportKind = (typeof reportKinds)[number];

/** The code in the report link of a message mail. */
const Code = z.string().check(z.minLength(1), z.maxLength(200));

/** The message to report, as the report page shows it. */
export const ReportedMessage = z.object({
  sender: Id,
  /** The sender's name as members see it. Null while members do not see the sender. */
  senderName: z.nullable(z.string()),
  sentAt: z.string(),
});
export type ReportedMessage = z.infer<typeof ReportedMessage>;

export const reportEndpoints = defineEndpoints({
  'POST /api/reports/check': {
    summary: 'Get the message that a report link belongs to',
    body: z.strictObject({ code: Code }),
    response: ReportedMessage,
    problems: ['not-found', 'auth/too-many-requests'],
  },
  'POST /api/reports': {
    summary:
      'Report a message to the operator, with the code from the mail. A second report of the same message replaces the first',
    body: z.strictObject({
      code: Code,
      reason: z.enum(reportReasons),
      text: z.optional(z.union([z.literal(''), prose(fieldLengths.messageMax)])),
    }),
    problems: ['not-found', 'auth/too-many-requests'],
  },
});
