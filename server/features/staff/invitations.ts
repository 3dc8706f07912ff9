import { sql } from 'kysely';
import type { StaffScope } from '#contract/staff/scope.ts';
import { type StaffRole, invitationDays } from '#contract/staff/values.ts';
import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { requestApproval } from '#server/domain/staff/approvals.ts';
import { recordStaffAction } from '#server/domain/staff/audit-log.ts';
import { holdConsoleForRole } from '#server/domain/staff/console-access.ts';
import { findScopes } from '#server/domain/staff/guard.ts';
import { cancelAddressChange, grantRole, lockOwners } from '#server/domain/staff/roles.ts';
import { invitationMailJob, newStaffMailJob, roleMailJob } from './jobs.ts';

interface Offer extends StaffScope {
  readonly role: StaffRole;
  readonly lastDay: string | null;
}

export interface Invitation extends Offer {
  readonly id: string;
  readonly email: string;
  readonly invitedBy: string;
  readonly expiresAt: Date;
}

const selectInvitation = sql`
  select i.id, i.email, i.role, i.college, i.department, i.year_from as "yearFrom", i.year_to as "yearTo",
    i.last_day::text as "lastDay", b.email as "invitedBy", i.expires_at as "expiresAt"
  from staff_invitations i join accounts b on b.id = i.invited_by
  where i.expires_at > now() and b.is_active`;

export const findInvitations = async (db: Db): Promise<Invitation[]> =>
  (await sql<Invitation>`${selectInvitation} order by i.email, i.role, i.id`.execute(db)).rows;

export const findInvitation = async (db: Db, id: string): Promise<Invitation | undefined> =>
  (await sql<Invitation>`${selectInvitation} and i.id = ${id}`.execute(db)).rows[0];

/** Stores or renews an invitation, and mails it. */
export async function invite(tx: Db, email: string, offer: Offer, ownerId: string): Promise<void> {
  const { role, college, department, yearFrom, yearTo, lastDay } = offer;
  const { rows } = await sql<{ id: string }>`
    insert into staff_invitations (email, role, college, department, year_from, year_to, last_day, invited_by, expires_at)
    values (${email}, ${role}, ${college}, ${department}, ${yearFrom}, ${yearTo}, ${lastDay}, ${ownerId},
      now() + make_interval(days => ${invitationDays}))
    on conflict (email, role, coalesce(college, ''), coalesce(department, ''), coalesce(year_from, 0), coalesce(year_to, 0))
      do update set last_day = excluded.last_day, invited_by = excluded.invited_by, invited_at = now(),
        expires_at = excluded.expires_at
    returning id`.execute(tx);
  const id = rows[0]?.id ?? '';
  await invitationMailJob.queue(tx, { invitationId: id });
  await recordStaffAction(tx, {
    actor: ownerId,
    action: 'role-invited',
    subject: { kind: 'invitation', id },
    details: { role },
  });
}

/** @returns false if there is no such invitation */
export async function withdrawInvitation(tx: Db, id: string, ownerId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from staff_invitations where id = ${id}`.execute(tx);
  if (!numAffectedRows) return false;
  await recordStaffAction(tx, { actor: ownerId, action: 'invitation-withdrawn', subject: { kind: 'invitation', id } });
  return true;
}

/** Gives the roles of invitations whose address an active account has verified. */
export async function acceptInvitations(context: Context): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select i.id from staff_invitations i join accounts a on a.email = i.email
    where a.is_active and a.email_verified and i.expires_at > now()`.execute(context.db);
  const failures: unknown[] = [];
  for (const { id } of rows)
    try {
      await context.db.transaction().execute((tx) => accept(context, tx, id));
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0) throw failures[0];
}

async function accept(context: Context, tx: Db, id: string): Promise<void> {
  const { rows } = await sql<Offer & { accountId: string; invitedBy: string; endsAt: Date | null; isOver: boolean }>`
    select a.id as "accountId", i.invited_by as "invitedBy", i.role, i.college, i.department, i.year_from as "yearFrom",
      i.year_to as "yearTo", i.last_day::text as "lastDay", ((i.last_day + 1)::timestamp at time zone 'UTC') as "endsAt",
      coalesce((i.last_day + 1)::timestamp at time zone 'UTC' <= now(), false) as "isOver"
    from staff_invitations i join accounts a on a.email = i.email
    where i.id = ${id} and a.is_active and a.email_verified and i.expires_at > now() for update`.execute(tx);
  const [offer] = rows;
  if (!offer) return;
  await sql`delete from staff_invitations where id = ${id}`.execute(tx);
  const { accountId, invitedBy, role, lastDay, endsAt } = offer;
  if (offer.isOver || (await findScopes(tx, invitedBy))('roles').length === 0) return;
  if (role === 'owner') return requestOwnerRole(context, tx, { accountId, lastDay }, invitedBy);
  await giveRole(context, tx, { accountId, role, scope: offer, endsAt }, invitedBy, true);
}

export async function requestOwnerRole(
  context: Context,
  tx: Db,
  payload: { readonly accountId: string; readonly lastDay: string | null },
  ownerId: string,
): Promise<void> {
  await cancelAddressChange(tx, payload.accountId);
  await requestApproval(context, tx, { kind: 'owner-role', payload, people: 1, requestedBy: ownerId });
}

/** @returns the id of the role */
export async function giveRole(
  context: Context,
  tx: Db,
  grant: Parameters<typeof grantRole>[1],
  ownerId: string,
  isInvited = false,
): Promise<string> {
  const { accountId, role } = grant;
  await holdConsoleForRole(context, tx, accountId, isInvited);
  const id = await grantRole(tx, grant, ownerId);
  await roleMailJob.queue(tx, { accountId, role, event: 'granted' });
  // An owner could otherwise give a role to a second account of their own, and approve its requests unseen.
  for (const other of (await lockOwners(tx)).filter((owner) => owner !== ownerId))
    await newStaffMailJob.queue(tx, { accountId: other, grantee: accountId, grantedBy: ownerId, role });
  return id;
}
