import { sql } from 'kysely';
import type { Db } from '../../db/client.ts';
import type { Context } from '../../domain/context.ts';
import { findPerson, listPerson } from '../../domain/people.ts';
import { picturesOf, removeUnused } from '../../domain/pictures.ts';
import { endSessions } from '../../domain/sessions.ts';
import { endPendingSignIns } from './pending-sign-ins.ts';

/*
 * An inactive account is hidden everywhere, whether the operator has disabled it or its deletion is pending. Nothing of it is
 * lost (decisions 20 and 36).
 */

/** Hides an account that has just become inactive. */
type Hide = (accountId: string) => Promise<void>;

/**
 * Runs a transaction that may hide accounts. Removes the picture files that are not used afterwards, whether it commits or
 * fails.
 */
export async function hidingTransaction<Result>(
  context: Context,
  work: (tx: Db, hide: Hide) => Promise<Result>,
): Promise<Result> {
  const [copies, gone]: [string[], string[]] = [[], []];
  try {
    const result = await context.db.transaction().execute((tx) =>
      work(tx, async (accountId) => {
        await endAccess(tx, accountId);
        await pauseListings(tx, accountId);
        for (const picture of await picturesOf(tx, accountId)) {
          const copy = await movePicture(tx, context, picture, accountId);
          if (copy === null) continue;
          copies.push(copy);
          gone.push(picture);
        }
      }),
    );
    context.listAnswers.forget();
    await removeUnused(context, gone);
    return result;
  } catch (error) {
    await removeUnused(context, copies);
    throw error;
  }
}

/** Puts the person back into every list, at the old place. Does nothing while the account is inactive for another reason. */
export async function showAccount(tx: Db, accountId: string): Promise<void> {
  const person = await findPerson(tx, accountId);
  if (person?.isDisabled) return;
  if (person) await listPerson(tx, person, null);
  // In SQL: a JavaScript date would cut the microseconds.
  await sql`
    update listings as l set listed_at = paused.listed_at from paused_listings as paused
    where paused.account_id = ${accountId} and l.account_id = paused.account_id and l.audience = paused.audience`.execute(
    tx,
  );
  await tx.deleteFrom('paused_listings').where('account_id', '=', accountId).execute();
}

/** Ends sessions, pending sign-ins and mailed codes. Recovery codes stay: they belong to the owner of the old mailbox. */
async function endAccess(tx: Db, accountId: string): Promise<void> {
  await endSessions(tx, accountId);
  await endPendingSignIns(tx, accountId);
  await tx.deleteFrom('challenges').where('account_id', '=', accountId).execute();
  await tx.deleteFrom('action_codes').where('account_id', '=', accountId).where('mode', '!=', 'recoverEmail').execute();
}

async function pauseListings(tx: Db, accountId: string): Promise<void> {
  const person = await findPerson(tx, accountId);
  if (!person) return;
  await tx
    .insertInto('paused_listings')
    .columns(['account_id', 'audience', 'listed_at'])
    .expression((eb) =>
      eb.selectFrom('listings').select(['account_id', 'audience', 'listed_at']).where('account_id', '=', accountId),
    )
    .execute();
  await listPerson(tx, person, { ...person, isDisabled: false });
}

/**
 * Renames a picture, so that the address under which people have seen it answers 404.
 * @returns the new name; null where the file is missing
 */
async function movePicture(tx: Db, { media }: Context, picture: string, accountId: string): Promise<string | null> {
  const copy = await media.copy(picture).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  });
  if (copy === null) return null;
  for (const table of ['profiles', 'photos', 'unfinished_profiles'] as const)
    await tx
      .updateTable(table)
      .set({ picture: copy })
      .where('account_id', '=', accountId)
      .where('picture', '=', picture)
      .execute();
  return copy;
}
