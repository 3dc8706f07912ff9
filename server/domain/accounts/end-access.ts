import type { Db } from '#server/db/client.ts';
import { endSessions } from './sessions.ts';

/**
 * Ends sessions, pending sign-ins and mailed codes. Address recovery codes stay, because they belong to the owner of
 * the previous mailbox.
 */
export async function endAccess(tx: Db, accountId: string): Promise<void> {
  await endSessions(tx, accountId);
  await tx.deleteFrom('pending_sign_ins').where('account_id', '=', accountId).execute();
  await tx.deleteFrom('challenges').where('account_id', '=', accountId).execute();
  await tx
    .deleteFrom('action_codes')
    .where('account_id', '=', accountId)
    .where('mode', 'not in', ['recoverEmail', 'refuseEmailChange'])
    .execute();
}
