import { sql } from 'kysely';
import * as z from 'zod/mini';
import type { Db } from '#server/db/client.ts';
import { wholeInstitution } from '#contract/staff/scope.ts';
import { ActionRefused, type ApprovedAction } from '#server/domain/staff/approvals.ts';
import { holdConsoleForRole, openConsole } from '#server/domain/staff/console-access.ts';
import { grantRole, lockOwners, removeRoles } from '#server/domain/staff/roles.ts';
import { roleMailJob } from './jobs.ts';

const OwnerPayload = z.object({ accountId: z.string(), lastDay: z.nullable(z.string()) });

const AccountPayload = z.object({ accountId: z.string() });

async function describeAccount(db: Db, payload: unknown): Promise<string> {
  const { accountId } = AccountPayload.parse(payload);
  const row = await db.selectFrom('accounts').select('email').where('id', '=', accountId).executeTakeFirst();
  return row?.email ?? 'a deleted account';
}

export const ownerRoleAction: ApprovedAction = {
  kind: 'owner-role',
  right: 'roles',
  describe: describeAccount,
  run: async (context, tx, { payload, requestedBy }) => {
    const { accountId, lastDay } = OwnerPayload.parse(payload);
    const { rows } = await sql<{ endsAt: Date | null }>`
      select (${lastDay}::date + 1) at time zone 'UTC' as "endsAt" from accounts
      where id = ${accountId} and is_active and email_verified`.execute(tx);
    if (!rows[0]) throw new ActionRefused('The account no longer exists or is not active.');
    await holdConsoleForRole(context, tx, accountId);
    await grantRole(tx, { accountId, role: 'owner', scope: wholeInstitution, endsAt: rows[0].endsAt }, requestedBy);
    await roleMailJob.queue(tx, { accountId, role: 'owner', event: 'granted' });
  },
};

export const ownerRemovalAction: ApprovedAction = {
  kind: 'owner-removal',
  right: 'roles',
  describe: describeAccount,
  run: async (_, tx, { payload, requestedBy }) => {
    const { accountId } = AccountPayload.parse(payload);
    if ((await lockOwners(tx)).every((id) => id === accountId)) throw new ActionRefused('This is the only owner.');
    if ((await removeRoles(tx, accountId, requestedBy, { role: 'owner' })) === 0)
      throw new ActionRefused('The account is no longer an owner.');
    await roleMailJob.queue(tx, { accountId, role: 'owner', event: 'removed' });
  },
};

export const consoleAccessAction: ApprovedAction = {
  kind: 'console-access',
  right: 'cancel-approvals',
  describe: describeAccount,
  run: async (_, tx, { payload }) => openConsole(tx, AccountPayload.parse(payload).accountId),
};
