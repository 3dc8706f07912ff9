import type { Context } from '../../domain/context.ts';
import { picturesOf, removeUnused } from '../../domain/pictures.ts';
import { type Session, holdSession } from '../../domain/sessions.ts';
import { forgetWords, wordsOf } from '../../domain/vocabulary.ts';
import { accountDeletedJob } from './jobs.ts';

/**
 * Deletes an account with everything that belongs to it: profile, listings, photos, notifications, sessions, codes,
 * pictures. There is no way back.
 */
export async function deleteAccount(context: Context, session: Session): Promise<void> {
  const pictures = await context.db.transaction().execute(async (tx) => {
    const account = await holdSession(tx, session);
    const own = await picturesOf(tx, account.id);
    const words = await wordsOf(tx, account.id);
    await tx.deleteFrom('accounts').where('id', '=', account.id).execute();
    await forgetWords(tx, words);
    // Nobody has said yet that an unverified mailbox is theirs.
    if (account.emailVerified) await accountDeletedJob.queue(tx, { email: account.email });
    return own;
  });
  await removeUnused(context, pictures);
}
