import { sql } from 'kysely';
import type { Institution } from '#contract/institution.ts';
import type { Assurance } from '#contract/membership.ts';
import type { FieldAgreement, StaffEntry } from '#contract/staff/claims.ts';
import type { StaffScope } from '#contract/staff/scope.ts';
import type { Db } from '#server/db/client.ts';
import { isClassInScope } from '../staff/class-scope.ts';
import { searchWords } from '../search/folding.ts';
import type { ClaimInput, RosterEntry } from './claim-input.ts';
import { needsStaffSql } from './claimed-entries.ts';
import { compareNames } from './compare-names.ts';
import { readFrequencies } from './frequencies.ts';
import { type Levels, rankCandidates } from './matching.ts';

export interface FoundEntry {
  readonly entry: StaffEntry;
  readonly compared: RosterEntry;
  readonly heldBy: { readonly accountId: string; readonly assurance: Assurance } | null;
}

export async function findStaffEntries(
  db: Db,
  institution: Pick<Institution, 'colleges'>,
  scopes: readonly StaffScope[],
  ids: readonly number[],
): Promise<FoundEntry[]> {
  const { rows } = await sql<EntryRow>`
    select e.id, e.matric_key as "matricKey", e.matric_number as "matricNumber", e.last_name as "lastName", e.first_name as "firstName",
      e.other_names as "otherNames", e.gender, e.birth_date as "birthDate", e.college, e.department, e.program, e.year_admitted as "yearAdmitted",
      e.year_graduated as "yearGraduated", e.email, e.status, ${sql.raw(needsStaffSql)} as "needsStaff", l.account_id as "accountId",
      exists (
        select from evidence v where v.entry_id = e.id and v.account_id = l.account_id and assurance = 'strong' and withdrawn_at is null
      ) as "isStrong"
    from roster_entries e left join roster_links l on l.entry_id = e.id
    where e.id = any(${[...ids]}::bigint[]) and suppressed_at is null
      and ${isClassInScope(institution, scopes, 'e')}
    order by array_position(${[...ids]}::bigint[], e.id)`.execute(db);
  return rows.map(({ accountId, isStrong, matricNumber, college, program, ...compared }) => ({
    entry: {
      id: compared.id,
      matricNumber,
      lastName: compared.lastName,
      firstName: compared.firstName,
      otherNames: compared.otherNames,
      gender: compared.gender ?? '',
      college: college ?? '',
      department: compared.department ?? '',
      program: program ?? '',
      yearAdmitted: compared.yearAdmitted ?? 0,
      yearGraduated: compared.yearGraduated ?? 0,
      status: compared.status,
      isRestricted: compared.needsStaff,
    },
    compared,
    heldBy: accountId === null ? null : { accountId, assurance: isStrong ? 'strong' : 'moderate' },
  }));
}

interface EntryRow extends RosterEntry {
  readonly matricNumber: string;
  readonly college: string | null;
  readonly program: string | null;
  readonly accountId: string | null;
  readonly isStrong: boolean;
}

export async function compareWithEntry(
  db: Db,
  claim: ClaimInput,
  email: string,
  found: FoundEntry,
): Promise<FieldAgreement> {
  const [ranked] = rankCandidates(claim, [found.compared], await readFrequencies(db, claim));
  if (!ranked) throw new Error('One entry has one rank.');
  return toAgreement(claim, email, found, ranked.levels);
}

/** How staff see each level. A birth date differs or not: more would reveal the date of the entry. */
const terms = {
  matricNumber: { same: 'same', 'one edit': 'one-edit', different: 'differs', missing: 'missing' },
  birthDate: {
    same: 'same',
    'day and month swapped': 'differs',
    'year differs': 'differs',
    'same year': 'differs',
    different: 'differs',
    missing: 'missing',
  },
  plain: { same: 'same', different: 'differs', missing: 'missing' },
  year: { same: 'same', '1 year off': 'near', 'up to 3 years off': 'near', different: 'differs', missing: 'missing' },
} as const;

/**
 * Converts a comparison to what staff see. Names are compared again, because the levels do not say in which field a
 * name was found.
 */
export const toAgreement = (
  claim: ClaimInput,
  email: string,
  { entry: { program }, compared: entry }: Pick<FoundEntry, 'entry' | 'compared'>,
  levels: Levels,
): FieldAgreement => ({
  matricNumber: terms.matricNumber[levels.matricNumber],
  birthDate: terms.birthDate[levels.birthDate],
  ...compareNames(claim, entry),
  gender: terms.plain[levels.gender],
  department: terms.plain[levels.department],
  program: comparePrograms(claim.program ?? '', program),
  year: terms.year[levels.year],
  email: entry.email === null ? 'missing' : entry.email === email ? 'same' : 'differs',
});

/** Compares the words, because lists add the subject or leave out the points of an abbreviation. */
function comparePrograms(claimed: string, listed: string): FieldAgreement['program'] {
  const [a, b] = [claimed, listed].map((text) => searchWords(text.replaceAll('.', '')));
  if (!a?.length || !b?.length) return 'missing';
  return a.every((word) => b.includes(word)) || b.every((word) => a.includes(word)) ? 'same' : 'differs';
}
