import type { Db } from '#server/db/client.ts';
import type { Limiter } from '../rate-limit-rules.ts';
import type { Staff } from './guard.ts';

/**
 * Counts an action of staff that adds a row or queues a job or a mail, so that one account cannot fill the database or
 * the mailboxes of others.
 * @param personId the person on whom staff act. They can be mailed each time, so their actions have a lower limit
 * @throws ProblemError staff/too-many-requests
 */
export async function countStaffAction(
  { db, limiter }: { db: Db; limiter: Limiter },
  { accountId }: Pick<Staff, 'accountId'>,
  personId?: string,
): Promise<void> {
  if (personId !== undefined) await limiter.requireAttempt(db, 'staffActionsByPair', accountId, personId);
  await limiter.requireAttempt(db, 'staffActionsByAccount', accountId);
}
