import { sql } from 'kysely';
import * as z from 'zod/mini';
import type { RepeatedMail } from '#contract/staff/accounts.ts';
import { deletionGraceDays } from '#contract/staff/people-values.ts';
import type { AuditAction } from '#contract/staff/values.ts';
import type { Db } from '#server/db/client.ts';
import { isAddressTaken } from '#server/domain/accounts/accounts.ts';
import type { Context } from '#server/domain/context.ts';
import { endAccess } from '#server/domain/accounts/end-access.ts';
import type { JournalEntry } from '#server/domain/accounts/deletion-journal.ts';
import { removeUnusedPictures } from '#server/domain/people/pictures.ts';
import { type LockedAccount, lockAccount } from '#server/domain/accounts/sessions.ts';
import { ActionRefused, type ApprovedAction, cancelRequests, requestApproval } from '#server/domain/staff/approvals.ts';
import { recordStaffAction } from '#server/domain/staff/audit-log.ts';
import { type Staff, findScopes } from '#server/domain/staff/guard.ts';
import { findActiveRoles, requireMayActOn } from '#server/domain/staff/people-guard.ts';
import { refused } from '#server/domain/staff/refused.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import type { Network } from '#server/platform/limits/networks.ts';
import type { Log } from '#server/platform/log/log.ts';
import { removeFactorsOfLockedAccount } from '../second-factor/reset-second-factor.ts';
import { hasSecondFactor } from '../second-factor/second-factor.ts';
import { addressRequestMailJob, resetMailJob, signedOutMailJob, verificationMailJob } from '../jobs.ts';
import { convertTakenAddress, requestAddress } from './change-email.ts';
import { deleteRows, postponeAgain } from './delete-account.ts';
import { queueJournalEntry, writeJournalEntry } from './deletion-entries.ts';
import { hidingTransaction } from './hide-account.ts';

/*
 * Actions of staff on the accounts of other people. Each checks the scope, refuses owners and the caller’s own account,
 * and records one action in the audit log. All use the same flows as the actions of the person, so that mails and
 * recovery links are the same.
 */

const FactorRemoval = z.object({ accountId: z.string() });

type Actor = Pick<Staff, 'accountId' | 'scopes'>;

async function lockChangeable(tx: Db, staff: Actor, id: string): Promise<LockedAccount> {
  // First, so that a role that is granted at the same time is seen.
  const account = await lockAccount(tx, id);
  await requireMayActOn(tx, staff, id);
  if (!account) throw new ProblemError('not-found');
  return account;
}

async function lockActive(tx: Db, staff: Actor, id: string): Promise<LockedAccount> {
  const account = await lockChangeable(tx, staff, id);
  if (account.isDisabled || account.suspendedUntil) throw refused('This account is suspended.');
  if (account.isDeletionPending) throw refused('This account will be deleted.');
  return account;
}

const record = (
  tx: Db,
  { accountId }: Pick<Staff, 'accountId'>,
  action: AuditAction,
  id: string,
  details: Readonly<Record<string, string | boolean>> = {},
) => recordStaffAction(tx, { actor: accountId, action, subject: { kind: 'account', id }, details });

export const endSessionsByStaff = ({ db }: Context, staff: Staff, id: string): Promise<void> =>
  db.transaction().execute(async (tx) => {
    const { email, emailVerified } = await lockChangeable(tx, staff, id);
    await endAccess(tx, id);
    // An unverified mailbox may belong to another person.
    if (emailVerified) await signedOutMailJob.queue(tx, { email });
    await record(tx, staff, 'sessions-ended', id);
  });

/**
 * Changes an address that was never verified at once. Requests the email change of a verified one: the current mailbox
 * gets an email, and can refuse it for 72 hours unless an owner approves it. Then it runs as `changeEmail` does for the
 * person: the address stays until the new one is verified, and then gets the link that undoes the change. The second
 * factor stays.
 * @param networks the networks of the IP address of the member of staff
 * @returns whether the change is pending
 */
export const changeEmailByStaff = (
  context: Context,
  staff: Staff,
  id: string,
  { email, networks }: { email: string; networks: readonly Network[] },
): Promise<boolean> =>
  context.db
    .transaction()
    .execute(async (tx) => {
      const account = await lockActive(tx, staff, id);
      if (account.emailVerified) {
        if (await isAddressTaken(tx, email, id)) throw new ProblemError('auth/email-already-in-use');
        await cancelRequests(tx, 'address-change', { accountId: id }, staff.accountId);
        await requestApproval(context, tx, {
          kind: 'address-change',
          payload: { accountId: id, email },
          people: 1,
          requestedBy: staff.accountId,
        });
        await addressRequestMailJob.queue(tx, { accountId: id, email });
        return true;
      }
      await requestAddress(tx, context.limiter, account, { email, networks });
      await record(tx, staff, 'address-changed', id, { pending: false });
      return false;
    })
    .catch(convertTakenAddress);

const AddressChange = z.object({ accountId: z.string(), email: z.string() });

export const addressChangeAction: ApprovedAction = {
  kind: 'address-change',
  right: 'change-accounts',
  describe: async (db, payload) => {
    const { accountId, email } = AddressChange.parse(payload);
    const row = await db.selectFrom('accounts').select('email').where('id', '=', accountId).executeTakeFirst();
    return `${row?.email ?? 'a deleted account'} → ${email}`;
  },
  run: async ({ limiter }, tx, { id: approvalId, payload, requestedBy }) => {
    const { accountId, email } = AddressChange.parse(payload);
    const scopes = (await findScopes(tx, requestedBy))('change-accounts');
    const { rows: newRoles } = await sql`
      select from staff_roles r join approvals p on p.id = ${approvalId}
      where r.account_id = ${accountId} and r.granted_at > p.requested_at`.execute(tx);
    if (newRoles.length > 0) throw new ActionRefused('The account has a staff role since then.');
    try {
      const account = await lockActive(tx, { accountId: requestedBy, scopes }, accountId);
      await requestAddress(tx, limiter, account, { email, networks: [] });
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      throw new ActionRefused(error.body.detail ?? error.body.title);
    }
    await record(tx, { accountId: requestedBy }, 'address-changed', accountId, { pending: true });
  },
};

/**
 * Removes the second factor of a member of staff who has lost it, for an owner who has checked their identity. That of
 * an owner needs an approval: an owner who removes those of all other owners would need no second person any more.
 */
export const removeFactorsByStaff = (
  context: Context,
  { accountId }: Staff,
  id: string,
): Promise<'removed' | 'requested'> =>
  context.db.transaction().execute(async (tx) => {
    const account = await lockAccount(tx, id);
    if (!account) throw new ProblemError('not-found');
    if (id === accountId)
      throw new ProblemError('permission-denied', { detail: 'This is your own account. Use the settings.' });
    const roles = await findActiveRoles(tx, id);
    if (roles.length === 0)
      throw refused('This person has no staff role. The operator can remove the second factor of a member.');
    if (!(await hasSecondFactor(tx, id))) throw refused('This person has no second factor.');
    if (roles.includes('owner')) {
      await requestApproval(context, tx, {
        kind: 'factor-removal',
        payload: { accountId: id },
        people: 1,
        requestedBy: accountId,
      });
      return 'requested';
    }
    await removeLostFactors(context, tx, account, accountId);
    return 'removed';
  });

async function removeLostFactors({ limiter }: Context, tx: Db, account: LockedAccount, actor: string): Promise<void> {
  await removeFactorsOfLockedAccount(tx, limiter, account);
  await recordStaffAction(tx, { actor, action: 'second-factor-removed', subject: { kind: 'account', id: account.id } });
}

export const factorRemovalAction: ApprovedAction = {
  kind: 'factor-removal',
  right: 'roles',
  describe: async (db, payload) => {
    const { accountId } = FactorRemoval.parse(payload);
    const row = await db.selectFrom('accounts').select('email').where('id', '=', accountId).executeTakeFirst();
    return row?.email ?? 'a deleted account';
  },
  run: async (context, tx, { payload, requestedBy }) => {
    const account = await lockAccount(tx, FactorRemoval.parse(payload).accountId);
    if (!account) throw new ActionRefused('The account no longer exists.');
    await removeLostFactors(context, tx, account, requestedBy);
  },
};

export const repeatMailByStaff = (
  { db, limiter }: Context,
  staff: Staff,
  id: string,
  mail: RepeatedMail,
): Promise<void> =>
  db.transaction().execute(async (tx) => {
    const { email, emailVerified } = await lockActive(tx, staff, id);
    if (mail === 'verification') {
      if (emailVerified) throw refused('This address is verified already.');
      await limiter.requireAttempt(tx, 'verificationMailByRecipient', email);
      await verificationMailJob.queue(tx, { accountId: id, email });
    } else {
      await limiter.requireAttempt(tx, 'resetMailByRecipient', email);
      await resetMailJob.queue(tx, { email });
    }
    await record(tx, staff, 'mail-repeated', id, { mail });
  });

/**
 * Deletes an account on request. It is hidden at once. Its address, and previous addresses that are reserved, get a
 * link that cancels the deletion, because staff can be deceived about who asks. An account without a verified address
 * is deleted at once, without a mail.
 * @returns when the account will be deleted; null if it was deleted at once
 */
export async function deleteByStaff(context: Context, staff: Staff, id: string, log: Log): Promise<Date | null> {
  let pictures: string[] = [];
  let entry: JournalEntry | null = null;
  const deletesAt = await hidingTransaction(context, async (tx, hide) => {
    const account = await lockChangeable(tx, staff, id);
    if (account.isDeletionPending) throw refused('The deletion of this account was requested already.');
    const due = account.emailVerified ? await findGraceEnd(tx) : null;
    entry = await queueJournalEntry(tx, context, account, due);
    if (due) {
      await postponeAgain(tx, account, due, { isByOffice: true });
      // A suspended or disabled account is hidden already.
      if (!account.isDisabled && !account.suspendedUntil) await hide(id);
    } else pictures = await deleteRows(context, tx, account);
    await record(tx, staff, 'account-deleted', id, { pending: due !== null });
    return due;
  });
  if (entry) await writeJournalEntry(context, entry, log);
  await removeUnusedPictures(context, pictures);
  return deletesAt;
}

async function findGraceEnd(tx: Db): Promise<Date | null> {
  const { rows } = await sql<{ due: Date }>`
    select now() + make_interval(days => ${deletionGraceDays}) as due`.execute(tx);
  return rows[0]?.due ?? null;
}
