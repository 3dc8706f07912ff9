import * as z from 'zod/mini';
import { defineJob, defineMailJob } from '#server/platform/jobs/define-job.ts';

/** The payload has no text and no code: the handler reads the text, and creates the code. */
export const announcementMailJob = defineMailJob(
  'announcements:announcement-mail',
  z.object({ announcementId: z.string(), accountId: z.string() }),
  'bulk',
);

export const announcementTestJob = defineMailJob(
  'announcements:test-mail',
  z.object({ announcementId: z.string(), accountId: z.string() }),
  'awaited',
);

/** Not `accountId`, because a deleted account takes its jobs with it, and the announcement becomes a draft. */
export const scheduledAnnouncementJob = defineJob(
  'announcements:scheduled',
  z.object({ announcementId: z.string(), version: z.int(), scheduledBy: z.string(), isApproved: z.boolean() }),
);

export const sendAnnouncementsJob = defineJob('announcements:send', z.unknown());
