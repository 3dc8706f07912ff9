import { sql } from 'kysely';
import type { Db } from '../../db/client.ts';
import type { Context } from '../../domain/context.ts';
import { forgetEmptyDepartments } from '../../domain/news.ts';
import { picturesOf, removeUnused } from '../../domain/pictures.ts';
import { type HeldAccount, type Session, holdAccount, holdSession } from '../../domain/sessions.ts';
import { forgetWords, wordsOf } from '../../domain/vocabulary.ts';
import { recordAct } from '../../platform/audit.ts';
import { dropJobs } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import { accountDeletedJob } from './jobs.ts';

/**
 * Deletes an account with everything that belongs to it: profile, listings, photos, notifications, sessions, codes,
 * pictures, and what the queue, the limits and the vocabulary of the search know of it. There is no way back.
 * `forgotten.test.ts` looks everywhere for what could be left.
 */
export async function deleteAccount(context: Context, session: Session, log: Log): Promise<void> {
  await remove(context, (tx) => holdSession(tx, session));
  recordAct(log, 'account deleted');
}

/** The same, by the operator. @returns whether there was such an account */
export async function deleteAccountById(context: Context, accountId: string, log: Log): Promise<boolean> {
  const wasThere = await remove(context, (tx) => holdAccount(tx, accountId));
  if (wasThere) recordAct(log, 'account deleted by the operator');
  return wasThere;
}

/** @param hold locks the account; null where there is none */
async function remove(context: Context, hold: (tx: Db) => Promise<HeldAccount | null>): Promise<boolean> {
  const pictures = await context.db.transaction().execute(async (tx) => {
    const account = await hold(tx);
    if (!account) return null;
    const own = await picturesOf(tx, account.id);
    const words = await wordsOf(tx, account.id);
    const addresses = [account.email, ...(await heldBy(tx, account.id))];
    await tx.deleteFrom('accounts').where('id', '=', account.id).execute();
    await forgetWords(tx, words);
    await forgetEmptyDepartments(tx);
    await dropJobs(tx, [
      { accountId: account.id },
      { senderId: account.id },
      { recipientId: account.id },
      ...addresses.map((email) => ({ email })),
    ]);
    // What is counted by mailbox stays for its hour: a mailbox is not to be filled by accounts that come and go.
    await context.limiter.forgetSubject(tx, account.id);
    // Nobody has said yet that an unverified mailbox is theirs.
    if (account.emailVerified) await accountDeletedJob.queue(tx, { email: account.email });
    return own;
  });
  await removeUnused(context, pictures ?? []);
  return pictures !== null;
}

/** Former addresses that nobody else can have yet. One that was only wished for may be somebody else's by now. */
async function heldBy(tx: Db, accountId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('held_addresses')
    .select('email')
    .where('account_id', '=', accountId)
    .where('until', '>', sql<Date>`now()`)
    .execute();
  return rows.map(({ email }) => email);
}
