import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { evidenceKinds } from '#contract/membership.ts';
import type { ClaimInput } from '#server/domain/roster/claim-input.ts';
import type { ClaimedEntry } from '#server/domain/roster/claimed-entries.ts';
import { createFrequencies } from '#server/domain/roster/frequencies.ts';
import { rankCandidates } from '#server/domain/roster/matching.ts';
import { toMatricKey } from '#server/domain/roster/matric-key.ts';
import { readInstitution } from '#server/domain/read-institution.ts';
import { type InventedPerson, inventPerson } from '#server/seed/invent.ts';
import { createRandom } from '#server/seed/random.ts';
import { findAutomaticEvidence } from './automatic-evidence.ts';

const institution = readInstitution('institution.json');
const random = createRandom(18);
const people = Array.from({ length: 100 }, () => inventPerson(random, institution, 2026));

const toEntry = (person: InventedPerson, id: number): ClaimedEntry => ({
  id,
  matricKey: toMatricKey(person.matricNumber),
  lastName: person.lastName,
  firstName: person.firstName,
  otherNames: person.middleName,
  gender: person.gender,
  birthDate: person.dob,
  department: person.department,
  yearAdmitted: person.yearAdmitted,
  yearGraduated: person.yearGraduated,
  email: `person.${id}@campus.example`,
  status: 'graduate',
  needsStaff: false,
  heldBy: null,
});

const toClaim = (person: InventedPerson): ClaimInput => ({
  matricNumber: person.matricNumber,
  dob: person.dob,
  firstName: person.firstName,
  otherNames: person.middleName,
  lastName: person.lastName,
  gender: person.gender,
  department: person.department,
  yearAdmitted: person.yearAdmitted,
  yearGraduated: person.yearGraduated,
});

const entries = people.map(toEntry);

const find = (claim: ClaimInput, { isFirst = true, email = 'impostor@mail.example' } = {}) =>
  findAutomaticEvidence({ claim, email, isFirst, accepts: evidenceKinds }, entries);

test('findAutomaticEvidence finds nothing for a person who knows everything, without the mailbox of the entry', () => {
  for (const person of people) expect(find(toClaim(person))).toBeNull();
});

test('findAutomaticEvidence finds nothing in what guests see, with any guess of the matric number or the birth date', () => {
  const frequencies = createFrequencies(entries.length, new Map());
  let firstPlaces = 0;
  for (const [id, person] of people.entries()) {
    for (let attempt = 0; attempt < 10; attempt++) {
      // The number of one person and the birth date of another: at most one of the two is correct.
      const [{ matricNumber }, { dob }] = [random.pick(people), random.pick(people)];
      const guess = random.pick([{ matricNumber }, { dob }, { matricNumber, dob }, { matricNumber: '', dob: '' }]);
      const claim = { ...toClaim(person), ...guess };
      if (people.some((one) => one.matricNumber === claim.matricNumber && one.dob === claim.dob)) continue;
      expect(find(claim)).toBeNull();
      if (attempt === 0 && rankCandidates(claim, entries, frequencies)[0]?.entry.id === id) firstPlaces++;
    }
  }
  // The score is not evidence: the same claims put the right entry first.
  expect(firstPlaces).toBeGreaterThan(people.length * 0.9);
});

test('findAutomaticEvidence finds nothing under another name or class than that of the entry', () => {
  const [[person], [entry]] = [people, entries];
  if (!person || !entry) throw new Error('There are no people.');
  for (const other of [
    { lastName: 'Zubair' },
    { department: 'Astrology' },
    { yearGraduated: person.yearGraduated + 1 },
  ])
    expect(find({ ...toClaim(person), ...other }, { email: entry.email ?? '' })).toBeNull();
});

test('findAutomaticEvidence ignores entries that need staff or that another account holds', () => {
  const [person] = people;
  const [entry] = entries;
  if (!person || !entry) throw new Error('There are no people.');
  const claim = { claim: toClaim(person), email: entry.email ?? '', isFirst: true, accepts: evidenceKinds };
  expect(findAutomaticEvidence(claim, [entry])).not.toBeNull();
  expect(findAutomaticEvidence(claim, [{ ...entry, needsStaff: true }])).toBeNull();
  expect(findAutomaticEvidence(claim, [{ ...entry, heldBy: 'strong' }])).toMatchObject({ isContested: true });
});

test('modules that confirm without staff do not import the order of candidates', () => {
  const features = import.meta.dirname;
  const root = join(features, '../../..');
  const reached = new Set<string>();
  const read = (file: string) => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/ from '([.#][^']+\.ts)'/gu))
      read(path.startsWith('#') ? join(root, path.slice(1)) : join(dirname(file), path));
  };
  for (const name of ['claims.ts', 'codes.ts', 'vouching.ts', 'tasks.ts', 'routes.ts']) read(join(features, name));
  const names = [...reached].map((file) => file.slice(file.lastIndexOf('server/')));
  expect(names).toContain('server/domain/roster/claimed-entries.ts');
  expect(names).not.toContain('server/domain/roster/matching.ts');
});
