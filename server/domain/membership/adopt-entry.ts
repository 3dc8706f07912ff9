import { type Institution, getInstitutionFacts } from '#contract/institution.ts';
import type { Db } from '#server/db/client.ts';
import { type StoredPerson, findPerson, savePerson } from '../people/people.ts';
import type { EntryFacts } from '../roster/entry-facts.ts';
import { toMatricKey } from '../roster/matric-key.ts';

export const adoptedFields = ['matricNumber', 'department', 'yearAdmitted', 'yearGraduated'] as const;
export type AdoptedField = (typeof adoptedFields)[number];

/**
 * Sets matric number, department and years of a profile to those of a roster entry, if there is one, and the college to
 * that of the department. Keeps the values that the entry lacks, and years that a profile of this institution cannot
 * have. A matric number that differs only in how it is written stays as typed. Call it in a transaction.
 * @returns the fields that changed
 */
export async function adoptEntry(
  tx: Db,
  institution: Institution,
  accountId: string,
  entry: EntryFacts | null,
): Promise<AdoptedField[]> {
  const before = await findPerson(tx, accountId);
  if (!before) return [];
  const person = withCollege(institution.colleges, entry ? adopt(institution, before, entry) : before);
  const changed = adoptedFields.filter((field) => person[columns[field]] !== before[columns[field]]);
  if (changed.length > 0 || person.college !== before.college) await savePerson(tx, person, before);
  return changed;
}

function adopt(institution: Institution, before: StoredPerson, entry: EntryFacts): StoredPerson {
  const { firstYear, lastYear } = getInstitutionFacts(institution, new Date());
  const isPossible = (year: number | null): year is number => year !== null && year >= firstYear && year <= lastYear;
  const years = {
    year_admitted: isPossible(entry.yearAdmitted) ? entry.yearAdmitted : before.year_admitted,
    year_graduated: isPossible(entry.yearGraduated) ? entry.yearGraduated : before.year_graduated,
  };
  const isSameNumber = toMatricKey(entry.matricNumber) === toMatricKey(before.matric_number);
  return {
    ...before,
    ...(years.year_admitted <= years.year_graduated && years),
    matric_number: isSameNumber ? before.matric_number : entry.matricNumber,
    department: entry.department ?? before.department,
  };
}

const columns = {
  matricNumber: 'matric_number',
  department: 'department',
  yearAdmitted: 'year_admitted',
  yearGraduated: 'year_graduated',
} as const satisfies Record<AdoptedField, string>;

/** Returns a person with the college that has the department. Keeps one that has it, and that of an unknown department. */
export function withCollege<P extends Pick<StoredPerson, 'college' | 'department'>>(
  colleges: Institution['colleges'],
  person: P,
): P {
  const codes = colleges.filter(({ departments }) => departments.includes(person.department)).map(({ code }) => code);
  return codes.includes(person.college) ? person : { ...person, college: codes[0] ?? person.college };
}
