import type { Context } from '../../domain/context.ts';
import { isPictureUsed } from '../../domain/people.ts';
import { type Session, holdSession } from '../../domain/sessions.ts';
import { accountDeletedJob } from './jobs.ts';

/** Deletes an account with everything that belongs to it: profile, listings, sessions, codes, picture. There is no way back. */
export async function deleteAccount({ db, media }: Context, session: Session): Promise<void> {
  const picture = await db.transaction().execute(async (tx) => {
    const account = await holdSession(tx, session);
    const profile = await tx
      .selectFrom('profiles')
      .select('picture')
      .where('account_id', '=', account.id)
      .executeTakeFirst();
    await tx.deleteFrom('accounts').where('id', '=', account.id).execute();
    // Nobody has said yet that an unverified mailbox is theirs.
    if (account.emailVerified) await accountDeletedJob.queue(tx, { email: account.email });
    return profile?.picture ?? null;
  });
  if (picture !== null && !(await isPictureUsed(db, picture))) await media.remove(picture);
}
