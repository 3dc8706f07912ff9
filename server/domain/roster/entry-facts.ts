import type { Db } from '#server/db/client.ts';
import type { Identity } from '#server/db/schema.ts';
import { isUndisputedSql } from './links.ts';
import { withRoster } from './tables.ts';

/** What an entry states about the person. Never show it to anyone but the person confirmed as the entry. */
export interface EntryFacts extends Identity {
  readonly matricNumber: string;
  readonly yearAdmitted: number | null;
}

export async function findEntryFacts(db: Db, entryId: number): Promise<EntryFacts | null> {
  const row = await withRoster(db)
    .selectFrom('roster_entries')
    .select([
      'first_name as firstName',
      'last_name as lastName',
      'department',
      'year_admitted as yearAdmitted',
      'year_graduated as yearGraduated',
      'matric_number as matricNumber',
    ])
    .where('id', '=', entryId)
    .executeTakeFirst();
  return row ?? null;
}

/** SQL of the `EntryFacts` of the entry that account `a` is confirmed as. Null while the link is contested. */
export const undisputedEntrySql = `(
  select jsonb_build_object('firstName', e.first_name, 'lastName', e.last_name, 'department', e.department,
    'yearAdmitted', e.year_admitted, 'yearGraduated', e.year_graduated, 'matricNumber', e.matric_number)
  from roster_links l join roster_entries e on e.id = l.entry_id
  where l.account_id = a.id and not l.is_further and ${isUndisputedSql})`;
