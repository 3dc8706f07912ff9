import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { addEntry, addEntryOf, enterConfirmedMode } from '#server/testing/membership.ts';
import { createTestWeb } from '#server/testing/pages.ts';
import { type RosterImports, ada, ben, openRosterImports, toCsv } from '#server/testing/roster-imports.ts';

/* Sentences of the staff console, as the server renders them. */

let archive: TestArchive;
let roster: RosterImports;
beforeAll(async () => {
  archive = await openArchive(inject('databases'), {}, createTestWeb());
  await enterConfirmedMode(archive);
  roster = await openRosterImports(archive);
});
beforeEach(() => roster.reset());
afterAll(() => archive.close());

async function readPage({ device }: Member, path: string): Promise<string> {
  const { statusCode, body } = await device.fetch('GET', path);
  expect(statusCode).toBe(200);
  return body
    .replaceAll(/<script.*?<\/script>|<!--.*?-->/gsu, '')
    .replaceAll(/<[^>]*>/gu, ' ')
    .replaceAll(/\s+/gu, ' ');
}

const importPage = (id: string, by = roster.registrar) => readPage(by, `/staff/roster/${id}`);

test('the page of an import says what happens to rows whose department it does not know', async () => {
  const id = await roster.upload(toCsv(ada, ben.replace('Computer Science', 'Alchemy')));
  await roster.run(id, 'check');
  expect(await importPage(id)).toContain(
    '1 row with an unknown department: Alchemy. These people get this name as their department: coverage counts it apart',
  );
  await roster.apply(id, 'unknown-departments');
  const { departments } = await roster.registrar.device.call('GET /api/staff/coverage');
  expect(departments.map(({ department }) => department)).toEqual(expect.arrayContaining(['Alchemy']));
});

test('the page of an import says who must approve: an owner, and to an owner another one', async () => {
  const id = await roster.upload(toCsv(ada));
  await roster.run(id, 'check');
  await roster.apply(id);
  expect(await importPage(id)).toContain('The undo needs the approval of an owner.');
  expect(await importPage(id, roster.owner)).toContain('The undo needs the approval of another owner.');
});

test('the page of an import says how long the rows that were not imported can be downloaded, also after it', async () => {
  const id = await roster.upload(toCsv(ada, ',Nameless,,,,'));
  await roster.run(id, 'check');
  const sentence = 'Download all errors in rows and cells . The list is kept for 7 days.';
  expect(await importPage(id)).toContain(sentence);
  expect((await roster.apply(id, 'unreadable')).state).toBe('applied');
  expect(await importPage(id)).toContain(sentence);
});

test('the page of a claim says that one character of the matric number differs, and compares the programs', async () => {
  const claimant = await archive.createMember({ program: 'B.Sc' });
  const { matricNumber } = claimant.document.academic;
  const other = `${matricNumber.slice(0, -1)}${matricNumber.endsWith('7') ? '8' : '7'}`;
  await addEntryOf(archive, claimant, { matric_number: other, program: 'HND' });
  const body = { matricNumber, dob: claimant.document.dob };
  await claimant.device.call('POST /api/membership/claims', { body });
  const { rows } = await archive.pool.query<{ id: string }>('select id from claims where account_id = $1', [
    claimant.uid,
  ]);
  const page = await readPage(roster.registrar, `/staff/review/claim-${rows[0]?.id}`);
  expect(page).toContain('one character differs');
  expect(page).toMatch(/ Program B\.Sc HND differs /u);
});

test('the page of an entry offers to propose a correction', async () => {
  const page = await readPage(roster.registrar, `/staff/people/entry-${await addEntry(archive)}`);
  expect(page).toContain(' Propose a correction ');
  expect(page).not.toMatch(/ Correct /u);
});
