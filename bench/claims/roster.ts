import type { Institution } from '#contract/institution.ts';
import type { EntryValues } from '#server/domain/roster/write-entries.ts';
import { createRandom } from '#server/seed/random.ts';
import { type SyntheticPerson, createPerson } from '../people.ts';

export interface Enrolled {
  readonly person: SyntheticPerson;
  /** Department, year and a serial number, dense as in reality: neighbours are one edit away. */
  readonly matricNumber: string;
  readonly entry: EntryValues;
}

/**
 * Creates the people of a roster one after another, always the same. 10 % of the entries have no birth date, 5 % have 1
 * January.
 */
export function createEnrolment(institution: Institution): (number: number) => Enrolled {
  const departments = institution.colleges.flatMap((college) => college.departments);
  const serials = new Map<string, number>();
  return (number) => {
    const person = createPerson(institution, number);
    const random = createRandom(Math.imul(number + 7, 0x85ebca6b));
    random.next();
    const code = String(departments.indexOf(person.department) + 10);
    const course = `${person.college.slice(-3).toUpperCase()}/${code}/${String(person.yearAdmitted).slice(2)}`;
    const serial = (serials.get(course) ?? 0) + 1;
    serials.set(course, serial);
    const matricNumber = `${course}/${String(serial).padStart(4, '0')}`;
    const chance = random.next();
    const birthDate = chance < 0.1 ? null : chance < 0.15 ? `${person.dob.slice(0, 4)}-01-01` : person.dob;
    return {
      person,
      matricNumber,
      entry: {
        matricNumber,
        lastName: person.lastName,
        firstName: person.firstName,
        otherNames: person.middleName,
        gender: person.gender === 'female' ? 'female' : 'male',
        birthDate,
        college: person.college,
        department: person.department,
        program: person.program,
        yearAdmitted: person.yearAdmitted,
        yearGraduated: person.yearGraduated,
        email: null,
        phone: null,
        status: 'graduate',
        isConfidential: false,
        diedOn: null,
      },
    };
  };
}
