import { sql } from 'kysely';
import type { BlockedPerson, Contact, ContactChoices } from '#contract/contact.ts';
import { type VisibilityChoices, getEffectiveAudience } from '#contract/visibility.ts';
import type { Db } from '../../db/client.ts';
import { newMemberInterval } from '../../domain/accounts.ts';

/** All that decides whether one person may write to another, read at one moment. The addresses are for the mail only. */
export interface Relation {
  readonly senderEmail: string;
  /** As members see it; null while they do not see the sender at all. */
  readonly senderName: string | null;
  readonly isSenderVerified: boolean;
  /** Whether their profile is younger than a day. */
  readonly isSenderNew: boolean;
  readonly senderTakesMessages: boolean;
  readonly senderVisibility: VisibilityChoices;
  readonly hasSenderBlocked: boolean;
  readonly recipientEmail: string;
  /** As members see it. */
  readonly recipientName: string;
  readonly isRecipientVerified: boolean;
  readonly recipientTakesMessages: boolean;
  /** Whether mail gets to their address, as far as is known. */
  readonly isRecipientReachable: boolean;
  readonly hasRecipientBlocked: boolean;
}

/**
 * How two people stand to each other, or null where members do not see the recipient or one of them is not there.
 * Everything is asked in any case and put together afterwards: a block takes as long as a switch that is off.
 * @param isHeld keeps both accounts until the end of the transaction
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
      r.takes_messages as "recipientTakesMessages",
      r.mail_failed_to is distinct from r.email as "isRecipientReachable",
      exists (select from blocks where account_id = r.id and blocked_id = s.id) as "hasRecipientBlocked"
    from accounts r
    join listings rl on rl.account_id = r.id and rl.audience = 'members'
    join accounts s on s.id = ${senderId}
    join profiles sp on sp.account_id = s.id
    left join listings sl on sl.account_id = s.id and sl.audience = 'members'
    where r.id = ${recipientId} ${shouldLock ? sql`for key share of r, s` : sql``}`.execute(db);
  return rows[0] ?? null;
}

/**
 * Whether the recipient takes messages, as the sender learns it: a block, the switch, and an address to which no mail gets
 * are the same to them.
 */
export const acceptsMessages = (relation: Relation): boolean =>
  relation.recipientTakesMessages &&
  relation.isRecipientVerified &&
  relation.isRecipientReachable &&
  !relation.hasRecipientBlocked;

/** Whether an answer would reach the sender through the site. */
export function getOwnReach({ senderName, senderTakesMessages }: Relation): Contact['ownReach'] {
  if (senderName === null) return 'hidden';
  return senderTakesMessages ? 'open' : 'closed';
}

/** Whether members see the sender's address on their profile. */
export const isEmailShown = (relation: Relation): boolean =>
  getOwnReach(relation) !== 'hidden' && getEffectiveAudience('email', relation.senderVisibility) !== 'me';

/** Whether a message may go its way: asked when it is written, and once more when its mail goes out. */
export const canWrite = (relation: Relation): boolean =>
  acceptsMessages(relation) &&
  !relation.hasSenderBlocked &&
  relation.isSenderVerified &&
  getOwnReach(relation) !== 'hidden';

/** Whether members can write to somebody. */
export async function findContactChoices(db: Db, accountId: string): Promise<ContactChoices> {
  const { takes_messages: takesMessages } = await db
    .selectFrom('accounts')
    .select('takes_messages')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  return { takesMessages };
}

/** Whom somebody has blocked, the last one first; named as members see them. */
export const findBlocked = (db: Db, accountId: string): Promise<BlockedPerson[]> =>
  db
    .selectFrom('blocks as b')
    .leftJoin('listings as l', (join) =>
      join.onRef('l.account_id', '=', 'b.blocked_id').on('l.audience', '=', 'members'),
    )
    .select(['b.blocked_id as id', 'l.name'])
    .where('b.account_id', '=', accountId)
    .orderBy('b.created_at', 'desc')
    .orderBy('b.blocked_id')
    .execute();

/** How many people somebody has blocked. */
export async function countBlocked(db: Db, accountId: string): Promise<number> {
  const { people } = await db
    .selectFrom('blocks')
    .select(sql<number>`count(*)::int`.as('people'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return people;
}

/**
 * Blocks somebody whom members see, or who has written lately and is hidden by now.
 * @returns whether they are blocked; not where nobody like this is there
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
