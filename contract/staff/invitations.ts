import * as z from 'zod/mini';
import { defineEndpoints } from '../endpoint.ts';
import { AnnouncementPreview } from './announcements.ts';
import { ClassQuery } from './corrections.ts';

const { department } = ClassQuery.shape;

export const InvitationMail = z.extend(z.omit(AnnouncementPreview, { id: true }), { subject: z.string() });
export type InvitationMail = z.infer<typeof InvitationMail>;

export const staffInvitationEndpoints = defineEndpoints({
  'GET /api/staff/invitations': {
    summary:
      'Count the people of a department or class on the roster whom an invitation would reach now, and get its text',
    access: { staff: 'invitations' },
    feature: 'invitations',
    query: z.partial(ClassQuery, { year: true }),
    response: z.object({ people: z.int(), needsApproval: z.boolean(), mail: InvitationMail }),
  },
  'POST /api/staff/invitations': {
    summary: 'Invite these people by email, or request the approval of another owner for more than 500 in 24 hours',
    access: { staff: 'invitations' },
    feature: 'invitations',
    needsRecentPassword: true,
    body: z.strictObject({ department, year: z.nullable(z.int().check(z.minimum(1_000), z.maximum(9_999))) }),
    response: z.object({ result: z.enum(['sending', 'requested']) }),
    problems: ['staff/refused'],
  },
  'GET /api/staff/classes/call-list': {
    summary:
      'Download name, matric number and phone of the people of a class without account and working email address',
    access: { staff: 'call-lists' },
    feature: 'invitations',
    needsRecentPassword: true,
    query: ClassQuery,
    file: 'text/csv; charset=utf-8',
    problems: ['staff/refused'],
  },
});
