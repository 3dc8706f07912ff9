import type { Db } from '#server/db/client.ts';
import type { Identity } from '#server/db/schema.ts';
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
