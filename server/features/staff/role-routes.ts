import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { canonicalizeEmail } from '#contract/fields.ts';
import { isScopeOf } from '#contract/staff/roles.ts';
import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { requestApproval } from '#server/domain/staff/approvals.ts';
import { countStaffAction } from '#server/domain/staff/action-limits.ts';
import { refused } from '#server/domain/staff/refused.ts';
import { findGrantedRoles, lockOwners, removeRoles } from '#server/domain/staff/roles.ts';
import { mount } from '#server/domain/api/mount.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { findInvitations, giveRole, invite, requestOwnerRole, withdrawInvitation } from './invitations.ts';
import { roleMailJob } from './jobs.ts';

const dayMs = 24 * 60 * 60 * 1000;

export function roleRoutes(app: FastifyInstance, context: Context): void {
  const { db } = context;
  mount(app, 'GET /api/staff/roles', async () => ({
    roles: await findGrantedRoles(db),
    invitations: await findInvitations(db),
  }));
  mount(app, 'POST /api/staff/roles', async ({ body }, { staff: { accountId: ownerId } }) => {
    const { email, role, lastDay, replaces, ...scope } = body;
    if (!isScopeOf(role, scope)) throw refused('This role cannot be limited in this way.');
    const endsAt = lastDay === null ? null : new Date(Date.parse(`${lastDay}T00:00:00Z`) + dayMs);
    if (endsAt !== null && endsAt.getTime() <= Date.now()) throw refused('The last day is in the past.', '/lastDay');
    const staysLonger = async (tx: Db): Promise<boolean> => {
      const { rows } = await sql`
        select from staff_roles where account_id = ${ownerId} and role = 'owner'
          and ends_at < coalesce(${endsAt}::timestamptz, 'infinity')`.execute(tx);
      return rows.length > 0;
    };
    return db.transaction().execute(async (tx) => {
      const address = canonicalizeEmail(email);
      const account = await findVerifiedAccount(tx, address);
      await countStaffAction({ ...context, db: tx }, { accountId: ownerId }, account?.id);
      if (!account) {
        if (replaces !== undefined) throw refused('This role has ended already.');
        await context.limiter.requireAttempt(tx, 'invitationsByRecipient', address);
        await invite(tx, address, { ...scope, role, lastDay }, ownerId);
        return { result: 'invited' as const };
      }
      if (replaces !== undefined) await requireReplaceable(tx, replaces, account.id);
      if (role === 'owner') await lockOwners(tx);
      if (role === 'owner' && (account.id !== ownerId || (await staysLonger(tx)))) {
        await requestOwnerRole(context, tx, { accountId: account.id, lastDay }, ownerId);
        return { result: 'requested' as const };
      }
      if (role === 'owner' && endsAt !== null) await requireOtherOwner(tx, account.id);
      const id = await giveRole(context, tx, { accountId: account.id, role, scope, endsAt }, ownerId);
      if (replaces !== undefined && replaces !== id) await removeRoles(tx, account.id, ownerId, { id: replaces });
      return { result: 'granted' as const };
    });
  });
  mount(app, 'DELETE /api/staff/invitations/{id}', async ({ params: { id } }, { staff }) =>
    db.transaction().execute(async (tx) => {
      await countStaffAction({ ...context, db: tx }, staff);
      if (!(await withdrawInvitation(tx, id, staff.accountId))) throw new ProblemError('not-found');
    }),
  );
  mount(app, 'DELETE /api/staff/roles/{id}', async ({ params: { id } }, { staff: { accountId: ownerId } }) => {
    return db.transaction().execute(async (tx) => {
      const found = await tx
        .selectFrom('staff_roles')
        .select(['account_id as accountId', 'role'])
        .where('id', '=', id)
        .executeTakeFirst();
      if (!found) throw new ProblemError('not-found');
      const { accountId, role } = found;
      await countStaffAction({ ...context, db: tx }, { accountId: ownerId }, accountId);
      if (role === 'owner') await requireOtherOwner(tx, accountId);
      // One owner alone could otherwise become the only one, whose requests need no second person.
      if (role === 'owner' && accountId !== ownerId) {
        await requestApproval(context, tx, {
          kind: 'owner-removal',
          payload: { accountId },
          people: 1,
          requestedBy: ownerId,
        });
        return { result: 'requested' as const };
      }
      if ((await removeRoles(tx, accountId, ownerId, { id })) === 0) throw new ProblemError('not-found');
      await roleMailJob.queue(tx, { accountId, role, event: 'removed' });
      return { result: 'removed' as const };
    });
  });
}

/** The removal of an owner can need an approval, so it is no part of another change. @throws ProblemError staff/refused */
async function requireReplaceable(tx: Db, id: string, accountId: string): Promise<void> {
  const replaced = await tx
    .selectFrom('staff_roles')
    .select('role')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (!replaced) throw refused('This role has ended already.');
  if (replaced.role === 'owner') throw refused('Remove the role of the owner instead.');
}

async function requireOtherOwner(tx: Db, accountId: string): Promise<void> {
  if ((await lockOwners(tx)).every((id) => id === accountId))
    throw refused('This is the only owner. Make another account an owner first, or run "staff remove" on the server.');
}

const findVerifiedAccount = (db: Db, email: string) =>
  db
    .selectFrom('accounts')
    .select('id')
    .where('email', '=', email)
    .where('email_verified', '=', true)
    .where('is_active', '=', true)
    .executeTakeFirst();
