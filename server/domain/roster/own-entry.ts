import { sql } from 'kysely';
import type { Db } from '#server/db/client.ts';
import { isUndisputedSql } from './links.ts';
import { withRoster } from './tables.ts';

const columns = [
  'matric_number as matricNumber',
  'last_name as lastName',
  'first_name as firstName',
  'other_names as otherNames',
  'gender',
  'birth_date as birthDate',
  'college',
  'department',
  'program',
  'year_admitted as yearAdmitted',
  'year_graduated as yearGraduated',
  'email',
  'phone',
  'status',
  'is_confidential as isConfidential',
  'is_deceased as isDeceased',
  'died_on as diedOn',
] as const;

/**
 * Returns the values of the entry that an account is confirmed as, and then those of further degrees, for their owner.
 * Leaves out contested links.
 */
export async function findOwnEntries(db: Db, accountId: string): Promise<object[]> {
  return withRoster(db)
    .selectFrom('roster_entries as e')
    .innerJoin('roster_links as l', 'l.entry_id', 'e.id')
    .select(columns)
    .select(
      sql<Date[]>`array(select sent_at from roster_invitations i where i.entry_id = e.id order by 1)`.as('invitedAt'),
    )
    .where('l.account_id', '=', accountId)
    .where(sql<boolean>`${sql.raw(isUndisputedSql)}`)
    .orderBy('l.is_further')
    .orderBy('e.id')
    .execute();
}
