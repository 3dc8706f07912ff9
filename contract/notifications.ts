import * as z from 'zod/mini';
import { defineEndpoints } from './endpoint.ts';
import { Id } from './fields.ts';

/** News of the own department. They are gathered, never one for each person, and somebody can do without them. */
export const optionalKinds = ['joined', 'photos-added'] as const;
export type OptionalKind = (typeof optionalKinds)[number];

/** What somebody is told about. The browser has the words. */
export const NotificationKind = z.enum([
  'welcome',
  'email-verified',
  'new-device',
  'password-changed',
  'email-changed',
  ...optionalKinds,
]);
export type NotificationKind = z.infer<typeof NotificationKind>;

export const Notification = z.object({
  id: Id,
  kind: NotificationKind,
  /** What the words need: the device's name for itself, an address, or the department. */
  detail: z.string(),
  /** How many have been gathered in it: people, photos. */
  count: z.int(),
  createdAt: z.string(),
  read: z.boolean(),
});
export type Notification = z.infer<typeof Notification>;

export const NotificationPage = z.object({
  notifications: z.array(Notification),
  /** Hand it over as `after` to get the next page; null at the end. */
  next: z.nullable(z.string()),
});
export type NotificationPage = z.infer<typeof NotificationPage>;

/** Which of the optional kinds somebody wants to be told of. */
export const NotificationChoices = z.strictObject({ joined: z.boolean(), 'photos-added': z.boolean() });
export type NotificationChoices = z.infer<typeof NotificationChoices>;

/** What the bell shows. */
export const UnreadCount = z.object({ unread: z.int() });
export type UnreadCount = z.infer<typeof UnreadCount>;

export const notificationEndpoints = defineEndpoints({
  'GET /api/notifications': {
    summary: 'A page of what the caller has been told: unread first, the newest first',
    query: z.strictObject({ after: z.optional(z.string().check(z.maxLength(200))) }),
    response: NotificationPage,
    problems: ['auth/unauthenticated'],
  },
  'POST /api/notifications/read': {
    summary: 'Mark notifications as read: those that are named, or all',
    body: z.strictObject({ ids: z.optional(z.array(Id).check(z.maxLength(100))) }),
    problems: ['auth/unauthenticated'],
  },
  'GET /api/notifications/stream': {
    summary: 'How many are unread: now, and whenever that changes',
    events: UnreadCount,
    problems: ['auth/unauthenticated', 'auth/too-many-requests'],
  },
  'GET /api/notifications/choices': {
    summary: 'Of which news of the own department the caller wants to be told',
    response: NotificationChoices,
    problems: ['auth/unauthenticated'],
  },
  'PUT /api/notifications/choices': {
    summary: 'Choose the kinds of department news to be notified of; choices that are left out stay unchanged',
    body: z.partial(NotificationChoices),
    problems: ['auth/unauthenticated'],
  },
});
