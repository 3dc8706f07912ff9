import type { Db } from '../../db/client.ts';
import type { ClaimInput, RosterEntry } from './claim-input.ts';
import { toMatricKey } from './matric-key.ts';
import { withRoster } from './tables.ts';

/** Returns the entries that a claim may refer to, in no order. */
export async function findCandidates(db: Db, claim: ClaimInput): Promise<RosterEntry[]> {
  const rows = await withRoster(db)
    .selectFrom('roster_entries')
    .selectAll()
    .where('suppressed_at', 'is', null)
    .where('matric_key', '=', toMatricKey(claim.matricNumber))
    .execute();
  return rows.map((row) => ({
    id: row.id,
    matricKey: row.matric_key,
    lastName: row.last_name,
    firstName: row.first_name,
    otherNames: row.other_names,
    gender: row.gender,
    birthDate: row.birth_date,
    department: row.department,
    yearAdmitted: row.year_admitted,
    yearGraduated: row.year_graduated,
    email: row.email,
    status: row.status,
    needsStaff: row.is_confidential || row.died_on !== null || row.gone_since !== null,
  }));
}
