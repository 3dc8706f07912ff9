import { hash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Claimant, Membership, MembershipStatus } from '#contract/membership.ts';
import { requiredVouches } from '#contract/vouching.ts';
import { noneValue } from '#contract/none.ts';
import type { Db } from '../../db/client.ts';
import { findLinkedMatricKey } from '../../domain/roster/links.ts';
import { toMatricKey } from '../../domain/roster/matric-key.ts';
import {
  isBlockedPair,
  isConfirmedVoucher,
  isLongConfirmed,
  isOverVouchLimit,
  isRepresentative,
  isSameClass,
  isSuspendedVoucher,
  minVouchersInClass,
  vouchRequestDays,
  vouchTtlDays,
} from '../../domain/vouch-rules.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';

const isRecentRequest = sql<boolean>`r.created_at > now() - make_interval(days => ${sql.lit(vouchRequestDays)})`;

/** What a voucher sees of a claimant. */
export type FoundClaimant = Claimant & { readonly id: string };

interface ClaimantRow extends Omit<FoundClaimant, 'name' | 'version'> {
  readonly names: string[];
  /** As typed in the open claim, otherwise as in the profile. */
  readonly matricNumber: string;
}

/** Returns the claimants who match a condition, without those of whom the voucher is blocked or whom the voucher has blocked. */
async function findClaimants(
  db: Db,
  voucherId: string,
  condition: RawBuilder<boolean>,
): Promise<readonly FoundClaimant[]> {
  const { rows } = await sql<ClaimantRow>`
    select c.id, array[cp.first_name, cp.middle_name, cp.last_name] as names, cp.department, cp.year_graduated as "yearGraduated",
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
        when ${isOverVouchLimit} then 'limit'
      end as refusal
    from accounts c
    join profiles cp on cp.account_id = c.id
    join accounts v on v.id = ${voucherId}
    left join profiles vp on vp.account_id = v.id
    left join claims k on k.account_id = c.id and k.state = 'waiting'
    left join vouches a on a.claimant_id = c.id and a.voucher_id = v.id
    where c.is_active and not ${isBlockedPair} and ${condition}
    order by c.id`.execute(db);
  if (rows.length === 0) return [];
  const ownKey = await findLinkedMatricKey(db, voucherId);
  return rows.map(({ names, matricNumber, refusal, ...claimant }) => {
    const name = names.filter((part) => part !== '' && part !== noneValue).join(' ');
    return {
      ...claimant,
      name,
      version: digestShown(name, claimant.department, claimant.yearGraduated),
      // Excludes a second account of the person who is confirmed as this entry.
      refusal: ownKey !== null && ownKey === toMatricKey(matricNumber) ? 'own' : refusal,
    };
  });
}

/** Returns the digest of what a voucher sees of a claimant. */
const digestShown = (...shown: readonly (string | number)[]): string =>
  hash('sha256', JSON.stringify(shown), 'base64url');

/** Returns the unconfirmed people who have asked a member to vouch in the last 14 days. */
export const findAskers = (db: Db, voucherId: string): Promise<readonly FoundClaimant[]> =>
  findClaimants(
    db,
    voucherId,
    sql`c.membership_status = 'unconfirmed'
      and exists (select from vouch_requests r where r.claimant_id = c.id and r.voucher_id = v.id and ${isRecentRequest})`,
  );

/** Returns a claimant who asked the member by name in the last 14 days, or null. */
export async function findAsker(db: Db, voucherId: string, claimantId: string): Promise<FoundClaimant | null> {
  const [claimant] = await findClaimants(
    db,
    voucherId,
    sql`c.id = ${claimantId}
      and exists (select from vouch_requests r where r.claimant_id = c.id and r.voucher_id = v.id and ${isRecentRequest})`,
  );
  return claimant ?? null;
}

/** Returns the claimant of a vouch link, or null if there is no such link or it has expired. */
export async function findLinkOwner(db: Db, voucherId: string, code: string): Promise<FoundClaimant | null> {
  const [claimant] = await findClaimants(
    db,
    voucherId,
    sql`c.id = (select account_id from vouch_links where code_hash = ${hashToken(code)} and expires_at > now())`,
  );
  return claimant ?? null;
}

/**
 * Returns the number of vouches that count toward the confirmation of a claimant. Applies the rules for vouchers to the current state, so a
 * voucher who has lost their evidence, is suspended or has changed class no longer counts.
 */
export async function countVouches(db: Db, claimantId: string): Promise<number> {
  const { rows } = await sql<{ vouches: number }>`
    select count(*)::int as vouches
    from vouches a
    join accounts c on c.id = a.claimant_id
    join profiles cp on cp.account_id = c.id
    join accounts v on v.id = a.voucher_id
    join profiles vp on vp.account_id = v.id
    where c.id = ${claimantId} and a.answer = 'yes' and a.created_at > now() - make_interval(days => ${sql.lit(vouchTtlDays)})
      and v.id <> c.id and v.is_active and not ${isSuspendedVoucher} and ${isLongConfirmed}
      and (${isSameClass} or ${isRepresentative})`.execute(db);
  return rows[0]?.vouches ?? 0;
}

/** Returns whether enough vouches count, so that the claimant is to be confirmed. */
export const hasEnoughVouches = async (db: Db, claimantId: string): Promise<boolean> =>
  (await countVouches(db, claimantId)) >= requiredVouches;

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

/** Returns whether guests see a person in the class of the claimant, or in the year before or after it. */
export async function isOnClassPage(db: Db, claimantId: string, personId: string): Promise<boolean> {
  const { rows } = await sql`
    select from listings l join profiles cp on cp.account_id = ${claimantId}
    where l.account_id = ${personId} and l.account_id <> cp.account_id and l.audience = 'everyone'
      and l.department = cp.department and abs(l.year_graduated - cp.year_graduated) <= 1`.execute(db);
  return rows.length > 0;
}

/** The result of a request by name. */
export interface SavedRequest {
  /** False if the claimant has already asked in the last 14 days, or the member has answered. */
  readonly isNew: boolean;
  /** Whether a block hides the request from the member. */
  readonly isBlocked: boolean;
}

/** Saves a request by name, or renews one that is older than 14 days. */
export async function saveRequest(tx: Db, claimantId: string, voucherId: string): Promise<SavedRequest> {
  const { rows } = await sql<{ isBlocked: boolean }>`
    insert into vouch_requests as r (claimant_id, voucher_id)
    select c.id, v.id from accounts c cross join accounts v
    where c.id = ${claimantId} and v.id = ${voucherId}
      and not exists (select from vouches where claimant_id = c.id and voucher_id = v.id)
    on conflict (claimant_id, voucher_id) do update set created_at = now() where not ${isRecentRequest}
    returning (select ${isBlockedPair} from accounts c, accounts v
      where c.id = r.claimant_id and v.id = r.voucher_id) as "isBlocked"`.execute(tx);
  return { isNew: rows.length > 0, isBlocked: rows[0]?.isBlocked ?? false };
}

/** Returns the state of the vouching for a claimant. @param isAccepted whether the institution accepts vouches as evidence */
export async function findVouching(db: Db, claimantId: string, isAccepted: boolean): Promise<Membership['vouching']> {
  const link = await db
    .selectFrom('vouch_links')
    .select('expires_at')
    .where('account_id', '=', claimantId)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  // Leaves out people whom guests no longer see.
  const { rows: asked } = await sql<{ id: string; name: string }>`
    select l.account_id as id, l.name from vouch_requests r
    join listings l on l.account_id = r.voucher_id and l.audience = 'everyone'
    where r.claimant_id = ${claimantId} and ${isRecentRequest}
    order by r.created_at, l.account_id`.execute(db);
  return {
    isAvailable: isAccepted && (await isVouchingAvailable(db, claimantId)),
    linkExpiresAt: link?.expires_at.toISOString() ?? null,
    asked,
    received: await countVouches(db, claimantId),
  };
}

/** An answer “no”, as staff see it. */
export interface RefusedVouch {
  readonly claimantEmail: string;
  readonly status: MembershipStatus;
  readonly voucherEmail: string;
  readonly answeredAt: Date;
  /** All answers about the claimant. */
  readonly yes: number;
  readonly no: number;
}

/** Returns the answers “no” of the last 180 days, the latest first. */
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
