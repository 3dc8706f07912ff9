import * as z from 'zod/mini';
import { defineEndpoints } from './endpoint.ts';
import { Id } from './fields.ts';

/** What somebody is told about. The browser has the words. */
export const NotificationKind = z.enum(['welcome', 'new-device', 'password-changed', 'email-changed']);
export type NotificationKind = z.infer<typeof NotificationKind>;

export const Notification = z.object({
  id: Id,
  kind: NotificationKind,
  /** What the words need: the device's name for itself, or the new address. */
  detail: z.string(),
  createdAt: z.string(),
  read: z.boolean(),
});
export type Notification = z.infer<typeof Notification>;

export const notificationEndpoints = defineEndpoints({
  'GET /api/notifications': {
    summary: 'What the caller has been told, unread first, the newest first; at most 100',
    response: z.object({ notifications: z.array(Notification) }),
    problems: ['auth/unauthenticated'],
  },
  'POST /api/notifications/read': {
    summary: 'Mark notifications as read: those that are named, or all',
    body: z.strictObject({ ids: z.optional(z.array(Id).check(z.maxLength(100))) }),
    problems: ['auth/unauthenticated'],
  },
});
