import * as z from 'zod/mini';
import { defineEndpoints } from './endpoint.ts';
import { Id, prose } from './fields.ts';
import { fieldLengths } from './field-lengths.ts';

/** What one member writes to another. */
export const Message = z.strictObject({
  text: prose(fieldLengths.messageMax),
  /** Whether the other may answer directly, to the sender's own address. Without it the mail has no address of the sender. */
  shareEmail: z.boolean(),
});
export type Message = z.infer<typeof Message>;

export const Contact = z.object({
  /** False where they take no messages, and, not to be told from that, where they have blocked the caller. */
  canWrite: z.boolean(),
  /** Whether the caller has blocked them. */
  isBlocked: z.boolean(),
  /**
   * Whether an answer would reach the caller through the site: `closed` while they take no messages themselves, `hidden`
   * while members do not see them; then they cannot write either.
   */
  ownReach: z.enum(['open', 'closed', 'hidden']),
  /** Whether members see the caller's address on their profile, where every mail leads. */
  isOwnEmailShown: z.boolean(),
});
export type Contact = z.infer<typeof Contact>;

export const ContactChoices = z.strictObject({ takesMessages: z.boolean() });
export type ContactChoices = z.infer<typeof ContactChoices>;

/** Somebody whom the caller has blocked; without a name while members do not see them. */
export const BlockedPerson = z.object({ id: Id, name: z.nullable(z.string()) });
export type BlockedPerson = z.infer<typeof BlockedPerson>;

const memberProblems = ['auth/unauthenticated', 'auth/unverified-email', 'permission-denied'] as const;
const params = z.strictObject({ id: Id });

export const contactEndpoints = defineEndpoints({
  'POST /api/users/{id}/messages': {
    summary: 'Write to another member; the mail goes out from the site and shows no address of either',
    params,
    body: Message,
    problems: [...memberProblems, 'not-found', 'auth/too-many-requests'],
  },
  'GET /api/users/{id}/contact': {
    summary: 'Whether the caller can write to another member, and has blocked them',
    params,
    response: Contact,
    problems: [...memberProblems, 'not-found'],
  },
  'GET /api/contact/choices': {
    summary: 'Whether members can write to the caller',
    response: ContactChoices,
    problems: [...memberProblems],
  },
  'PUT /api/contact/choices': {
    summary: 'Choose whether members can write to the caller',
    body: ContactChoices,
    problems: [...memberProblems],
  },
  'GET /api/blocks': {
    summary: 'Whom the caller has blocked, the last one first',
    response: z.object({ people: z.array(BlockedPerson) }),
    problems: [...memberProblems],
  },
  'PUT /api/blocks/{id}': {
    summary: 'Block another member: they cannot write to the caller any more, and are not told',
    params,
    problems: [...memberProblems, 'not-found'],
  },
  'DELETE /api/blocks/{id}': {
    summary: 'Take a block back; nothing happens where there is none',
    params,
    problems: [...memberProblems],
  },
});
