import { sql } from 'kysely';
import type { OptionalNotificationKind } from '#contract/notifications.ts';
import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { awaitsConfirmationSql } from '#server/domain/membership/membership-status.ts';
import { departmentDigestJob } from '#server/domain/people/department-digest.ts';
import type { JobHandlers } from '#server/platform/jobs/define-job.ts';
import { deleteOldNotificationsJob } from './jobs.ts';

const notificationTtlDays = 365;

export const notificationTasks = ({ db }: Context): JobHandlers => ({
  ...departmentDigestJob.handle(async ({ department, kind }) => {
    await db.transaction().execute((tx) => notifyDepartment(tx, kind, department));
  }),
  ...deleteOldNotificationsJob.handle(async () => {
    await db
      .deleteFrom('notifications')
      .where('created_at', '<', sql<Date>`now() - make_interval(days => ${notificationTtlDays})`)
      .execute();
  }),
});

/**
 * Notifies the members of a department how many people joined, or how many photos were added, since the last digest.
 * Counts only data that members may see, so a person who hides the department is not counted.
 */
async function notifyDepartment(tx: Db, kind: OptionalNotificationKind, department: string): Promise<void> {
  const digest = await tx
    .deleteFrom('department_news')
    .where('department', '=', department)
    .where('kind', '=', kind)
    .returning('since')
    .executeTakeFirst();
  if (!digest) return;
  await sql`
    with items as (${itemsSince[kind](department, digest.since)}),
    own as (select account_id, count(*) as items from items group by account_id),
    readers as (
      select p.account_id, (select count(*) from items) - coalesce(own.items, 0) as new_items
      from profiles p join accounts a on a.id = p.account_id left join own on own.account_id = p.account_id
      where p.department = ${department} and not ${kind} = any(a.muted_kinds) and a.is_active and not ${sql.raw(awaitsConfirmationSql)}
    )
    insert into notifications as n (account_id, kind, detail, count)
    select account_id, ${kind}, ${department}, new_items from readers where new_items > 0 order by account_id
    on conflict (account_id, kind, detail) where read_at is null and kind in ('joined', 'photos-added')
    do update set count = n.count + excluded.count, created_at = excluded.created_at`.execute(tx);
}

const itemsSince: Record<OptionalNotificationKind, (department: string, since: Date) => ReturnType<typeof sql>> = {
  joined: (department, since) => sql`
    select account_id from listings
    where audience = 'members' and department = ${department} and listed_at >= ${since}`,
  'photos-added': (department, since) => sql`
    select p.account_id from photos p join listings l on l.account_id = p.account_id and l.audience = 'members'
    where l.department = ${department} and p.created_at >= ${since}`,
};
