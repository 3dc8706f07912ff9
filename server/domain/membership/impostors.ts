import { sql } from 'kysely';
import type { ClearanceReason } from '#contract/staff/people-values.ts';
import { type Db, now } from '#server/db/client.ts';
import { openClaim } from './claims.ts';
import { withdrawEvidence } from './confirmations.ts';
import { queueOutcome } from './membership-notices.ts';
import { findEntriesByAddress } from '../roster/claimed-entries.ts';
import { recordStaffAction } from '../staff/audit-log.ts';
import { setMembershipStatus } from './membership.ts';
import { blockAutomaticConfirmation, findLinkedEntries, supportsConfirmationSql } from '../roster/links.ts';
import { vouchingSuspensionDays, vouchTtlDays } from './vouch-rules.ts';

/**
 * Records that an account is an impostor's: staff rejected it, or decided a dispute against it. It loses every
 * confirmation, and nothing confirms it automatically until staff clear the record. The account must be locked. The
 * account and the members who vouched for it may not vouch for 180 days. People who are confirmed only by vouches, one
 * of them given by these accounts in the last 180 days, are no longer confirmed; they get an open claim for staff, and
 * an email. Call it in a transaction.
 * @param decidedBy the account of the member of staff. Null: the operator, by a command
 * @returns the number of accounts that may not vouch now, without the impostor's, and the number of claims to review
 */
export async function recordImpostor(
  tx: Db,
  accountId: string,
  decidedBy: string | null,
): Promise<{ suspended: number; reopened: number }> {
  await tx
    .updateTable('accounts')
    .set({ impostor_since: now, impostor_decided_by: decidedBy })
    .where('id', '=', accountId)
    .execute();
  const entryIds = await findLinkedEntries(tx, accountId);
  const entriesOfMailbox = await findEntriesByAddress(tx, accountId);
  await withdrawEvidence(tx, accountId, 'all');
  await setMembershipStatus(tx, accountId, 'rejected');
  // The person may try the same evidence, or the own mailbox, also with another account.
  for (const id of new Set([...entryIds, ...entriesOfMailbox])) await blockAutomaticConfirmation(tx, id);
  const { rows: suspended } = await sql<{ id: string }>`
    update accounts set vouching_suspended_until = now() + make_interval(days => ${sql.lit(vouchingSuspensionDays)})
    where id in (
      select id from accounts
      where id = ${accountId} or id in (
        select voucher_id from vouches where claimant_id = ${accountId} and answer = 'yes' and ${isRecent})
      -- In the same order as other transactions, so that they do not deadlock.
      order by id for no key update)
    returning id`.execute(tx);
  const { rows: reviewed } = await sql<{ id: string }>`
    select id from accounts
    where membership_status = 'confirmed' and id <> ${accountId}
      and id in (select claimant_id from vouches
        where voucher_id = any(${suspended.map(({ id }) => id)}::uuid[]) and answer = 'yes' and ended_at is null and ${isRecent})
      and not exists (select from evidence e
        where e.account_id = accounts.id and e.kind <> 'peer-vouch' and ${sql.raw(supportsConfirmationSql)})
    order by id for no key update`.execute(tx);
  for (const { id } of reviewed) {
    await withdrawEvidence(tx, id, 'all');
    await openClaim(tx, id, null);
    await queueOutcome(tx, id, 'reopened');
  }
  return { suspended: suspended.filter(({ id }) => id !== accountId).length, reopened: reviewed.length };
}

/**
 * Clears the record that an account is an impostor's. It stays in the history of the account. Call it in a transaction.
 * @returns null, or why nothing was changed, as text for staff
 */
export async function clearImpostor(
  tx: Db,
  accountId: string,
  { reason, decidedBy }: { reason: ClearanceReason; decidedBy: string },
): Promise<string | null> {
  const { rows } = await sql`
    with marked as (
      select id, impostor_since, impostor_decided_by from accounts where id = ${accountId} and impostor_since is not null for update),
    kept as (
      insert into cleared_impostors (account_id, since, decided_by, cleared_by, reason)
      select id, impostor_since, impostor_decided_by, ${decidedBy}, ${reason} from marked)
    update accounts set impostor_since = null, impostor_decided_by = null
    from marked where accounts.id = marked.id returning accounts.id`.execute(tx);
  if (rows.length === 0) return 'This person is not recorded as an impostor.';
  await recordStaffAction(tx, {
    actor: decidedBy,
    action: 'impostor-cleared',
    subject: { kind: 'account', id: accountId },
    details: { reason },
  });
  return null;
}

const isRecent = sql<boolean>`vouches.created_at > now() - make_interval(days => ${sql.lit(vouchTtlDays)})`;
