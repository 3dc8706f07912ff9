import * as z from 'zod/mini';
import { sql } from 'kysely';
import { type OptionalNotificationKind, optionalNotificationKinds } from '#contract/notifications.ts';
import type { Db } from '#server/db/client.ts';
import { defineJob, deleteJobsAbout } from '#server/platform/jobs/define-job.ts';

export const departmentDigestJob = defineJob(
  'notifications:department-news',
  z.object({ department: z.string(), kind: z.enum(optionalNotificationKinds) }),
);

/**
 * Delay that collects the changes of one kind into one notification, for example when a whole class signs up together.
 */
const digestDelaySeconds = 600;

/**
 * Queues a digest for a department, in the transaction of the change. The job counts the changes when it runs, from
 * what members may see at that time.
 */
export async function queueDepartmentDigest(tx: Db, kind: OptionalNotificationKind, department: string): Promise<void> {
  await tx
    .insertInto('department_news')
    .values({ department, kind })
    // The update locks the row until this transaction commits, so that the job cannot delete it in between.
    .onConflict((conflict) =>
      conflict
        .columns(['department', 'kind'])
        .doUpdateSet({ since: sql<Date>`least(department_news.since, excluded.since)` }),
    )
    .execute();
  await departmentDigestJob.queue(
    tx,
    { department, kind },
    { key: `${kind} ${department}`, delaySeconds: digestDelaySeconds },
  );
}

export async function deleteEmptyDepartmentDigests(tx: Db): Promise<void> {
  const { rows } = await sql<{ department: string }>`
    delete from department_news as news
    where not exists (select from listings where audience = 'members' and department = news.department)
    returning department`.execute(tx);
  if (rows.length > 0) await deleteJobsAbout(tx, rows);
}
