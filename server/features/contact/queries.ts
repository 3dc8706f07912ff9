import { sql } from 'kysely';
import * as z from 'zod/mini';
import type { BlockedPerson, Contact, ContactChoices, MessagePage } from '#contract/contact.ts';
import { Id } from '#contract/fields.ts';
import { type VisibilityChoices, getEffectiveAudience } from '#contract/visibility.ts';
import type { Db } from '#server/db/client.ts';
import type { ListingAudience } from '#server/db/schema.ts';
import { newMemberInterval } from '#server/domain/accounts/accounts.ts';
import { picturePath } from '#server/domain/people/picture-sizes.ts';
import { cutPage, Microseconds, readCursor, timeOf, toMicroseconds } from '#server/platform/http/cursor.ts';

/** What decides whether one member can send a message to another. The email addresses are for the mail only. */
export interface Relation {
  readonly senderEmail: string;
  /** Null while members do not see the sender. */
  readonly senderName: string | null;
  readonly isSenderVerified: boolean;
  /** Whether the sender's profile is less than a day old. */
  readonly isSenderNew: boolean;
  readonly senderTakesMessages: boolean;
  readonly senderVisibility: VisibilityChoices;
  readonly hasSenderBlocked: boolean;
  readonly recipientEmail: string;
  readonly recipientName: string;
  readonly recipientVisibility: VisibilityChoices;
  readonly isRecipientVerified: boolean;
  readonly recipientTakesMessages: boolean;
  readonly isRecipientReachable: boolean;
  readonly hasRecipientBlocked: boolean;
  /** When the sender last wrote to the recipient, in the last 30 days. */
  readonly lastWrittenAt: Date | null;
}

/**
 * Returns the relation of two members, or null when one of them does not exist or members do not see the recipient. One
 * query reads everything, so response times do not reveal a block.
 * @param shouldLock locks both accounts until the end of the transaction
 */
export async function findRelation(
  db: Db,
  senderId: string,
  recipientId: string,
  { shouldLock = false } = {},
): Promise<Relation | null> {
  const { rows } = await sql<Relation>`
    select s.email as "senderEmail", sl.name as "senderName", rl.name as "recipientName", s.email_verified as "isSenderVerified",
      sp.created_at > now() - ${newMemberInterval}::interval as "isSenderNew",
      s.takes_messages as "senderTakesMessages", sp.visibility as "senderVisibility",
      exists (select from blocks where account_id = s.id and blocked_id = r.id) as "hasSenderBlocked",
      r.email as "recipientEmail", r.email_verified as "isRecipientVerified",
      r.takes_messages as "recipientTakesMessages", rp.visibility as "recipientVisibility",
      r.mail_failed_to is distinct from r.email as "isRecipientReachable",
      exists (select from blocks where account_id = r.id and blocked_id = s.id) as "hasRecipientBlocked",
      (select max(sent_at) from messages where recipient_id = r.id and sender_id = s.id) as "lastWrittenAt"
    from accounts r
    join listings rl on rl.account_id = r.id and rl.audience = 'members'
    join profiles rp on rp.account_id = r.id
    join accounts s on s.id = ${senderId}
    join profiles sp on sp.account_id = s.id
    left join listings sl on sl.account_id = s.id and sl.audience = 'members'
    where r.id = ${recipientId} ${shouldLock ? sql`for key share of r, s` : sql``}`.execute(db);
  return rows[0] ?? null;
}

/**
 * Returns whether the recipient accepts messages from the sender. A block, messages turned off, and an address to which
 * mail fails look the same to the sender.
 */
export const acceptsMessages = (relation: Relation): boolean =>
  relation.recipientTakesMessages &&
  relation.isRecipientVerified &&
  relation.isRecipientReachable &&
  !relation.hasRecipientBlocked;

export function getOwnReach({ senderName, senderTakesMessages }: Relation): Contact['ownReach'] {
  if (senderName === null) return 'hidden';
  return senderTakesMessages ? 'open' : 'closed';
}

export const isSenderEmailVisible = (relation: Relation): boolean =>
  getOwnReach(relation) !== 'hidden' && getEffectiveAudience('email', relation.senderVisibility) !== 'me';

/** Members see the recipient: otherwise there is no relation. */
export const isRecipientEmailVisible = ({ recipientVisibility }: Relation): boolean =>
  getEffectiveAudience('email', recipientVisibility) !== 'me';

/** Checked when a message is queued, and again before its mail is sent. */
export const canWrite = (relation: Relation): boolean =>
  acceptsMessages(relation) &&
  !relation.hasSenderBlocked &&
  relation.isSenderVerified &&
  getOwnReach(relation) !== 'hidden';

export const findContactChoices = (db: Db, accountId: string): Promise<ContactChoices> =>
  db
    .selectFrom('accounts')
    .select(['takes_messages as takesMessages', 'takes_announcements as takesAnnouncements'])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();

export const findBlocked = (db: Db, accountId: string, audience: ListingAudience): Promise<BlockedPerson[]> =>
  db
    .selectFrom('blocks as b')
    .leftJoin('listings as l', (join) =>
      join.onRef('l.account_id', '=', 'b.blocked_id').on('l.audience', '=', audience),
    )
    .select(['b.blocked_id as id', 'l.name'])
    .where('b.account_id', '=', accountId)
    .orderBy('b.created_at', 'desc')
    .orderBy('b.blocked_id')
    .execute();

export async function countBlocked(db: Db, accountId: string): Promise<number> {
  const { people } = await db
    .selectFrom('blocks')
    .select(sql<number>`count(*)::int`.as('people'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return people;
}

/**
 * Blocks a person whom members see, or who sent the user a message in the last 30 days and is hidden now.
 * @returns whether the person is blocked; false if the person does not exist
 */
export async function addBlock(db: Db, accountId: string, blockedId: string): Promise<boolean> {
  await sql`
    insert into blocks (account_id, blocked_id)
    select ${accountId}::uuid, a.id from accounts a
    where a.id = ${blockedId}
      and (exists (select from listings where account_id = a.id and audience = 'members')
        or exists (select from messages where recipient_id = ${accountId} and sender_id = a.id))
    for key share of a
    on conflict do nothing`.execute(db);
  const row = await db
    .selectFrom('blocks')
    .select('blocked_id')
    .where('account_id', '=', accountId)
    .where('blocked_id', '=', blockedId)
    .executeTakeFirst();
  return row !== undefined;
}

const messagesPerPage = 20;

const MessageKey = z.tuple([Microseconds, Id]);

export async function findMessages(
  db: Db,
  accountId: string,
  audience: ListingAudience,
  after: string | undefined,
): Promise<z.input<typeof MessagePage>> {
  const other = sql<string>`case m.sender_id when ${accountId} then m.recipient_id else m.sender_id end`;
  let query = db
    .selectFrom('messages as m')
    .leftJoin('listings as l', (join) => join.on('l.account_id', '=', other).on('l.audience', '=', audience))
    .select([
      'm.id',
      sql<boolean>`m.sender_id = ${accountId}`.as('isSent'),
      other.as('personId'),
      'l.name',
      'l.picture',
      'm.sent_at as sentAt',
      sql.raw<string>(toMicroseconds('m.sent_at')).as('age'),
    ])
    .where((eb) => eb.or([eb('m.sender_id', '=', accountId), eb('m.recipient_id', '=', accountId)]))
    .orderBy('m.sent_at', 'desc')
    .orderBy('m.id', 'desc')
    .limit(messagesPerPage + 1);
  if (after !== undefined) {
    const [sentAt, id] = readCursor(after, MessageKey);
    query = query.where(sql<boolean>`(m.sent_at, m.id) < (${timeOf(sentAt)}, ${id}::uuid)`);
  }
  const { rows, next } = cutPage(await query.execute(), messagesPerPage, ({ age, id }) => [age, id]);
  return {
    messages: rows.map(({ id, isSent, personId, name, picture, sentAt }) => ({
      id,
      isSent,
      sentAt,
      person: { id: personId, name, thumb: picture === null ? null : picturePath(picture, 192) },
    })),
    next,
  };
}
