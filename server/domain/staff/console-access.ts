import { sql } from 'kysely';
import { type Db, now } from '#server/db/client.ts';
import type { Context } from '../context.ts';
import { cancelRequests, requestApproval } from './approvals.ts';
import { isActiveRole } from './roles.ts';

/*
 * Access to the mailbox of a member of staff must not be enough to open the staff console. So the console is held when
 * a factor is added that the holder of the mailbox could have added. It opens when the request `console-access` runs.
 */

const daysAfterReset = 7;

/** Hours after the operator's command in which the first factor opens the console at once. */
const vouchedHours = 24;

type Limits = Pick<Context, 'limiter'>;

/**
 * Holds the console of a member of staff who adds a factor: the first one, or one within 7 days after a password reset.
 * Does nothing for other accounts, and while the operator vouches for the account.
 */
export async function holdConsoleForFactor(limits: Limits, tx: Db, accountId: string, isFirst: boolean): Promise<void> {
  const { rows } = await sql`
    select from accounts a
    where a.id = ${accountId}
      and (${isFirst} or a.password_reset_at > now() - make_interval(days => ${daysAfterReset}))
      and exists (select from staff_roles r where r.account_id = a.id and ${isActiveRole})
      and not coalesce(a.console_vouched_at > greatest(a.password_reset_at, now() - make_interval(hours => ${vouchedHours})), false)`.execute(
    tx,
  );
  if (rows.length > 0) await holdConsole(limits, tx, accountId);
}

/**
 * Holds the console of an account that becomes staff, if it added a factor after a password reset within the last 7
 * days. Call it before the role is granted: the factors of staff were held when they were added, and one owner could
 * otherwise lock out another with a further role.
 * @param isInvited whether the account got the role by its address. Then every factor added before is held: someone else may have
 * signed up with the address, and the holder of the mailbox opened the link.
 */
export async function holdConsoleForRole(limits: Limits, tx: Db, accountId: string, isInvited = false): Promise<void> {
  const since = isInvited ? sql`'-infinity'` : sql`a.password_reset_at`;
  const { rows } = await sql`
    select from accounts a
    where a.id = ${accountId} and (${isInvited} or a.password_reset_at > now() - make_interval(days => ${daysAfterReset}))
      and not exists (select from staff_roles r where r.account_id = a.id and ${isActiveRole})
      and (exists (select from authenticators f where f.account_id = a.id and f.confirmed_at >= ${since})
        or exists (select from passkeys k where k.account_id = a.id and k.created_at >= ${since}))`.execute(tx);
  if (rows.length > 0) await holdConsole(limits, tx, accountId);
}

async function holdConsole(limits: Limits, tx: Db, accountId: string): Promise<void> {
  await tx.updateTable('accounts').set({ console_held_at: now }).where('id', '=', accountId).execute();
  // A request that waits was made for another factor. The delay starts again.
  await cancelRequests(tx, 'console-access', { accountId }, accountId);
  await requestApproval(limits, tx, {
    kind: 'console-access',
    payload: { accountId },
    people: 1,
    requestedBy: accountId,
  });
}

export async function openConsole(tx: Db, accountId: string): Promise<void> {
  await tx.updateTable('accounts').set({ console_held_at: null }).where('id', '=', accountId).execute();
}

/**
 * Opens the console at once for the factors that an account has, and for the first one that it adds within 24 hours.
 * For the operator.
 */
export async function vouchForConsole(tx: Db, accountId: string): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ console_held_at: null, console_vouched_at: now })
    .where('id', '=', accountId)
    .execute();
  await cancelRequests(tx, 'console-access', { accountId }, null);
}
