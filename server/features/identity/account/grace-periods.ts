import { sql } from 'kysely';
import type { Db } from '#server/db/client.ts';
import { requiresConfirmation } from '#server/domain/membership/membership.ts';
import { sendNoticesJob } from '../jobs.ts';

const [nextMailDays, lastMailDays] = [30, 7] as const;

const minDaysBetweenMails = 3;

/** Keeps the statement of one run as short as a request may be. The queue sends the mails more slowly. */
const mailsPerRun = 5_000;

/**
 * Requests the mails about grace periods: one at the start, and two before the end. Each account gets each of them at
 * most once, and none after it was confirmed.
 */
export async function requestGraceMails(db: Db): Promise<void> {
  if (!(await requiresConfirmation(db))) return;
  await db.transaction().execute(async (tx) => {
    const { numAffectedRows = 0n } = await sql`
      insert into notice_mails (account_id, kind)
      select a.id, due.kind
      from accounts as a
      cross join lateral (select case
        when a.confirm_by < now() + make_interval(days => ${lastMailDays}) then 'confirm-last'
        when a.confirm_by < now() + make_interval(days => ${nextMailDays}) then 'confirm-next'
      end) as near (kind)
      -- The first mail comes first, also in a grace period shorter than 30 days.
      cross join lateral (select case
        when exists (select from notice_mails where account_id = a.id and kind = 'confirm-first') then near.kind
        else 'confirm-first' end) as due (kind)
      where a.membership_status = 'unconfirmed' and a.confirm_by > now() and a.email_verified and a.is_active
        and due.kind is not null
        and not exists (
          select from notice_mails as n where n.account_id = a.id and (n.kind = due.kind
            or n.kind like 'confirm-%' and n.wanted_at > now() - make_interval(days => ${minDaysBetweenMails})))
      limit ${sql.lit(mailsPerRun)}
      on conflict do nothing`.execute(tx);
    if (numAffectedRows > 0n) await sendNoticesJob.queue(tx, {}, { key: 'next', delaySeconds: 0 });
  });
}
