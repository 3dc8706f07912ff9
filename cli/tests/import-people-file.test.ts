import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { suggestCities } from '#server/domain/careers/places.ts';
import { inventPerson } from '#server/seed/invent.ts';
import { createRandom } from '#server/seed/random.ts';
import { toDocument } from '#contract/profile.ts';
import { findCode } from '#server/testing/inbox.ts';
import { type Member, type TestArchive, openArchive, smallPicture } from '#server/testing/archive.ts';
import { cleanUp, newFolder } from '#server/testing/server-process.ts';
import { createSettings, runCommand } from '../testing/run-command.ts';

/* Imports people with work and place from a spreadsheet. Each test has its own people. */

let archive: TestArchive;
let reader: Member;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  reader = await archive.createMember();
});
afterAll(async () => {
  await archive.close();
  await cleanUp();
});

function write(...lines: string[]): string {
  const path = join(newFolder('archive-people-file-'), 'people.csv');
  writeFileSync(path, `${lines.join('\r\n')}\r\n`);
  return path;
}
const runImport = (path: string, ...options: string[]) =>
  runCommand(createSettings(archive), 'import', path, ...options);

const ownCareer = ({ device, uid }: Pick<Member, 'device' | 'uid'>) =>
  device.call('GET /api/users/{id}/career', { params: { id: uid } });
const careerOf = async ({ uid }: { uid: string }) =>
  (await reader.device.call('GET /api/users/{id}', { params: { id: uid }, query: {} })).career;
const listingsOf = async ({ uid }: { uid: string }) =>
  (await archive.pool.query('select role, employer, city, country from listings where account_id = $1', [uid])).rows;
const nothing = { role: null, employer: null, city: null, country: null };

const work = { role: 'Nurse', employer: 'Ward 7', field: 'health', from: 2019, to: null } as const;
const lagos = suggestCities('Lagos', 'NG')[0]?.id ?? 0;

test('gives a known person a position and place that no one else sees until the owner saves them', async () => {
  const member = await archive.createMember();
  const path = write(
    'E-mail address;Job title;Company;Industry;Since;Town;Country;Shoe size',
    `${member.email.toUpperCase()};Nurse;Ward 7;Health and social work;2019;Lagos;Nigeria;41`,
  );
  const { code, stdout, stderr } = await runImport(path);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringContaining('Created: 0, updated: 1, unchanged: 0, errors: 0') as string,
  });
  expect(stderr).toContain('Not imported: the columns Shoe size.');
  const place = { city: 'Lagos', cityId: lagos, country: 'NG' };
  const own = await ownCareer(member);
  expect(own).toMatchObject({ positions: [{ ...work, confirmedOn: null }], ...place, isAsked: true });
  expect(await careerOf(member)).toBeUndefined();
  expect(await listingsOf(member)).toEqual([nothing, nothing]);

  await member.device.call('PUT /api/users/{id}/career', {
    params: { id: member.uid },
    body: { positions: [work], ...place, helps: [], version: own.version },
  });
  expect(await careerOf(member)).toMatchObject({ positions: [work], city: 'Lagos', country: 'NG' });
});

test('overwrites nothing, and adds nothing again after the owner has removed it', async () => {
  const [answered, living, removed, working] = [
    await archive.createMember(),
    await archive.createMember(),
    await archive.createMember(),
    await archive.createMember(),
  ];
  const save = ({ device, uid }: Member, positions: (typeof work)[], city: string, country: string) =>
    device.call('PUT /api/users/{id}/career', {
      params: { id: uid },
      body: { positions, city, cityId: null, country, helps: [], version: 'any' },
    });
  await save(answered, [{ ...work }], '', '');
  await archive.pool.query(`update profiles set city = 'Jos', country = 'NG' where account_id = $1`, [living.uid]);
  // As an import from another archive leaves it: the owner has not saved the form here.
  await archive.pool.query(`update profiles set positions = $2 where account_id = $1`, [
    working.uid,
    JSON.stringify([{ ...work, confirmedOn: '2026-03-04' }]),
  ]);
  const row = ({ email }: Member) => `${email},Pilot,Air Ago,Accra,GH`;
  const path = write('email,role,employer,city,country', row(answered), row(living), row(removed), row(working));
  expect((await runImport(path)).stdout).toContain('Created: 0, updated: 3, unchanged: 1, errors: 0');
  expect(await ownCareer(answered)).toMatchObject({ positions: [work], city: '' });
  expect(await ownCareer(living)).toMatchObject({ positions: [{ role: 'Pilot' }], city: 'Jos' });
  expect(await ownCareer(working)).toMatchObject({ positions: [work], city: 'Accra', country: 'GH' });
  expect(await careerOf(living)).toEqual({ city: 'Jos', country: 'NG' });
  expect((await runImport(path)).stdout).toContain('updated: 0, unchanged: 4');
  await save(removed, [], '', '');
  expect((await runImport(path)).stdout).toContain('updated: 0, unchanged: 4');
  expect(await ownCareer(removed)).toMatchObject({ positions: [], city: '' });
});

test('creates a hidden, incomplete profile, whose work the owner confirms after completing it', async () => {
  const email = 'new.person@mail.example';
  const path = write(
    'email,surname,first_name,degree,role,employer,field,from,city,country,hidden',
    `${email},Okafor,Ngozi,BSc,Nurse,Ward 7,health,2019,Lagos,NG,no`,
  );
  expect((await runImport(path, '--dry-run')).stdout).toContain('Would be created: 1');
  expect((await archive.pool.query('select from accounts where email = $1', [email])).rowCount).toBe(0);
  expect((await runImport(path)).stdout).toContain('Created: 1, updated: 0');
  expect((await runImport(path)).stdout).toContain('Created: 0, updated: 0, unchanged: 1');

  const device = archive.openDevice();
  await device.call('POST /api/identity/password-reset', { body: { email } });
  await archive.runJobs();
  const code = findCode(await archive.inbox.next(email, 'Choose a new password'));
  await device.call('POST /api/identity/password-reset/confirm', { body: { code, password: 'a new long word' } });
  await device.call('POST /api/identity/sign-in', { body: { email, password: 'a new long word' } });
  const { rows } = await archive.pool.query<{ uid: string }>('select id as uid from accounts where email = $1', [
    email,
  ]);
  const uid = rows[0]?.uid ?? '';
  const { fields } = await device.call('GET /api/users/{id}/unfinished', { params: { id: uid } });
  expect(fields).toMatchObject({ lastName: 'Okafor', firstName: 'Ngozi', program: 'B.Sc' });

  const invented = inventPerson(createRandom(7), archive.context.institution, 2026);
  const document = toDocument({ ...invented, imgURL: await smallPicture() });
  await device.call('PUT /api/users/{id}', { params: { id: uid }, body: document });
  expect(await ownCareer({ device, uid })).toMatchObject({
    positions: [{ ...work, confirmedOn: null }],
    city: 'Lagos',
    cityId: lagos,
    country: 'NG',
    isAsked: true,
  });
  expect(await careerOf({ uid })).toBeUndefined();
  expect(await listingsOf({ uid })).toEqual([nothing, nothing]);
});

test('names each bad row with its reason, and imports the others', async () => {
  const member = await archive.createMember();
  const path = write(
    'email,role,employer,field,from,to,city,country',
    'not-an-address,Nurse,Ward 7,,,,,',
    `${member.email},'=Nurse,Booking.com,,,,Nowhere in the list,Nigeria`,
    'one@mail.example,Nurse,Ward 7,,2020,2019,,',
    'two@mail.example,Nurse,Ward 7,cooking,,,,',
    'three@mail.example,Nurse,https://x.example,,,,,',
    'four@mail.example,Nurse,,,,,Lagos,',
    'five@mail.example,Nurse,,,,,Lagos,Atlantis',
    'six@mail.example,Nurse',
    'seven@mail.example,Nurse,,,soon,,,',
    ',Nurse,,,,,,',
    `${member.email},Nurse,,,,,,`,
  );
  const { code, stdout } = await runImport(path);
  expect(code).toBe(1);
  expect(stdout.split('\n').filter((line) => line.startsWith('people.csv'))).toEqual([
    'people.csv, row 2: error: "not-an-address" is not an email address.',
    'people.csv, row 4: error: to: The end cannot be before the start.',
    expect.stringMatching(/^people\.csv, row 5: error: field: Use one of: agriculture, mining, .*international\.$/u),
    'people.csv, row 6: error: employer: Web and email addresses are not allowed here.',
    'people.csv, row 7: error: country: Choose the country of the city.',
    'people.csv, row 8: error: country: Use the English name or the two letters of a country.',
    'people.csv, row 9: error: The row has more or fewer cells than the first row, or a stray quotation mark.',
    'people.csv, row 10: error: from: Use a year with four digits.',
    'people.csv, row 11: error: There is no email address.',
    'people.csv, row 12: error: This email address appears earlier in the files.',
  ]);
  expect(stdout).toContain('Created: 0, updated: 1, unchanged: 0, errors: 10');
  expect(await ownCareer(member)).toMatchObject({
    positions: [{ role: '=Nurse', employer: 'Booking.com' }],
    city: 'Nowhere in the list',
    cityId: null,
    country: 'NG',
  });
});

test('reads the people.csv of an export, and changes nothing', async () => {
  const folder = join(newFolder('archive-people-file-'), 'out');
  expect((await runCommand(createSettings(archive), 'export', folder)).code).toBe(0);
  const { stdout } = await runImport(join(folder, 'people.csv'));
  expect(stdout).toMatch(/Created: 0, updated: 0, unchanged: \d+, errors: 0, warnings: 0/u);
});

test.each([
  ['a file without addresses', 'name,role', /has no column "email"/u],
  ['an open quotation mark', 'email,role\r\na@mail.example,"Nurse', /never closed/u],
])('refuses %s', async (_, text, message) => {
  expect(await runImport(write(text))).toMatchObject({ code: 1, stderr: expect.stringMatching(message) as string });
});

test('refuses a missing file, and --update', async () => {
  expect(await runImport('/no/such/people.csv')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Cannot read') as string,
  });
  expect(await runImport(write('email'), '--update')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('only for a folder') as string,
  });
});
