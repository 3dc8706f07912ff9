import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { Institution } from '#contract/institution.ts';
import { createPerson } from './people.ts';

export async function writeRoster(path: string, institution: Institution, rows: number): Promise<void> {
  const stream = createWriteStream(path);
  const quote = (value: string | number) => `"${String(value).replaceAll('"', '""')}"`;
  stream.write(
    'Matric No,Surname,First Name,Other Names,Gender,Date of Birth,College,Department,Programme,Year of Entry,Year of Graduation,Email,Phone\n',
  );
  for (let number = 0; number < rows; number++) {
    const person = createPerson(institution, number);
    const line = [
      person.matricNumber,
      person.lastName,
      person.firstName,
      person.otherNames,
      person.gender,
      person.dob,
      person.college,
      person.department,
      person.program,
      person.yearAdmitted,
      person.yearGraduated,
      `person.${number}@alumni.example`,
      person.contactNumber,
    ]
      .map(quote)
      .join(',');
    if (!stream.write(`${line}\n`)) await once(stream, 'drain');
  }
  stream.end();
  await finished(stream);
}
