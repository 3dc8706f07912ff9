import { sql } from 'kysely';
import type { MembershipStatus } from '#contract/membership.ts';
import type { Db } from '../../db/client.ts';
import type { EntryChange, TypedClaim } from '../../db/schema.ts';

/** A claim that waits, as staff see it. */
export interface WaitingClaim {
  readonly id: string;
  readonly accountId: string;
  readonly email: string;
  readonly status: MembershipStatus;
  readonly typed: TypedClaim;
  readonly createdAt: Date;
  /** Number of all claims of the account, including this one. */
  readonly claims: number;
  /** Evidence that was given, for example against an entry that another account holds. */
  readonly evidence: readonly string[];
  /** Answers of the members who were asked to vouch: how many said yes, unsure and no. */
  readonly vouches: { readonly yes: number; readonly unsure: number; readonly no: number };
}

/** Returns the claims that wait, oldest first. @param id only this claim */
export async function findWaitingClaims(db: Db, id: string | null = null): Promise<WaitingClaim[]> {
  const { rows } = await sql<WaitingClaim>`
    select c.id, a.id as "accountId", a.email, a.membership_status as status, c.typed, c.created_at as "createdAt",
      (select count(*)::int from claims where account_id = a.id) as claims,
      array(select kind from evidence where account_id = a.id and withdrawn_at is null order by created_at) as evidence,
      (select jsonb_build_object('yes', count(*) filter (where answer = 'yes'), 'unsure', count(*) filter (where answer = 'unsure'),
        'no', count(*) filter (where answer = 'no')) from vouches where claimant_id = a.id) as vouches
    from claims c join accounts a on a.id = c.account_id
    where c.state = 'waiting' and (${id}::uuid is null or c.id = ${id}::uuid)
    order by c.created_at, c.id`.execute(db);
  return rows;
}

/** An open dispute, as staff see it. */
export interface OpenDispute {
  readonly id: string;
  readonly createdAt: Date;
  readonly text: string;
  readonly holderEmail: string;
  readonly holderEvidence: readonly string[];
  /** Null if the mailbox of the entry reported the holder, or the entry changed. */
  readonly claimantEmail: string | null;
  readonly claimantEvidence: readonly string[];
  /** What made the entry another person, if there is no claimant. */
  readonly entryChange: EntryChange | null;
}

/** Returns the open disputes, oldest first. */
export async function findOpenDisputes(db: Db): Promise<OpenDispute[]> {
  const evidenceOf = (side: 'holder' | 'claimant') => sql`
    array(select kind from evidence v where v.account_id = ${sql.ref(`d.${side}_id`)} and v.entry_id = d.entry_id order by created_at)`;
  const { rows } = await sql<OpenDispute>`
    select d.id, d.created_at as "createdAt", d.text, h.email as "holderEmail", ${evidenceOf('holder')} as "holderEvidence",
      c.email as "claimantEmail", ${evidenceOf('claimant')} as "claimantEvidence",
      d.entry_change as "entryChange"
    from disputes d join accounts h on h.id = d.holder_id left join accounts c on c.id = d.claimant_id
    where d.closed_at is null order by d.created_at, d.id`.execute(db);
  return rows;
}
