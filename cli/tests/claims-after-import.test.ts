import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { enterConfirmedMode, namesake, printCode } from '#server/testing/membership.ts';
import { cleanUp, newFolder } from '#server/testing/server-process.ts';
import { createSettings, runCommand } from '../testing/run-command.ts';

/* Claims that wait for an entry that the registrar's next list contains (decision 67). */

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  await enterConfirmedMode(archive);
});
afterAll(async () => {
  await archive.close();
  await cleanUp();
});

type Entry = Readonly<{ email: string; dob?: string; number?: string }>;

async function importList(...entries: readonly (readonly [Member, Entry])[]): Promise<void> {
  const rows = entries.map(([{ document }, { email, dob = document.dob, number = document.academic.matricNumber }]) =>
    [
      number,
      document.name.last,
      document.name.first,
      dob,
      email,
      document.academic.department,
      document.academic.year.graduated,
    ].join(','),
  );
  const path = join(newFolder('archive-claims-'), 'list.csv');
  writeFileSync(
    path,
    ['Matric No,Surname,First Name,Date of Birth,Email,Department,Year of Graduation', ...rows, ''].join('\n'),
  );
  const confirmed = 'many-changed,many-missing,duplicates,ambiguous-dates,not-only-students,leading-zeros,cut-off';
  expect(
    await runCommand(createSettings(archive), 'roster', 'import', path, '--yes', '--partial', '--yes-to', confirmed),
  ).toMatchObject({ code: 0 });
  await archive.runJobs();
}

const submit = ({ device, document }: Member, dob = document.dob) =>
  device.call('POST /api/membership/claims', { body: { matricNumber: document.academic.matricNumber, dob } });
const membershipOf = ({ device }: Member) => device.call('GET /api/membership');
const createMember = () => archive.createMember(namesake, { dob: '1992-05-17' });

test('an import confirms a claim that waits if the entry has the verified address and the claimed birth date, and notifies the user once', async () => {
  const [ada, ben] = [await createMember(), await createMember()];
  expect(await submit(ada)).toEqual({ status: 'waiting' });
  expect(await submit(ben)).toEqual({ status: 'waiting' });
  await importList([ada, { email: ada.email }], [ben, { email: ben.email, dob: '1992-05-18' }]);
  expect(await membershipOf(ada)).toMatchObject({
    status: 'confirmed',
    evidence: [{ kind: 'roster-email', assurance: 'strong' }],
    claim: { state: 'confirmed' },
  });
  expect(await membershipOf(ben)).toMatchObject({ status: 'unconfirmed', isWaiting: true, evidence: [] });
  await importList([ada, { email: ada.email }], [ben, { email: ben.email, dob: '1992-05-18' }]);
  expect((await membershipOf(ada)).evidence).toHaveLength(1);
  expect(archive.inbox.to(ada.email).filter(({ subject }) => subject === 'You are a confirmed member')).toHaveLength(1);
});

test('an import confirms no claim by matric number, birth date and names', async () => {
  const ada = await createMember();
  await submit(ada);
  await importList([ada, { email: '' }]);
  expect(await membershipOf(ada)).toMatchObject({ status: 'unconfirmed', isWaiting: true });
});

test('an import confirms no claim that was changed or sent again, so that it gives no further guess of the birth date', async () => {
  const [changed, again] = [await createMember(), await createMember()];
  await submit(changed, '1992-05-16');
  await submit(changed);
  await submit(again, '1992-05-16');
  await again.device.call('DELETE /api/membership/claims');
  await submit(again);
  await importList([changed, { email: changed.email }], [again, { email: again.email }]);
  for (const member of [changed, again])
    expect(await membershipOf(member)).toMatchObject({ status: 'unconfirmed', isWaiting: true, evidence: [] });
});

test('an import confirms no claim if only staff may confirm the entry, or the institution does not accept this evidence', async () => {
  const [contested, other] = [await createMember(), await createMember()];
  for (const member of [contested, other]) await submit(member);
  const { acceptedEvidence } = archive.context.institution;
  const all = [...acceptedEvidence];
  acceptedEvidence.splice(0, acceptedEvidence.length, 'staff-review');
  try {
    await importList([contested, { email: contested.email }], [other, { email: other.email }]);
  } finally {
    acceptedEvidence.splice(0, acceptedEvidence.length, ...all);
  }
  expect(await membershipOf(other)).toMatchObject({ status: 'unconfirmed', isWaiting: true });
  await archive.pool.query('update roster_entries set contested_at = now() where email = $1', [contested.email]);
  await importList([other, { email: other.email }]);
  expect(await membershipOf(other)).toMatchObject({ status: 'confirmed' });
  expect(await membershipOf(contested)).toMatchObject({ status: 'unconfirmed', isWaiting: true });
});

test('an import leaves a claim to staff once, if another account holds the entry by equally strong evidence', async () => {
  const [ada, holder] = [await createMember(), await createMember()];
  await importList([ada, { email: '' }]);
  const { rows } = await archive.pool.query<{ id: number }>('select id from roster_entries where matric_number = $1', [
    ada.document.academic.matricNumber,
  ]);
  const code = await printCode(archive, rows[0]?.id ?? 0);
  await holder.device.call('POST /api/membership/codes', { body: { code } });
  await submit(ada);
  for (let list = 0; list < 2; list++) await importList([ada, { email: ada.email }]);
  expect(await membershipOf(holder)).toMatchObject({ status: 'confirmed' });
  expect(await membershipOf(ada)).toMatchObject({ status: 'unconfirmed', isWaiting: true });
  expect((await archive.pool.query('select from evidence where account_id = $1', [ada.uid])).rowCount).toBe(1);
  expect((await archive.pool.query('select from disputes where claimant_id = $1', [ada.uid])).rowCount).toBe(1);
});
