import { sql } from 'kysely';
import type { Db } from '../../db/client.ts';
import type { Context } from '../../domain/context.ts';
import { findPerson, listPerson } from '../../domain/people.ts';
import { picturesOf, removeUnused } from '../../domain/pictures.ts';
import { endSessions, holdAccount } from '../../domain/sessions.ts';
import { recordAct } from '../../platform/audit.ts';
import type { Log } from '../../platform/log.ts';
import { endPendingSignIns } from './pending-sign-ins.ts';

/*
 * An account that the operator switches off: from that moment on nobody signs in to it, nobody sees or writes to its person,
 * and no mail goes to it. Nothing of it is lost; switched on again, it is as it was (decision 20).
 */

/**
 * Switches an account off. Sessions, sign-ins that wait for a second factor and mailed codes end at once; only a way back
 * to a former address sleeps, for it is its owner's for thirty days.
 * @returns whether it was on; null when there is no such account
 */
export async function disableAccount(context: Context, accountId: string, log: Log): Promise<boolean | null> {
  const { db } = context;
  const [copies, gone]: [string[], string[]] = [[], []];
  try {
    const wasOn = await db.transaction().execute(async (tx) => {
      const account = await holdAccount(tx, accountId);
      if (!account) return null;
      if (account.isDisabled) return false;
      await tx
        .updateTable('accounts')
        .set({ disabled_at: sql<Date>`now()` })
        .where('id', '=', accountId)
        .execute();
      await endSessions(tx, accountId);
      await endPendingSignIns(tx, accountId);
      await tx.deleteFrom('challenges').where('account_id', '=', accountId).execute();
      await tx
        .deleteFrom('action_codes')
        .where('account_id', '=', accountId)
        .where('mode', '!=', 'recoverEmail')
        .execute();
      await takeOutOfLists(tx, accountId);
      for (const picture of await picturesOf(tx, accountId)) {
        const copy = await movePicture(tx, context, picture, accountId);
        if (copy === null) continue;
        copies.push(copy);
        gone.push(picture);
      }
      return true;
    });
    await removeUnused(context, gone);
    if (wasOn) recordAct(log, 'account switched off by the operator');
    return wasOn;
  } catch (error) {
    await removeUnused(context, copies);
    throw error;
  }
}

/**
 * Switches an account on again: everything that its owner had chosen, and their place in every list.
 * @returns whether it was off; null when there is no such account
 */
export async function enableAccount({ db }: Context, accountId: string, log: Log): Promise<boolean | null> {
  const wasOff = await db.transaction().execute(async (tx) => {
    const account = await holdAccount(tx, accountId);
    if (!account) return null;
    if (!account.isDisabled) return false;
    await tx.updateTable('accounts').set({ disabled_at: null }).where('id', '=', accountId).execute();
    const person = await findPerson(tx, accountId);
    if (person) await listPerson(tx, person, null);
    await sql`
      update listings as l set listed_at = paused.listed_at from paused_listings as paused
      where paused.account_id = ${accountId} and l.account_id = paused.account_id and l.audience = paused.audience`.execute(
      tx,
    );
    await tx.deleteFrom('paused_listings').where('account_id', '=', accountId).execute();
    return true;
  });
  if (wasOff) recordAct(log, 'account switched on by the operator');
  return wasOff;
}

/** @param accountId of somebody who has just been switched off */
async function takeOutOfLists(tx: Db, accountId: string): Promise<void> {
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
 * Whoever has seen a picture knows its address; from now on nothing is there.
 * @returns its new name; null where its file is missing anyway
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
