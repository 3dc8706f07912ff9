import { type Institution, getInstitutionFacts } from '#contract/institution.ts';
import type { Db } from '#server/db/client.ts';
import { findPerson, savePerson } from '../people/people.ts';
import type { EntryFacts } from '../roster/entry-facts.ts';
import { toMatricKey } from '../roster/matric-key.ts';

/** Fields of a profile that a confirmation sets to the value of the roster entry. */
export const adoptedFields = ['matricNumber', 'department', 'yearAdmitted', 'yearGraduated'] as const;
export type AdoptedField = (typeof adoptedFields)[number];

/**
 * Sets matric number, department and years of a profile to those of a roster entry. Keeps the values that the entry
 * lacks, and years that a profile of this institution cannot have. A matric number that differs only in how it is
 * written stays as typed. Call it in a transaction.
 * @returns the fields that changed
 */
export async function adoptEntry(
  tx: Db,
  institution: Institution,
  accountId: string,
  entry: EntryFacts,
): Promise<AdoptedField[]> {
  const before = await findPerson(tx, accountId);
  if (!before) return [];
  const { firstYear, lastYear } = getInstitutionFacts(institution, new Date());
  const isPossible = (year: number | null): year is number => year !== null && year >= firstYear && year <= lastYear;
  const years = {
    year_admitted: isPossible(entry.yearAdmitted) ? entry.yearAdmitted : before.year_admitted,
    year_graduated: isPossible(entry.yearGraduated) ? entry.yearGraduated : before.year_graduated,
  };
  const isSameNumber = toMatricKey(entry.matricNumber) === toMatricKey(before.matric_number);
  const department = entry.department ?? before.department;
  const person = {
    ...before,
    ...(years.year_admitted <= years.year_graduated && years),
    matric_number: isSameNumber ? before.matric_number : entry.matricNumber,
    department,
    ...(department !== before.department && { college: findCollege(institution, department) ?? before.college }),
  };
  const changed = adoptedFields.filter((field) => person[columns[field]] !== before[columns[field]]);
  if (changed.length > 0) await savePerson(tx, person, before);
  return changed;
}

const columns = {
  matricNumber: 'matric_number',
  department: 'department',
  yearAdmitted: 'year_admitted',
  yearGraduated: 'year_graduated',
} as const satisfies Record<AdoptedField, string>;

const findCollege = ({ colleges }: Pick<Institution, 'colleges'>, department: string): string | undefined =>
  colleges.find(({ departments }) => departments.includes(department))?.code;
