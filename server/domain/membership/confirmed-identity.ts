import { type RawBuilder, sql } from 'kysely';
import { type Db, now } from '#server/db/client.ts';
import type { ProfileColumns } from '#contract/profile-fields.ts';
import type { Identity } from '#server/db/schema.ts';

interface Basis {
  readonly evidenceId: string;
  readonly entryId: number | null;
  readonly seen: readonly Identity[];
}

export interface ConfirmedIdentity extends Identity {
  readonly department: string;
  readonly yearGraduated: number;
  readonly matricNumber: string;
}

const identityColumns = [
  'first_name as firstName',
  'last_name as lastName',
  'department',
  'year_graduated as yearGraduated',
  'matric_number as matricNumber',
] as const;

/** Returns who an account is confirmed as; null if it is not confirmed, and in the mode `open`. */
export async function findConfirmedIdentity(db: Db, accountId: string): Promise<ConfirmedIdentity | null> {
  const row = await db
    .selectFrom('confirmed_identities')
    .innerJoin('membership_mode', (join) => join.on('mode', '=', 'confirmed'))
    .select(identityColumns)
    .where('account_id', '=', accountId)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return row ?? null;
}

/** Returns who an account was confirmed as before a time, or is confirmed as now. @param time null: now */
export async function findIdentityBefore(
  db: Db,
  accountId: string,
  time: Date | null,
): Promise<ConfirmedIdentity | null> {
  if (time === null) return findConfirmedIdentity(db, accountId);
  const row = await db
    .selectFrom('confirmed_identities')
    .select(identityColumns)
    .where('account_id', '=', accountId)
    .where('confirmed_at', '<', time)
    .orderBy('confirmed_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Records that the confirmation of an account is about other values from now on. It keeps its evidence. Closes a change
 * that waits.
 */
export async function replaceIdentity(tx: Db, accountId: string, person: ProfileColumns): Promise<void> {
  await sql`
    with ended as (
      update confirmed_identities set ended_at = now() where account_id = ${accountId} and ended_at is null returning *
    ), agreed as (
      update identity_changes set closed_at = now(), outcome = 'agreed' where account_id = ${accountId} and closed_at is null
    )
    insert into confirmed_identities (account_id, evidence_id, entry_id, seen, first_name, last_name, department, year_graduated, matric_number)
    select account_id, evidence_id, entry_id, seen, ${person.first_name}, ${person.last_name}, ${person.department},
      ${person.year_graduated}::smallint, ${person.matric_number}
    from ended`.execute(tx);
}

export async function recordIdentity(tx: Db, accountId: string, { evidenceId, entryId, seen }: Basis): Promise<void> {
  await endIdentity(tx, accountId);
  await sql`
    insert into confirmed_identities (account_id, evidence_id, entry_id, seen, first_name, last_name, department, year_graduated, matric_number)
    select account_id, ${evidenceId}::uuid, ${entryId}::bigint, ${JSON.stringify(seen)}::jsonb, first_name, last_name, department,
      year_graduated, matric_number
    from profiles where account_id = ${accountId}`.execute(tx);
}

export async function endIdentity(tx: Db, accountId: string): Promise<void> {
  await tx
    .updateTable('confirmed_identities')
    .set({ ended_at: now })
    .where('account_id', '=', accountId)
    .where('ended_at', 'is', null)
    .execute();
}

/** Closes the pending changes of an identity, because no confirmation restricts the profile any more. */
export async function endChanges(tx: Db, condition: RawBuilder<boolean>): Promise<void> {
  await tx
    .updateTable('identity_changes')
    .set({ closed_at: now, outcome: 'ended' })
    .where('closed_at', 'is', null)
    .where(condition)
    .execute();
}

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
