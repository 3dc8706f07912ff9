import { type ExpressionBuilder, sql } from 'kysely';
import type { MailFault, UndeliverableAddress } from '#contract/identity.ts';
import type { Db } from '#server/db/client.ts';
import type { Tables } from '#server/db/schema.ts';
import { AddressRefused, type Mailer } from '#server/platform/mail/mail.ts';

/**
 * Returns a mailer that records on the account when a mail server refuses its address permanently. The record is
 * cleared when a later mail is accepted, and when the address changes (trigger `forget_mail_failure`).
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
    // The mail is sent, so an error here must not make the job send it again. The next mail clears the record.
    await clearMailFailure(db, message.to).catch(() => undefined);
  },
});

/**
 * Records that mail to an address fails, on the accounts that have the address or want to change to it. Only their
 * owners see the record.
 * @param email canonical
 * @returns the number of accounts
 */
export async function markMailFailed(db: Db, email: string, fault: MailFault): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('accounts')
    .set({ mail_failed_at: sql<Date>`now()`, mail_failed_to: email, mail_fault: fault })
    .where(hasAddress(email))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Returns the number of accounts that `markMailFailed` would change. */
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

export async function clearMailFailure(db: Db, email: string): Promise<void> {
  await db
    .updateTable('accounts')
    .set({ mail_failed_at: null, mail_failed_to: null, mail_fault: null })
    .where('mail_failed_to', '=', email)
    .execute();
}

/** Returns the address of an account to which mail fails, with the reason; null if mail does not fail. */
export async function findMailFailure(db: Db, accountId: string): Promise<UndeliverableAddress | null> {
  const row = await db
    .selectFrom('accounts')
    .select(['mail_failed_to as email', 'mail_fault as fault'])
    .where('id', '=', accountId)
    .executeTakeFirst();
  return row?.email && row.fault ? { email: row.email, fault: row.fault } : null;
}
