import { sql } from 'kysely';
import type { Context } from '#server/domain/context.ts';
import { endSessions, lockAccount } from '#server/domain/accounts/sessions.ts';
import { recordAuditEvent } from '#server/domain/staff/audit-events.ts';
import type { Log } from '#server/platform/log/log.ts';
import { forgetDevices } from './known-devices.ts';
import { endPendingSignIns } from './pending-sign-ins.ts';

/*
 * Signs accounts out after a security incident. Deletes everything that allows access without a password. Also forgets
 * known browsers, which may include an attacker's, so that the next sign-in sends a mail. Passwords do not change.
 */

export async function signOutAccount({ db }: Context, accountId: string, log: Log): Promise<number | null> {
  const sessions = await db.transaction().execute(async (tx) => {
    if (!(await lockAccount(tx, accountId))) return null;
    const count = await endSessions(tx, accountId);
    await endPendingSignIns(tx, accountId);
    await tx.deleteFrom('challenges').where('account_id', '=', accountId).execute();
    await forgetDevices(tx, accountId);
    return count;
  });
  if (sessions !== null) recordAuditEvent(log, 'account signed out by the operator');
  return sessions;
}

export async function signOutEveryone({ db }: Context, log: Log): Promise<number> {
  // In this order: a sign-in that is being completed moves from the first table to the second.
  await empty('pending_sign_ins');
  const sessions = await empty('sessions');
  await empty('known_devices');
  await db.deleteFrom('challenges').where('account_id', 'is not', null).execute();
  recordAuditEvent(log, 'all accounts signed out by the operator');
  return sessions;

  /**
   * Deletes all rows of a table. Each table has a separate transaction, because locking several tables in one
   * transaction could deadlock.
   */
  function empty(table: 'pending_sign_ins' | 'sessions' | 'known_devices'): Promise<number> {
    return db.transaction().execute(async (tx) => {
      await sql`lock table ${sql.table(table)} in share row exclusive mode`.execute(tx);
      const { numDeletedRows } = await tx.deleteFrom(table).executeTakeFirst();
      return Number(numDeletedRows);
    });
  }
}
