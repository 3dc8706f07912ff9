import { sql } from 'kysely';
import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { hideUntilSignIn } from '#server/domain/accounts/hidden-until-sign-in.ts';
import { renamePicture, removeUnusedPictures } from '#server/domain/people/pictures.ts';
import { sendNoticesJob } from '../jobs.ts';

/** Days before a profile is hidden at which its owner gets the first and the last mail. */
export const [firstNoticeDays, lastNoticeDays] = [60, 14] as const;

/**
 * Hides the profiles of accounts that have not been used for `hideUnusedAfterMonths`, after two mails. Each step counts
 * its days from the previous mail, so that a late mail or job does not shorten the time to react. Call it only while
 * the clock is steady.
 */
export async function hideUnusedAccounts(context: Context): Promise<void> {
  const { db, institution } = context;
  const months = institution.hideUnusedAfterMonths;
  if (months === undefined) {
    await db.deleteFrom('notice_mails').where('kind', 'in', ['unused-first', 'unused-last']).execute();
    return;
  }
  await db.transaction().execute(async (tx) => {
    await requestNoticeMails(tx, months);
    await sendNoticesJob.queue(tx, {}, { key: 'next', delaySeconds: 0 });
  });
  for (const id of await findDue(db, months)) await hideAccount(context, id, months);
}

const toDueCondition = (months: number) => sql`
  a.last_seen_at < now() - make_interval(months => ${months}) + make_interval(days => ${firstNoticeDays})
  and a.email_verified and a.is_active and a.hidden_until_sign_in is null
  and exists (select from profiles as p where p.account_id = a.id and not p.is_hidden)`;

async function requestNoticeMails(tx: Db, months: number): Promise<void> {
  // The account was used after the job was queued, in an existing session, or its owner hid the profile.
  await sql`
    delete from notice_mails as n using accounts as a
    where a.id = n.account_id and n.kind in ('unused-first', 'unused-last')
      and not (${toDueCondition(months)})`.execute(tx);
  await sql`
    insert into notice_mails (account_id, kind)
    select a.id, 'unused-last' from accounts as a
    join notice_mails as n on n.account_id = a.id and n.kind = 'unused-first'
    where n.queued_at < now() - make_interval(days => ${firstNoticeDays - lastNoticeDays})
    on conflict do nothing`.execute(tx);
  await sql`
    insert into notice_mails (account_id, kind)
    select a.id, 'unused-first' from accounts as a where ${toDueCondition(months)}
    on conflict do nothing`.execute(tx);
}

async function findDue(db: Db, months: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select a.id from accounts as a join notice_mails as n on n.account_id = a.id and n.kind = 'unused-last'
    where n.queued_at < now() - make_interval(days => ${lastNoticeDays}) and ${toDueCondition(months)}`.execute(db);
  return rows.map(({ id }) => id);
}

/** If it fails, the nightly clean-up deletes the copied picture. */
async function hideAccount(context: Context, id: string, months: number): Promise<void> {
  const gone = await context.db.transaction().execute(async (tx) => {
    // Check again under the lock, because the owner may be signing in.
    const { rows } = await sql`
      select from accounts as a where a.id = ${id} and ${toDueCondition(months)} for no key update`.execute(tx);
    if (rows.length === 0) return null;
    const picture = await hideUntilSignIn(tx, id, 'unused');
    return picture !== null && (await renamePicture(tx, context, picture, id)) !== null ? picture : null;
  });
  if (gone !== null) await removeUnusedPictures(context, [gone]);
}
