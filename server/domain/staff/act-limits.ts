import type { Db } from '#server/db/client.ts';
import type { Limiter } from '../rate-limit-rules.ts';
import type { Staff } from './guard.ts';

/**
 * Counts an act of staff that adds a row or queues a job or a mail, so that one account cannot fill the database or the
 * mailboxes of others.
 * @param personId the person on whom staff act. They can be mailed each time, so their acts have a lower limit
 * @throws ProblemError staff/too-many-requests
 */
export async function countStaffAct(
  { db, limiter }: { readonly db: Db; readonly limiter: Limiter },
  { accountId }: Pick<Staff, 'accountId'>,
  personId?: string,
): Promise<void> {
  if (personId !== undefined) await limiter.requireAttempt(db, 'staffActsByPair', accountId, personId);
  await limiter.requireAttempt(db, 'staffActsByAccount', accountId);
}
