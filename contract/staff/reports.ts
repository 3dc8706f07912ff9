import * as z from 'zod/mini';
import { Timestamp } from '../timestamp.ts';
import { defineEndpoints } from '../endpoint.ts';
import { Id, orEmpty, prose } from '../fields.ts';
import { fieldLengths } from '../field-lengths.ts';
import { photoModerations } from '../gallery.ts';
import { reportKinds } from '../report-values.ts';
import { reportOutcomes } from './values.ts';

export const StaffReportEntry = z.object({
  id: Id,
  reason: z.string(),
  text: z.string(),
  createdAt: Timestamp,
  /** `deleted`: the account of the reporter was deleted. */
  by: z.enum(['member', 'guest', 'deleted']),
  /** Name of a member in the scope of the caller, or address of a guest. */
  reporter: z.nullable(z.string()),
  /** Earlier reports by the same person, and how many of them led to an action. */
  earlier: z.int(),
  justified: z.int(),
});
export type StaffReportEntry = z.infer<typeof StaffReportEntry>;

/**
 * An item of the review queue: the open reports about one thing. Or a closed report, so that what was done can be
 * undone.
 */
export const StaffReport = z.object({
  id: Id,
  version: z.string(),
  kind: z.enum(reportKinds),
  createdAt: Timestamp,
  closedAt: z.nullable(Timestamp),
  /** Null while it is pending, and for reports that were closed by a command of an older version. */
  outcome: z.nullable(z.enum(reportOutcomes)),
  outcomes: z.array(z.enum(reportOutcomes)),
  subject: z.object({
    /** Null after the account was deleted. */
    id: z.nullable(Id),
    name: z.nullable(z.string()),
    /** Empty if the person hides it from members, as is the department or year null. */
    email: z.string(),
    department: z.nullable(z.string()),
    yearGraduated: z.nullable(z.int()),
    isProfileHidden: z.boolean(),
    suspendedUntil: z.nullable(Timestamp),
  }),
  /** Null for other kinds, and after the photo was deleted. */
  photo: z.nullable(
    z.object({
      title: z.string(),
      album: z.string(),
      width: z.int(),
      height: z.int(),
      addedAt: Timestamp,
      /** Null while members see the photo. */
      moderation: z.nullable(z.enum(photoModerations)),
    }),
  ),
  /** Whether `GET …/picture` has the photo, or the portrait of a reported profile. */
  hasPicture: z.boolean(),
  /** Time of the reported message; null for other kinds, and after its record was deleted. */
  sentAt: z.nullable(Timestamp),
  reports: z.array(StaffReportEntry),
  /** Earlier decisions about this person, the latest first. */
  findings: z.array(
    z.object({ id: Id, kind: z.enum(reportKinds), outcome: z.enum(reportOutcomes), closedAt: Timestamp }),
  ),
});
export type StaffReport = z.infer<typeof StaffReport>;

export const ActedReport = z.object({
  id: Id,
  kind: z.enum(reportKinds),
  outcome: z.enum(reportOutcomes),
  closedAt: Timestamp,
  /** The reported person; null without a profile. */
  name: z.nullable(z.string()),
  /** Whether the photo or profile is still hidden, or the account suspended. */
  isInEffect: z.boolean(),
});
export type ActedReport = z.infer<typeof ActedReport>;

export const maxActedReports = 100;

const params = z.strictObject({ id: Id });
const problems = ['not-found'] as const;

export const staffReportEndpoints = defineEndpoints({
  'GET /api/staff/reports': {
    summary: 'List the last 100 reports that led to an action, latest first. Reports are deleted after 180 days',
    access: { staff: 'reports' },
    response: z.object({ reports: z.array(ActedReport) }),
  },
  'GET /api/staff/reports/{id}': {
    summary:
      'Get the open reports about one photo, profile or message, or a closed report, with earlier decisions about the person',
    access: { staff: ['reports', 'deaths'] },
    params,
    response: StaffReport,
    problems,
  },
  'GET /api/staff/reports/{id}/picture': {
    summary: 'Get the reported photo, or the portrait of the reported profile, even if it is hidden',
    access: { staff: ['reports', 'deaths'] },
    params,
    file: 'image/webp',
    problems,
  },
  'POST /api/staff/reports/{id}/restore': {
    summary: 'Restore the photo or profile of a report, or end the suspension. The owner reads the text',
    access: { staff: 'reports' },
    params,
    body: z.strictObject({
      what: z.enum(['photo', 'profile', 'account']),
      text: z.optional(orEmpty(prose(fieldLengths.messageMax))),
    }),
    problems,
  },
});
