import * as z from 'zod/mini';
import { defineEndpoints } from './endpoint.ts';
import { Timestamp } from './timestamp.ts';
import { Id, prose } from './fields.ts';
import { fieldLengths } from './field-lengths.ts';

export const Message = z.strictObject({
  text: prose(fieldLengths.messageMax),
  /** Whether the mail gives the sender's address for replies. If false, the mail contains no address of the sender. */
  shareEmail: z.boolean(),
});
export type Message = z.infer<typeof Message>;

export const Contact = z.object({
  /**
   * False when the other member accepts no messages or has blocked the caller. The response does not tell the two
   * apart.
   */
  canWrite: z.boolean(),
  isBlocked: z.boolean(),
  /**
   * Whether a reply through the site can reach the caller. `closed`: the caller accepts no messages. `hidden`: members
   * do not see the caller, who then cannot send messages either.
   */
  ownReach: z.enum(['open', 'closed', 'hidden']),
  /** Whether members see the caller's email address on the caller's profile, which every message mail links to. */
  isOwnEmailShown: z.boolean(),
  isTheirEmailShown: z.boolean(),
  /** When the caller last wrote to the other member. Null if that is more than 30 days ago. */
  lastWrittenAt: z.nullable(Timestamp),
});
export type Contact = z.infer<typeof Contact>;

export const ContactChoices = z.strictObject({
  takesMessages: z.boolean(),
  takesAnnouncements: z.boolean(),
});
export type ContactChoices = z.infer<typeof ContactChoices>;

/** A member whom the caller has blocked. The name is null while members do not see this person. */
export const BlockedPerson = z.object({ id: Id, name: z.nullable(z.string()) });
export type BlockedPerson = z.infer<typeof BlockedPerson>;

/** A message of the last 30 days. The archive does not keep its text. */
export const MessageRecord = z.object({
  id: Id,
  isSent: z.boolean(),
  /** The other member. Name and picture are null while the caller does not see them. */
  person: z.object({ id: Id, name: z.nullable(z.string()), thumb: z.nullable(z.string()) }),
  sentAt: Timestamp,
});
export type MessageRecord = z.infer<typeof MessageRecord>;

export const MessagePage = z.object({
  messages: z.array(MessageRecord),
  next: z.nullable(z.string()),
});
export type MessagePage = z.infer<typeof MessagePage>;

const params = z.strictObject({ id: Id });

export const contactEndpoints = defineEndpoints({
  'POST /api/users/{id}/messages': {
    summary:
      'Send a message to another member by mail. The mail shows the sender’s address only if the sender shares it',
    access: 'member',
    params,
    body: Message,
    problems: ['not-found', 'auth/too-many-requests'],
  },
  'GET /api/users/{id}/contact': {
    summary: 'Get whether the caller can write to another member and whether the caller has blocked this member',
    access: 'member',
    params,
    response: Contact,
    problems: ['not-found'],
  },
  'GET /api/messages': {
    summary: 'List who wrote to whom in the last 30 days: messages that the caller sent or received, newest first',
    access: 'onboarded',
    query: z.strictObject({ after: z.optional(z.string().check(z.maxLength(200))) }),
    response: MessagePage,
  },
  'GET /api/contact/choices': {
    summary: 'Get which mails the caller accepts that are not about the account',
    access: 'onboarded',
    response: ContactChoices,
  },
  'PUT /api/contact/choices': {
    summary: 'Set which mails the caller accepts. Omitted choices stay unchanged',
    access: 'onboarded',
    body: z.partial(ContactChoices),
  },
  'GET /api/blocks': {
    summary: 'List the members whom the caller has blocked, most recent first',
    access: 'onboarded',
    response: z.object({ people: z.array(BlockedPerson) }),
  },
  'PUT /api/blocks/{id}': {
    summary: 'Block another member, who can no longer write to the caller and is not notified',
    access: 'member',
    params,
    problems: ['not-found'],
  },
  'DELETE /api/blocks/{id}': {
    summary: 'Unblock a member. Succeeds also when there is no block',
    access: 'onboarded',
    params,
  },
});
