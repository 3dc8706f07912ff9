import * as z from 'zod/mini';
import { Timestamp } from './timestamp.ts';
import { defineEndpoints } from './endpoint.ts';
import { Face } from './directory.ts';
import { Id } from './fields.ts';

/** Kinds of notification about the reader's department. Each is a digest, and users can turn it off. */
export const optionalNotificationKinds = ['joined', 'photos-added'] as const;
export type OptionalNotificationKind = (typeof optionalNotificationKinds)[number];

/** Kinds of notification about an action of staff. Their detail is the text of staff, which may be empty. */
export const moderationNotificationKinds = [
  'photo-reported',
  'photo-hidden',
  'photo-taken-down',
  'photo-restored',
  'profile-hidden',
  'profile-restored',
  'account-suspended',
  'account-restored',
] as const;
export type ModerationNotificationKind = (typeof moderationNotificationKinds)[number];

/** The browser has the texts. */
export const NotificationKind = z.enum([
  'welcome',
  'career-question',
  'email-verified',
  'new-device',
  'password-changed',
  'email-changed',
  'campus-connected',
  'campus-disconnected',
  // Its detail is the last day of the address.
  'campus-ending',
  ...optionalNotificationKinds,
  'membership-confirmed',
  'membership-rejected',
  'membership-disputed',
  'membership-expired',
  'membership-question',
  'change-accepted',
  'change-refused',
  ...moderationNotificationKinds,
  // For the reporter.
  'report-acted',
  'report-no-action',
]);
export type NotificationKind = z.infer<typeof NotificationKind>;

export const Notification = z.object({
  id: Id,
  kind: NotificationKind,
  /** A value for the text: a User-Agent header, an email address, or a department. */
  detail: z.string(),
  count: z.int(),
  /** Some of the people whom it is about, the latest first: only those whom the reader may see now. */
  faces: z.array(Face),
  createdAt: Timestamp,
  read: z.boolean(),
});
export type Notification = z.infer<typeof Notification>;

export const NotificationPage = z.object({
  notifications: z.array(Notification),
  next: z.nullable(z.string()),
});
export type NotificationPage = z.infer<typeof NotificationPage>;

export const NotificationChoices = z.strictObject({ joined: z.boolean(), 'photos-added': z.boolean() });
export type NotificationChoices = z.infer<typeof NotificationChoices>;

export const UnreadCount = z.object({ unread: z.int() });
export type UnreadCount = z.infer<typeof UnreadCount>;

export const notificationEndpoints = defineEndpoints({
  'GET /api/notifications': {
    summary: 'List notifications, unread ones first, then newest first, one page at a time',
    access: 'session',
    query: z.strictObject({ after: z.optional(z.string().check(z.maxLength(200))) }),
    response: NotificationPage,
  },
  'POST /api/notifications/read': {
    summary: 'Mark the given notifications as read, or all if none are given',
    access: 'session',
    body: z.strictObject({ ids: z.optional(z.array(Id).check(z.maxLength(100))) }),
  },
  'GET /api/notifications/stream': {
    summary: 'Stream the number of unread notifications: at once, and after each change',
    access: 'session',
    events: UnreadCount,
    problems: ['auth/too-many-requests'],
  },
  'GET /api/notifications/choices': {
    summary: 'Get which notifications about their department the caller receives',
    access: 'session',
    response: NotificationChoices,
  },
  'PUT /api/notifications/choices': {
    summary: 'Set which notifications about their department the caller receives. Omitted kinds stay unchanged',
    access: 'session',
    body: z.partial(NotificationChoices),
  },
});
