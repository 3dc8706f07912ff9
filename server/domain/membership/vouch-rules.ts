import { sql } from 'kysely';
import { type Db, now } from '#server/db/client.ts';
import { toIdentity } from './confirmed-identity.ts';
import type { BoundPerson } from './identity-changes.ts';
import { identitiesAgree } from './identity-agreement.ts';
import { supportsConfirmationSql } from '../roster/links.ts';
import { isActiveRole, isReadyStaff } from '../staff/roles.ts';
import type { Person } from '../people/visibility.ts';

const minConfirmedDays = 7;

export const minVouchersInClass = 3;

export const vouchLinkDays = 14;

/**
 * Days for which a vouch counts toward a confirmation. Vouches from before a suspension no longer count when it ends.
 */
export const vouchTtlDays = 180;

/** Days for which a member may not vouch, after they vouched for an impostor. */
export const vouchingSuspensionDays = 180;

/*
 * SQL conditions of the vouching rules (decision 64). In all of them, `v` is the row of the voucher in `accounts`, `vp`
 * the one in `profiles`, and `c` and `cp` are those of the claimant.
 */

const hasOtherEvidence = (minDays: number) =>
  sql<boolean>`exists (select from evidence e where e.account_id = v.id and e.assurance = 'strong'
    and (e.kind <> 'campus-sign-on' or e.entry_id is not null)
    and e.created_at <= now() - make_interval(days => ${sql.lit(minDays)}) and ${sql.raw(supportsConfirmationSql)})`;

/** Whether the voucher is confirmed by strong evidence, so that a vouch never depends on another vouch. */
export const isConfirmedVoucher = sql<boolean>`(v.membership_status = 'confirmed' and ${hasOtherEvidence(0)})`;

export const isLongConfirmed = sql<boolean>`(v.membership_status = 'confirmed'
  and v.confirmed_at <= now() - make_interval(days => ${sql.lit(minConfirmedDays)}) and ${hasOtherEvidence(minConfirmedDays)})`;

export const isSuspendedVoucher = sql<boolean>`coalesce(v.vouching_suspended_until > now(), false)`;

/** Whether both profiles have the same department, and years of graduation that differ by at most one. */
export const isSameClass = sql<boolean>`coalesce(vp.department = cp.department
  and abs(vp.year_graduated - cp.year_graduated) <= 1, false)`;

/**
 * Whether the voucher is staff as the class representative of the claimant's department and year, with a second factor.
 */
export const isRepresentative = sql<boolean>`exists (select from staff_roles r
  where r.account_id = v.id and r.role = 'class-representative' and ${isActiveRole} and ${isReadyStaff}
    and r.department = cp.department and cp.year_graduated between r.year_from and r.year_to)`;

export const isBlockedPair = sql<boolean>`exists (select from blocks b
  where (b.account_id = v.id and b.blocked_id = c.id) or (b.account_id = c.id and b.blocked_id = v.id))`;

/**
 * Returns whether the profile of an account that is not confirmed is about another person than before, so that no vouch
 * and no claim applies to it.
 */
export const isOtherClaimant = (person: Person, before: BoundPerson): boolean =>
  !before.isConfirmed && !identitiesAgree(toIdentity(person), toIdentity(before));

/** Ends the vouches for an account and closes its claim, because its profile is about another person now. */
export async function forgetVouches(tx: Db, accountId: string): Promise<void> {
  await sql`
    with ended as (update vouches set ended_at = now() where claimant_id = ${accountId} and ended_at is null)
    update claims set state = 'withdrawn', decided_at = now(), reason = ''
    where account_id = ${accountId} and state = 'waiting'`.execute(tx);
}

/**
 * Ends the vouches for an account: they never count again. They stay for staff, who may find later that the person was
 * an impostor.
 */
export async function endVouches(tx: Db, accountId: string): Promise<void> {
  await tx
    .updateTable('vouches')
    .set({ ended_at: now })
    .where('claimant_id', '=', accountId)
    .where('ended_at', 'is', null)
    .execute();
}
