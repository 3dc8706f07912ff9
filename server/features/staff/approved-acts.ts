import { sql } from 'kysely';
import * as z from 'zod/mini';
import { wholeInstitution } from '#contract/staff.ts';
import { ActRefused, type ApprovedAct } from '../../domain/staff/approvals.ts';
import { grantRole } from '../../domain/staff/roles.ts';
import { roleMailJob } from './jobs.ts';

const OwnerPayload = z.object({ accountId: z.string(), lastDay: z.nullable(z.string()) });

/** Makes an account an owner. */
export const ownerRoleAct: ApprovedAct = {
  kind: 'owner-role',
  right: 'roles',
  describe: async (db, payload) => {
    const { accountId } = OwnerPayload.parse(payload);
    const row = await db.selectFrom('accounts').select('email').where('id', '=', accountId).executeTakeFirst();
    return row?.email ?? 'a deleted account';
  },
  run: async (_, tx, { payload, requestedBy }) => {
    const { accountId, lastDay } = OwnerPayload.parse(payload);
    const { rows } = await sql<{ endsAt: Date | null }>`
      select (${lastDay}::date + 1) at time zone 'UTC' as "endsAt" from accounts
      where id = ${accountId} and is_active and email_verified`.execute(tx);
    if (!rows[0]) throw new ActRefused('The account no longer exists or is not active.');
    await grantRole(tx, { accountId, role: 'owner', scope: wholeInstitution, endsAt: rows[0].endsAt }, requestedBy);
    await roleMailJob.queue(tx, { accountId, role: 'owner', event: 'granted' });
  },
};
