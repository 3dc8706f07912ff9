import { type ExpressionBuilder, sql } from 'kysely';
import type { MailFault, Undelivered } from '#contract/identity.ts';
import type { Db } from '../db/client.ts';
import type { Tables } from '../db/schema.ts';
import { AddressRefused, type Mailer } from '../platform/mail/mail.ts';

/**
 * A mailer that keeps in mind to which addresses of accounts mail does not get. What is known of one goes when a later mail
 * is taken, and with the address itself (migration 14).
 */
export const recordMailFailures = (db: Db, mailer: Mailer): Mailer => ({
  ...mailer,
  send: async (message, attempt) => {
    try {
      await mailer.send(message, attempt);
    } catch (error) {
      if (error instanceof AddressRefused) await markMailFailed(db, message.to, error.fault);
      throw error;
    }
    // It has gone out: what fails from here on must not have it sent again. The mark goes with the next mail.
    await clearMailFailure(db, message.to).catch(() => undefined);
  },
});

/**
 * Marks the accounts whose address this is, or who wished for it: it is told to nobody else.
 * @param email canonical
 * @returns how many there are
 */
export async function markMailFailed(db: Db, email: string, fault: MailFault): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('accounts')
    .set({ mail_failed_at: sql<Date>`now()`, mail_failed_to: email, mail_fault: fault })
    .where(hasAddress(email))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** How many accounts `markMailFailed` would mark. */
export async function countAccountsWithAddress(db: Db, email: string): Promise<number> {
  const { count } = await db
    .selectFrom('accounts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(hasAddress(email))
    .executeTakeFirstOrThrow();
  return count;
}

const hasAddress = (email: string) => (eb: ExpressionBuilder<Tables, 'accounts'>) =>
  eb.or([eb('email', '=', email), eb('pending_email', '=', email)]);

/** Mail gets to this address after all. */
export async function clearMailFailure(db: Db, email: string): Promise<void> {
  await db
    .updateTable('accounts')
    .set({ mail_failed_at: null, mail_failed_to: null, mail_fault: null })
    .where('mail_failed_to', '=', email)
    .execute();
}

/** The address of an account to which mail does not get, if there is one. */
export async function findMailFailure(db: Db, accountId: string): Promise<Undelivered | null> {
  const row = await db
    .selectFrom('accounts')
    .select(['mail_failed_to as email', 'mail_fault as fault'])
    .where('id', '=', accountId)
    .executeTakeFirst();
  return row?.email && row.fault ? { email: row.email, fault: row.fault } : null;
}
