import { sql } from 'kysely';
import type { Context } from '../../../domain/context.ts';
import { endSessions, lockAccount } from '../../../domain/sessions.ts';
import { recordAuditEvent } from '../../../domain/audit-events.ts';
import type { Log } from '../../../platform/log/log.ts';
import { forgetDevices } from './known-devices.ts';
import { endPendingSignIns } from './pending-sign-ins.ts';

/*
 * For the day after a break-in: whatever opened an account without a password opens it no more. Browsers are forgotten with
 * it, for a thief's is known too, and of their next sign-in a mail has to tell. Passwords stay as they are.
 */

/**
 * Signs an account out everywhere.
 * @returns how many sessions there were; null when there is no such account
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

/** Signs everybody out everywhere. @returns how many sessions there were */
export async function signOutEveryone({ db }: Context, log: Log): Promise<number> {
  // A sign-in that is just being completed is in the first of them or, once that one is empty, in the second.
  await empty('pending_sign_ins');
  const sessions = await empty('sessions');
  await empty('known_devices');
  await db.deleteFrom('challenges').where('account_id', 'is not', null).execute();
  recordAuditEvent(log, 'all accounts signed out by the operator');
  return sessions;

  /** One table after another: whoever waits for a whole table and holds another one makes others wait in a circle. */
  function empty(table: 'pending_sign_ins' | 'sessions' | 'known_devices'): Promise<number> {
    return db.transaction().execute(async (tx) => {
      await sql`lock table ${sql.table(table)} in share row exclusive mode`.execute(tx);
      const { numDeletedRows } = await tx.deleteFrom(table).executeTakeFirst();
      return Number(numDeletedRows);
    });
  }
}
