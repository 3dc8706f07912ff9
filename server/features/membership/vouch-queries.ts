import type * as z from 'zod/mini';
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Claimant, Membership, MembershipStatus } from '#contract/membership.ts';
import { noneValue } from '#contract/none.ts';
import { type Db, now } from '#server/db/client.ts';
import type { Identity } from '#server/db/schema.ts';
import type { Context } from '#server/domain/context.ts';
import { identitiesAgree } from '#server/domain/membership/identity-agreement.ts';
import { findLinkedMatricKey } from '#server/domain/roster/links.ts';
import { toMatricKey } from '#server/domain/roster/matric-key.ts';
import {
  isBlockedPair,
  isConfirmedVoucher,
  isLongConfirmed,
  isRepresentative,
  isSameClass,
  isSuspendedVoucher,
  minVouchersInClass,
  vouchTtlDays,
} from '#server/domain/membership/vouch-rules.ts';
import { hashToken } from '#server/platform/crypto/tokens.ts';

export type FoundClaimant = Omit<z.input<typeof Claimant>, 'thumb'> & {
  readonly id: string;
  readonly lastName: string;
};

interface ClaimantRow extends Omit<FoundClaimant, 'name' | 'version'> {
  readonly middleName: string;
  /** As typed in the open claim, otherwise as in the profile. */
  readonly matricNumber: string;
}

/** Returns null if there is no such link, it has expired, or one of both has blocked the other. */
export async function findLinkOwner(
  { db, limiter }: Pick<Context, 'db' | 'limiter'>,
  voucherId: string,
  code: string,
): Promise<FoundClaimant | null> {
  const { rows } = await sql<ClaimantRow>`
    select c.id, cp.first_name as "firstName", cp.middle_name as "middleName", cp.last_name as "lastName",
      c.created_at as "accountCreatedAt", cp.department, cp.year_graduated as "yearGraduated",
      coalesce(k.typed ->> 'matricNumber', cp.matric_number) as "matricNumber", a.answer,
      ${isRepresentative} as "isRepresentative",
      case
        when v.id = c.id then 'own'
        when c.membership_status <> 'unconfirmed' then 'decided'
        when ${isSuspendedVoucher} then 'suspended'
        when not ${isConfirmedVoucher} then 'not-confirmed'
        when not ${isLongConfirmed} then 'too-new'
        when ${isRepresentative} then null
        when not ${isSameClass} then 'other-class'
      end as refusal
    from accounts c
    join profiles cp on cp.account_id = c.id
    join accounts v on v.id = ${voucherId}
    left join profiles vp on vp.account_id = v.id
    left join claims k on k.account_id = c.id and k.state = 'waiting'
    left join vouches a on a.claimant_id = c.id and a.voucher_id = v.id and a.ended_at is null
    where c.is_active and not ${isBlockedPair}
      and c.id = (select account_id from vouch_links where code_hash = ${hashToken(code)} and expires_at > now())`.execute(
    db,
  );
  const [row] = rows;
  if (!row) return null;
  const { middleName, matricNumber, ...claimant } = row;
  const name = [claimant.firstName, middleName, claimant.lastName]
    .filter((part) => part !== '' && part !== noneValue)
    .join(' ');
  const ownKey = await findLinkedMatricKey(db, voucherId);
  const isOverLimit =
    !claimant.isRepresentative &&
    claimant.answer !== 'yes' &&
    (await limiter.secondsUntilAllowed(db, 'vouchesByAccount', voucherId)) > 0;
  return {
    ...claimant,
    name,
    version: digestShown(name, claimant.department, claimant.yearGraduated),
    // Excludes a second account of the person who is confirmed as this entry.
    refusal:
      ownKey !== null && ownKey === toMatricKey(matricNumber)
        ? 'own'
        : (claimant.refusal ?? (isOverLimit ? 'limit' : null)),
  };
}

const digestShown = (...shown: readonly (string | number)[]): string =>
  hash('sha256', JSON.stringify(shown), 'base64url');

/**
 * Returns what the vouchers saw, for each vouch that counts toward the confirmation of a claimant. Applies the rules to
 * the current state: a voucher who has lost their evidence, is suspended or has changed class does not count, nor does
 * a vouch for a person other than the profile's.
 */
export async function findVouches(db: Db, claimantId: string): Promise<Identity[]> {
  const { rows } = await sql<{ seen: Identity | null; profile: Identity }>`
    select a.seen, jsonb_build_object('firstName', cp.first_name, 'lastName', cp.last_name, 'department', cp.department,
      'yearGraduated', cp.year_graduated) as profile
    from vouches a
    join accounts c on c.id = a.claimant_id
    join profiles cp on cp.account_id = c.id
    join accounts v on v.id = a.voucher_id
    join profiles vp on vp.account_id = v.id
    where c.id = ${claimantId} and a.answer = 'yes' and a.ended_at is null
      and a.created_at > now() - make_interval(days => ${sql.lit(vouchTtlDays)})
      and v.id <> c.id and v.is_active and not ${isSuspendedVoucher} and ${isLongConfirmed}
      and (${isSameClass} or ${isRepresentative})
    order by a.created_at`.execute(db);
  return rows.flatMap(({ seen, profile }) => (seen && identitiesAgree(seen, profile) ? [seen] : []));
}

/** Returns whether the class of a claimant has enough members who can vouch, counting those whom members see. */
export async function isVouchingAvailable(db: Db, claimantId: string): Promise<boolean> {
  const { rows } = await sql<{ vouchers: number }>`
    select count(*)::int as vouchers from (
      select from profiles cp
      join listings l on l.audience = 'members' and l.department = cp.department
        and l.year_graduated between cp.year_graduated - 1 and cp.year_graduated + 1
      join accounts v on v.id = l.account_id
      where cp.account_id = ${claimantId} and v.id <> cp.account_id and not ${isSuspendedVoucher} and ${isLongConfirmed}
      limit ${sql.lit(minVouchersInClass)}
    ) as found`.execute(db);
  return (rows[0]?.vouchers ?? 0) >= minVouchersInClass;
}

export async function findVouching(
  db: Db,
  claimantId: string,
  isAccepted: boolean,
): Promise<z.input<typeof Membership>['vouching']> {
  const link = await db
    .selectFrom('vouch_links')
    .select('expires_at as expiresAt')
    .where('account_id', '=', claimantId)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return {
    isAvailable: isAccepted && (await isVouchingAvailable(db, claimantId)),
    linkExpiresAt: link?.expiresAt ?? null,
    received: (await findVouches(db, claimantId)).length,
  };
}

interface RefusedVouch {
  readonly claimantEmail: string;
  readonly status: MembershipStatus;
  readonly voucherEmail: string;
  readonly answeredAt: Date;
  readonly yes: number;
  readonly no: number;
}

export async function findRefusedVouches(db: Db): Promise<RefusedVouch[]> {
  const { rows } = await sql<RefusedVouch>`
    select c.email as "claimantEmail", c.membership_status as status, v.email as "voucherEmail", a.created_at as "answeredAt",
      (select count(*)::int from vouches where claimant_id = c.id and answer = 'yes') as yes,
      (select count(*)::int from vouches where claimant_id = c.id and answer = 'no') as no
    from vouches a join accounts c on c.id = a.claimant_id join accounts v on v.id = a.voucher_id
    where a.answer = 'no' and a.created_at > now() - make_interval(days => ${sql.lit(vouchTtlDays)})
    order by a.created_at desc, c.id, v.id`.execute(db);
  return rows;
}
