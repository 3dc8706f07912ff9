import { type ExpressionBuilder } from 'kysely';
import type { MailFault, UndeliverableAddress } from '#contract/identity.ts';
import { type Db, now } from '#server/db/client.ts';
import type { Tables } from '#server/db/schema.ts';
import { countQuestionsTo, forgetQuestionsTo } from '../roster/entry-questions.ts';
import { failInvitationsTo } from '../roster/invitations.ts';
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

interface Concerned {
  readonly accounts: number;
  readonly claims: number;
  readonly invitations: number;
}

/**
 * Records that mail to an address fails, on the accounts that have the address or want to change to it. Only their
 * owners see the record. A question to the address about a claim does not count as asked, and no invitation is sent to it any more.
 * @param email canonical
 */
export async function markMailFailed(db: Db, email: string, fault: MailFault): Promise<Concerned> {
  const { numUpdatedRows } = await db
    .updateTable('accounts')
    .set({ mail_failed_at: now, mail_failed_to: email, mail_fault: fault })
    .where(hasAddress(email))
    .executeTakeFirst();
  return {
    accounts: Number(numUpdatedRows),
    claims: await forgetQuestionsTo(db, email),
    invitations: await failInvitationsTo(db, email),
  };
}

export async function countConcerned(db: Db, email: string): Promise<Concerned> {
  const { accounts } = await db
    .selectFrom('accounts')
    .select(({ fn }) => fn.countAll<number>().as('accounts'))
    .where(hasAddress(email))
    .executeTakeFirstOrThrow();
  return {
    accounts,
    claims: await countQuestionsTo(db, email),
    invitations: await failInvitationsTo(db, email, true),
  };
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

export async function findMailFailure(db: Db, accountId: string): Promise<UndeliverableAddress | null> {
  const row = await db
    .selectFrom('accounts')
    .select(['mail_failed_to as email', 'mail_fault as fault'])
    .where('id', '=', accountId)
    .executeTakeFirst();
  return row?.email && row.fault ? { email: row.email, fault: row.fault } : null;
}
