import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import type { Coverage } from '#contract/staff/coverage.ts';
import { linkEntry } from '#server/domain/roster/links.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { addEntry, addEntryOf, confirmMember, enterConfirmedMode } from '#server/testing/membership.ts';
import { createStaff } from '#server/testing/staff.ts';

let archive: TestArchive;
beforeEach(async () => {
  archive = await openArchive(inject('databases'));
});
afterEach(() => archive.close());

const find = ({ device }: Member) => device.call('GET /api/staff/coverage');
const classesOf = ({ departments }: Coverage, name: string) =>
  departments.find(({ department }) => department === name)?.classes;

const uninvited = { invited: 0, opened: 0, joined: 0 };
const botanist = { department: 'Botany', yearGraduated: 1990, college: 'COSIT' };
const physics = { department: 'Physics', college: 'COSIT' } as const;

test('coverage counts the people on the roster, confirmed, listed and reachable by department and year', async () => {
  const owner = await createStaff(archive, 'owner', {}, botanist);
  await enterConfirmedMode(archive);
  await addEntry(archive, { ...physics, year_graduated: 2015 });
  await addEntry(archive, { ...physics, year_graduated: 2016, gone_since: 2 });
  await addEntry(archive, { department: 'Physics', year_graduated: null });
  const [ada, ben] = [
    await archive.createMember({ ...physics, yearGraduated: 2014 }),
    await archive.createMember({ ...physics, yearGraduated: 2017 }),
  ];
  const entryId = await addEntryOf(archive, ada, { ...physics, year_graduated: 2015 });
  await confirmMember(archive, ada);
  await linkEntry(archive.context.db, entryId, ada.uid);
  await confirmMember(archive, ben);
  await archive.pool.query(
    `update accounts set mail_failed_at = now(), mail_failed_to = email, mail_fault = 'no-mailbox' where id = $1`,
    [ben.uid],
  );
  const coverage = await find(owner);
  expect(coverage).toMatchObject({ hasRoster: true, confirmsMembers: true });
  expect(classesOf(coverage, 'Physics')).toEqual([
    { year: 2015, onRoster: 2, confirmed: 1, listed: 1, reachable: 1, ...uninvited },
    { year: 2017, onRoster: 0, confirmed: 1, listed: 1, reachable: 0, ...uninvited },
    { year: null, onRoster: 1, confirmed: 0, listed: 0, reachable: 0, ...uninvited },
  ]);
});

test('coverage without a roster counts who is listed and reachable', async () => {
  const owner = await createStaff(archive, 'owner', {}, botanist);
  await archive.createMember({ ...physics, yearGraduated: 2014 });
  const coverage = await find(owner);
  expect(coverage).toMatchObject({ hasRoster: false, confirmsMembers: false });
  expect(classesOf(coverage, 'Physics')).toEqual([
    { year: 2014, onRoster: 0, confirmed: 0, listed: 1, reachable: 1, ...uninvited },
  ]);
});

test('coverage shows a college or a class to staff who are limited to it, also in the file', async () => {
  for (const [department, year] of [
    ['Physics', 2014],
    ['Physics', 2016],
    ['Chemistry', 2014],
  ] as const)
    await addEntry(archive, { department, year_graduated: year });
  await addEntry(archive, { department: 'Law', college: 'COLAW', year_graduated: 2014 });
  const { colleges } = archive.context.institution;
  const college = colleges.find(({ departments }) => departments.includes('Physics'))?.code ?? '';
  const registrar = await createStaff(archive, 'registrar', { college });
  const representative = await createStaff(archive, 'class-representative', {
    department: 'Physics',
    yearFrom: 2014,
    yearTo: 2015,
  });
  const seen = await find(registrar);
  expect(classesOf(seen, 'Physics')).toHaveLength(2);
  expect(classesOf(seen, 'Law')).toBeUndefined();
  expect((await find(representative)).departments).toEqual([
    {
      college,
      department: 'Physics',
      classes: [{ year: 2014, onRoster: 1, confirmed: 0, listed: 0, reachable: 0, ...uninvited }],
    },
  ]);
  const file = await representative.device.ask('GET /api/staff/coverage/file');
  expect(file.headers['content-disposition']).toBe('attachment; filename="coverage.csv"');
  expect(file.body.trim().split(/\r?\n/u)).toEqual([
    'College,Department,Year graduated,On the roster,Confirmed,Listed,Reachable,Invited,Opened the link,Joined',
    `${college},Physics,2014,1,0,0,0,0,0,0`,
  ]);
});

test('coverage is refused to members who are not staff', async () => {
  const member = await archive.createMember();
  expect(await member.device.code('GET /api/staff/coverage')).toBe('permission-denied');
  expect((await member.device.ask('GET /api/staff/coverage/file')).statusCode).toBe(403);
});
