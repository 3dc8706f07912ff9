import * as z from 'zod/mini';
import { Timestamp } from '../timestamp.ts';
import { defineEndpoints } from '../endpoint.ts';
import { fieldLengths } from '../field-lengths.ts';
import { Id, line, orEmpty, prose } from '../fields.ts';
import { earliestYear } from '../filter-limits.ts';

export const previewedRecipients = 3;

/**
 * `requested`: a draft pending the approval of a second person. `scheduled`: sent at `sendAt`. `sent`: every mail has been handed to the queue.
 */
const announcementStates = ['draft', 'requested', 'scheduled', 'sending', 'sent', 'stopped'] as const;
export type AnnouncementState = (typeof announcementStates)[number];

const Name = z.nullable(z.string().check(z.minLength(1), z.maxLength(fieldLengths.lineMax)));
const Year = z.nullable(z.int().check(z.minimum(earliestYear), z.maximum(2200)));

/**
 * To whom an announcement goes: the members to whom all values apply that are not null. Years are years of graduation.
 */
export const AnnouncementScope = z.strictObject({ college: Name, department: Name, yearFrom: Year, yearTo: Year });
export type AnnouncementScope = z.infer<typeof AnnouncementScope>;

export const AnnouncementDraft = z.strictObject({
  subject: orEmpty(line(fieldLengths.announcementSubjectMax)),
  text: orEmpty(prose(fieldLengths.announcementMax)),
  scope: AnnouncementScope,
  /** Display name in the header Reply-To, whose address is always that of the archive. */
  replyName: z.optional(orEmpty(line(fieldLengths.replyNameMax))),
});
export type AnnouncementDraft = z.infer<typeof AnnouncementDraft>;

export const AnnouncementProgress = z.object({
  waiting: z.int(),
  sent: z.int(),
  /** The address was refused, at once or later. Among the sent ones if later. */
  bounced: z.int(),
  /** Recipients who unsubscribed through this mail. They are among the sent ones. */
  unsubscribed: z.int(),
  /** Not sent, because the recipient had unsubscribed or left meanwhile, or the sending was stopped. */
  leftOut: z.int(),
});

export const AnnouncementSummary = z.object({
  id: Id,
  subject: z.string(),
  scope: AnnouncementScope,
  state: z.enum(announcementStates),
  /** Address of who wrote it. Null: the account was deleted. */
  createdBy: z.nullable(z.string()),
  updatedAt: Timestamp,
  startedAt: z.nullable(Timestamp),
  /** When it is sent. Null: at once. */
  sendAt: z.nullable(Timestamp),
  /** Number of recipients when the sending began. Null before. */
  people: z.nullable(z.int()),
  progress: AnnouncementProgress,
});
export type AnnouncementSummary = z.infer<typeof AnnouncementSummary>;

export const Announcement = z.extend(AnnouncementSummary, {
  text: z.string(),
  replyName: z.string(),
  version: z.int(),
  recipients: z.int(),
  /** Whether a second person would have to approve it if the caller sent it now. */
  needsApproval: z.boolean(),
  /** When the sending begins although no second person has approved it, because there is no other owner. */
  runsAt: z.nullable(Timestamp),
  failure: z.string(),
});
export type Announcement = z.infer<typeof Announcement>;

export const AnnouncementPreview = z.object({
  id: Id,
  greeting: z.string(),
  paragraphs: z.array(z.string()),
  footer: z.string(),
  /** Labels of the links below the footer. */
  links: z.array(z.string()),
  sender: z.string(),
});
export type AnnouncementPreview = z.infer<typeof AnnouncementPreview>;

const params = z.strictObject({ id: Id });
const Version = z.int().check(z.minimum(1));
const problems = ['not-found', 'staff/refused'] as const;

export const staffAnnouncementEndpoints = defineEndpoints({
  'GET /api/staff/announcements': {
    summary: 'List the announcements in the scope of the caller, latest first',
    access: { staff: 'announcements' },
    response: z.object({ announcements: z.array(AnnouncementSummary) }),
  },
  'POST /api/staff/announcements': {
    summary: 'Create an empty draft',
    access: { staff: 'announcements' },
    response: z.object({ id: Id }),
  },
  'GET /api/staff/announcements/{id}': {
    summary: 'Get an announcement, with the number of people who would get it, or its progress',
    access: { staff: 'announcements' },
    params,
    response: Announcement,
    problems: ['not-found'],
  },
  'PUT /api/staff/announcements/{id}': {
    summary: 'Save a draft. Refused if the stored version differs. Cancels a waiting request for approval',
    access: { staff: 'announcements' },
    params,
    body: z.extend(AnnouncementDraft, { version: Version }),
    response: Announcement,
    problems,
  },
  'DELETE /api/staff/announcements/{id}': {
    summary: 'Delete a draft',
    access: { staff: 'announcements' },
    params,
    problems,
  },
  'GET /api/staff/announcements/{id}/preview': {
    summary: 'Get the email as up to three recipients would get it. Recipients who hide their name are left out',
    access: { staff: 'announcements' },
    params,
    response: z.object({ subject: z.string(), previews: z.array(AnnouncementPreview) }),
    problems: ['not-found'],
  },
  'POST /api/staff/announcements/{id}/test': {
    summary: 'Email a draft to the caller only',
    access: { staff: 'announcements' },
    params,
    problems,
  },
  'POST /api/staff/announcements/{id}/send': {
    summary:
      'Send a draft, or schedule it (`sendAt`), or request the approval of another owner if the caller writes to more than 500 people in 24 hours',
    access: { staff: 'announcements' },
    needsRecentPassword: true,
    params,
    body: z.strictObject({ version: Version, sendAt: z.optional(z.iso.datetime()) }),
    response: z.object({ result: z.enum(['sending', 'scheduled', 'requested']) }),
    problems,
  },
  'POST /api/staff/announcements/{id}/stop': {
    summary: 'Stop sending, or make a scheduled one a draft again. Emails that have been sent cannot be taken back',
    access: { staff: 'announcements' },
    params,
    problems,
  },
});
