import { sql } from 'kysely';
import type { Db } from '../db/client.ts';
import type { Identity, ProfileColumns } from '../db/schema.ts';

/** What a confirmation rests on. */
interface Basis {
  readonly evidenceId: string;
  readonly entryId: number | null;
  /** Peer vouches: what each voucher saw. */
  readonly seen: readonly Identity[];
}

/** Records that an account is confirmed as the person of its profile. Call it in the transaction of the confirmation. */
export async function recordIdentity(tx: Db, accountId: string, { evidenceId, entryId, seen }: Basis): Promise<void> {
  await endIdentity(tx, accountId);
  await sql`
    insert into confirmed_identities (account_id, evidence_id, entry_id, seen, first_name, last_name, department, year_graduated, matric_number)
    select account_id, ${evidenceId}::uuid, ${entryId}::bigint, ${JSON.stringify(seen)}::jsonb, first_name, last_name, department,
      year_graduated, matric_number
    from profiles where account_id = ${accountId}`.execute(tx);
}

/** Ends what an account is confirmed as. It stays in the history of the account. */
export async function endIdentity(tx: Db, accountId: string): Promise<void> {
  await tx
    .updateTable('confirmed_identities')
    .set({ ended_at: sql<Date>`now()` })
    .where('account_id', '=', accountId)
    .where('ended_at', 'is', null)
    .execute();
}

/** Returns who a profile says that its owner is. */
export const toIdentity = ({
  first_name: firstName,
  last_name: lastName,
  department,
  year_graduated: yearGraduated,
}: Pick<ProfileColumns, 'first_name' | 'last_name' | 'department' | 'year_graduated'>): Identity => ({
  firstName,
  lastName,
  department,
  yearGraduated,
});
