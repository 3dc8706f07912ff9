import { sql } from 'kysely';
import type { Db } from '#server/db/client.ts';
import { deleteCorrections } from '../corrections.ts';
import { withRoster } from '../tables.ts';
import { removeSuppressed, suppressedKeySql } from './stage-rows.ts';

/**
 * Empties an entry after the person's objection, and deletes its unused codes. Only a hash of the matric number stays,
 * so that no import brings the entry back. An account that is confirmed as this entry stays confirmed.
 * @returns false if there is no such entry
 */
export async function suppressEntry(tx: Db, entryId: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update roster_entries set matric_key = ${sql.raw(suppressedKeySql('matric_key'))}, matric_number = '', last_name = '',
      first_name = '', other_names = '', gender = null, birth_date = null, college = null, department = null, program = null,
      year_admitted = null, year_graduated = null, email = null, phone = null, status = 'graduate', is_confidential = true,
      is_deceased = false, died_on = null, words = '{}', member_left_at = null, suppressed_at = now()
    where id = ${entryId} and suppressed_at is null`.execute(tx);
  await sql`delete from roster_changes where entry_id = ${entryId}`.execute(tx);
  await deleteCorrections(tx, entryId);
  await sql`delete from roster_invitations where entry_id = ${entryId} and not is_unwanted`.execute(tx);
  await sql`update roster_invitations set entry_id = null where entry_id = ${entryId}`.execute(tx);
  // An import that was already checked still has the row.
  await removeSuppressed(tx);
  await tx.deleteFrom('membership_codes').where('entry_id', '=', entryId).where('used_at', 'is', null).execute();
  return Number(numAffectedRows ?? 0n) > 0;
}

export async function findMatricKeys(db: Db): Promise<{ entryId: number; matricKey: string }[]> {
  return withRoster(db)
    .selectFrom('roster_entries')
    .select(['id as entryId', 'matric_key as matricKey'])
    .where('suppressed_at', 'is', null)
    .execute();
}
