import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '#server/db/client.ts';
import { toPhoneticKey } from '../search/spelling.ts';
import type { ClaimInput, RosterEntry } from './claim-input.ts';
import { needsStaffSql } from './claimed-entries.ts';
import { toMatricKey } from './matric-key.ts';
import { allNameWords } from './name-words.ts';
import { oneEditVariants } from './one-edit-variants.ts';

/**
 * Maximum number of name words that are combined into pairs. The longest words come first, because they are the rarest.
 */
const maxWords = 7;

/**
 * Maximum number of entries for one pair of names. A pair that more entries share identifies no one without the other
 * keys.
 */
const maxEntriesPerPair = 300;

/**
 * Returns the entries that a claim may refer to, in any order: those with the same matric number or one edit away, with
 * the same birth date, or with two names that sound the same. On 1 January, which registrars enter when they know only
 * the year, a name must sound the same too. Never returns the entry of a person who has objected. Confidential entries
 * are for staff only (`needsStaff`).
 *
 * One statement that reads indexes only (`bench/claims.ts`). The result is only for staff: it never decides whether a
 * claim confirms an account.
 * @param isReadable condition on a row `entry` of `roster_entries`, for staff who may see a part of the roster.
 * Default: all entries
 */
export async function findCandidates(
  db: Db,
  claim: ClaimInput,
  isReadable: RawBuilder<SqlBool> = sql<SqlBool>`true`,
): Promise<RosterEntry[]> {
  const matricKey = toMatricKey(claim.matricNumber);
  const sounds = [...new Set(allNameWords(claim).map(toPhoneticKey))]
    .filter((sound) => sound.length > 1)
    .toSorted((a, b) => b.length - a.length)
    .slice(0, maxWords);
  const pairs = sounds.flatMap((a, at) => sounds.slice(at + 1).map((b) => [a, b] as const));
  const { rows } = await sql<RosterEntry>`
    select entry.id, matric_key as "matricKey", last_name as "lastName", first_name as "firstName", other_names as "otherNames", gender,
      birth_date as "birthDate", department, year_admitted as "yearAdmitted", year_graduated as "yearGraduated", email, status,
      ${sql.raw(needsStaffSql)} as "needsStaff"
    from (
      select id from roster_entries where matric_key = any(${oneEditVariants(matricKey)}::text[])
      union
      select id from roster_entries
      where birth_date = ${claim.dob || null}::date
        and (${claim.dob}::text not like '%-01-01' or words && ${sounds}::text[])
      union
      -- An aggregate instead of a limit, for which the planner might read the whole table until it has enough rows.
      select unnest(found.ids)
      from unnest(${pairs.map(([a]) => a)}::text[], ${pairs.map(([, b]) => b)}::text[]) as pair (a, b)
      cross join lateral (
        select (array_agg(id))[:${sql.lit(maxEntriesPerPair)}] as ids from roster_entries where words @> array[a, b]
      ) as found
    ) as candidates
    -- The offset keeps the planner from a join that reads the whole table.
    cross join lateral (select * from roster_entries as entry where entry.id = candidates.id offset 0) as entry
    where suppressed_at is null and ${isReadable}`.execute(db);
  return rows;
}
