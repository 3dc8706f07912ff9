import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import type { CareerDocument } from '#contract/careers.ts';
import type { Problem } from '#contract/problem.ts';
import type { ExportColumn } from '#contract/staff/exports.ts';
import type { PeopleFilter } from '#contract/staff/people.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { passAuditTime, refuseAuditRecords } from '#server/testing/audit-records.ts';
import { exhaustQueued } from '#server/testing/jobs.ts';
import { createStaff } from '#server/testing/staff.ts';
import { deleteExportFilesJob } from './jobs.ts';

let archive: TestArchive;
let registrar: Member;
let dean: Member;
let moderator: Member;
let owner: Member;
let ada: Member;
let bola: Member;
const inClass = { department: 'Physics', year: 2013 };
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  [registrar, dean, moderator, owner] = [
    await createStaff(archive, 'registrar'),
    await createStaff(archive, 'registrar', { college: 'COHUM' }),
    await createStaff(archive, 'moderator'),
    await createStaff(archive, 'owner'),
  ];
  const more = { college: 'COSIT', department: 'Physics', yearAdmitted: 2009, yearGraduated: 2013 };
  ada = await archive.createMember({ ...more, firstName: 'Ada', lastName: 'Exportson', interest: '=HYPERLINK("x")' });
  bola = await archive.createMember({ ...more, firstName: 'Bola', lastName: 'Exportson' });
});
afterAll(() => archive.close());
beforeEach(async () => {
  await archive.pool.query(`update people_exports set requested_at = now() - interval '2 days'`);
  for (const { device, password } of [registrar, dean, owner])
    await device.call('POST /api/identity/reauthenticate', { body: { password } });
});

const request = async (
  filter: PeopleFilter,
  columns: ExportColumn[] = ['last-name', 'first-name', 'email', 'interest'],
  { device }: Member = registrar,
) => {
  const made = await device.call('POST /api/staff/exports', { body: { filter, columns } });
  await archive.runJobs();
  return made;
};
const list = async ({ device }: Member = registrar) => (await device.call('GET /api/staff/exports')).exports;
const download = (id: string, { device }: Pick<Member, 'device'> = registrar) =>
  device.fetch('GET', `/api/staff/exports/${id}/file`);
const linesOf = async (id: string) => (await download(id)).body.replace('\uFEFF', '').trimEnd().split('\r\n');
const files = () => readdir(join(archive.context.config.dataDir, 'exports'));

async function addCrowd(people: number): Promise<void> {
  await removeCrowd();
  await archive.pool.query(
    `with added as (
       insert into accounts (email, password_hash, email_verified)
       select 'crowd' || n || '@crowd.example', '!', true from generate_series(1, $1::int) n returning id)
     insert into listings (audience, account_id, sort_name, given_sort_name, name, search)
     select 'members', id, 'crowd', 'crowd', 'Crowd', '' from added`,
    [people],
  );
}
const removeCrowd = () => archive.pool.query(`delete from accounts where email like '%@crowd.example'`);

test('contains what members see of each person, and names its export', async () => {
  await bola.device.call('PUT /api/users/{id}/privacy', {
    params: { id: bola.uid },
    body: { visibility: { email: 'me' }, version: 'any' },
  });
  const hidden = await archive.createMember({
    college: 'COSIT',
    department: 'Physics',
    yearAdmitted: 2009,
    yearGraduated: 2013,
    lastName: 'Unseenson',
  });
  await hidden.device.call('PUT /api/users/{id}/privacy', {
    params: { id: hidden.uid },
    body: { isHidden: true, version: 'any' },
  });
  const { id, people } = await request(inClass);
  expect(people).toBe(2);
  expect((await list())[0]).toMatchObject({ id, state: 'ready', people: 2, failure: '' });
  const response = await download(id);
  expect(response.headers['content-type']).toBe('text/csv; charset=utf-8');
  const [headings, ...rows] = await linesOf(id);
  expect(rows.splice(-2)).toEqual(['', expect.stringContaining(`Export ${id} of the alumni archive of`)]);
  expect(headings).toBe('First name,Last name,Email,Interest');
  expect(rows.toSorted()).toEqual([
    `Ada,Exportson,${ada.email},"'=HYPERLINK(""x"")"`,
    expect.stringMatching(/^Bola,Exportson,,/u),
  ]);
  expect((await list(dean)).map((one) => one.id)).not.toContain(id);
});

test('contains work, place and help offers as members see them', async () => {
  const year = 2014;
  const more = { college: 'COSIT', department: 'Physics', yearAdmitted: 2010, yearGraduated: year };
  const position = { role: 'Engineer', employer: 'GTBank', field: 'finance' as const, from: 2015, to: null };
  const save = async (firstName: string, visibility: CareerDocument['visibility'], takesMessages = true) => {
    const { device, uid } = await archive.createMember({ ...more, firstName });
    await device.call('PUT /api/contact/choices', { body: { takesMessages } });
    await device.call('PUT /api/users/{id}/career', {
      params: { id: uid },
      body: {
        positions: [{ ...position, role: 'Trainee', to: 2016 }, position],
        city: 'Lagos',
        cityId: null,
        country: 'NG',
        helps: ['advice', 'talk'],
        visibility,
        version: 'any',
      },
    });
    return uid;
  };
  await save('Open', {});
  await save('Workless', { positions: 'me' });
  await save('Homeless', { country: 'me' }, false);
  const imported = await save('Unconfirmed', {});
  await archive.pool.query(
    `update profiles set is_place_confirmed = false, positions = jsonb_set(positions, '{0,confirmedOn}', 'null') where account_id = $1`,
    [imported],
  );
  const columns = ['first-name', 'role', 'employer', 'work-field', 'city', 'country', 'helps'] as const;
  const { id } = await request({ department: 'Physics', year }, [...columns]);
  const [headings, ...rows] = (await linesOf(id)).slice(0, -2);
  expect(headings).toBe('First name,Role,Employer,Field of work,City,Country,Willing to help with');
  expect(rows.toSorted()).toEqual([
    'Homeless,Engineer,GTBank,Finance and insurance,,,',
    'Open,Engineer,GTBank,Finance and insurance,Lagos,Nigeria,"Advice, Talks"',
    'Unconfirmed,,,,,,"Advice, Talks"',
    'Workless,,,,Lagos,Nigeria,"Advice, Talks"',
  ]);
});

test('is refused for a text that the database cannot store', async () => {
  for (const filter of [{ q: '\0' }, { q: 'Ada \uD800' }, { college: '\uD800' }])
    expect(await registrar.device.code('POST /api/staff/exports', { body: { filter, columns: ['email'] } })).toBe(
      'validation-failed',
    );
});

test('has an order of rows that depends on the id of the export', async () => {
  const { id } = await request(inClass, ['email', 'first-name']);
  const { rows } = await archive.pool.query<{ name: string }>(
    `select split_part(display_name, ' ', 2) as name from accounts a where id = any($2::uuid[])
     order by sha256(convert_to($1 || a.id::text, 'utf8'))`,
    [id, [ada.uid, bola.uid]],
  );
  expect((await linesOf(id)).slice(1, -2).map((line) => line.split(',')[0])).toEqual(rows.map(({ name }) => name));
});

test('contains only people in the scope of the requester', async () => {
  const { id, people } = await request(inClass, ['email'], dean);
  expect(people).toBe(0);
  expect((await download(id, dean)).statusCode).toBe(200);
  expect(
    (
      await moderator.device.ask('POST /api/staff/exports', { body: { filter: {}, columns: ['email'] } })
    ).json<Problem>().code,
  ).toBe('permission-denied');
});

test('is downloaded by the requester only, with a recent password, for 24 hours', async () => {
  const { id } = await request(inClass);
  for (const other of [owner, dean]) expect((await download(id, other)).statusCode).toBe(404);
  expect((await download(id, { device: archive.openDevice() })).statusCode).toBe(401);
  await archive.advanceTime('6 minutes');
  expect((await download(id)).json<Problem>().code).toBe('auth/requires-recent-login');
  expect(await registrar.device.code('POST /api/staff/exports', { body: { filter: {}, columns: ['email'] } })).toBe(
    'auth/requires-recent-login',
  );
  await archive.advanceTime('24 hours');
  for (const { device, password } of [registrar])
    await device.call('POST /api/identity/reauthenticate', { body: { password } });
  expect((await download(id)).statusCode).toBe(404);
  expect(await files()).toContain(`${id}.csv`);
  await deleteExportFilesJob.queue(archive.context.db, {});
  await archive.runJobs();
  expect(await files()).toEqual([]);
  expect((await list()).find((one) => one.id === id)?.state).toBe('expired');
});

test('is recorded once, and each person in it reads how often they were in one', async () => {
  const before = (await ada.device.call('GET /api/users/{id}/disclosures', { params: { id: ada.uid } })).exports.count;
  const { id } = await request({ q: 'ada exportson' });
  const { rows } = await archive.pool.query(`select actor, action, details from audit_records where subject = $1`, [
    id,
  ]);
  expect(rows).toEqual([{ actor: registrar.uid, action: 'people-exported', details: { people: 1 } }]);
  const { exports } = await ada.device.call('GET /api/users/{id}/disclosures', { params: { id: ada.uid } });
  expect(exports).toEqual({ count: before + 1, lastAt: expect.stringMatching(/^\d{4}-/u) as string });
  // The text of a filter can be a name.
  const stored = await archive.pool.query<{ filter: object }>('select filter from people_exports where id = $1', [id]);
  expect(stored.rows).toEqual([{ filter: {} }]);
});

test('is recorded when it is downloaded, once in 15 minutes, and not downloaded without the record', async () => {
  const { id } = await request(inClass);
  const reads = async () =>
    (
      await archive.pool.query<{ actor: string; details: object }>(
        `select actor, details from audit_records where subject = $1 and action = 'export-downloaded'`,
        [id],
      )
    ).rows;
  await refuseAuditRecords(archive, true);
  const refused = await download(id);
  await refuseAuditRecords(archive, false);
  expect(refused.statusCode).toBe(500);
  expect(refused.body).not.toContain('Exportson');
  expect(await reads()).toEqual([]);
  for (let time = 0; time < 2; time++) expect((await download(id)).statusCode).toBe(200);
  expect((await download(id, dean)).statusCode).toBe(404);
  expect(await reads()).toEqual([{ actor: registrar.uid, details: {} }]);
  await passAuditTime(archive, '16 minutes');
  await download(id);
  expect(await reads()).toHaveLength(2);
});

test('of more than 100 people waits for an approval, even if they are in several exports', async () => {
  await addCrowd(60);
  const state = 'no-profile' as const;
  expect(await registrar.device.call('GET /api/staff/exports/count', { query: { state } })).toEqual({
    people: 60,
    needsApproval: false,
  });
  // Its file is made later: until then, the people of the request count.
  const body = { filter: { state }, columns: ['email' as const] };
  expect((await registrar.device.call('POST /api/staff/exports', { body })).state).toBe('making');
  expect((await registrar.device.call('GET /api/staff/exports/count', { query: { state } })).needsApproval).toBe(true);
  const { id } = await request({ state });
  expect((await list())[0]).toMatchObject({ id, state: 'waiting' });
  expect((await download(id)).statusCode).toBe(404);
  const [approval] = (await owner.device.call('GET /api/staff/approvals')).approvals;
  expect(approval).toMatchObject({
    kind: 'people-export',
    people: 60,
    about: 'no-profile, with First name, Last name, Email, Interest',
  });
  await owner.device.call('POST /api/identity/reauthenticate', { body: { password: owner.password } });
  await owner.device.call('POST /api/staff/approvals/{id}/approve', { params: { id: approval?.id ?? '' } });
  await archive.runJobs();
  expect((await list())[0]).toMatchObject({ id, state: 'ready' });
  await archive.inbox.next(registrar.email, 'Your export is ready');
  await removeCrowd();
});

test('is mailed to the requester when it is ready or could not be created, without any data', async () => {
  const requester = await createStaff(archive, 'registrar');
  await request({ q: 'ada exportson' }, ['email', 'first-name'], requester);
  const { text } = await archive.inbox.next(requester.email, 'Your export is ready');
  expect(text).toContain('/staff/people/exports');
  expect(text).not.toMatch(/ada|exportson/iu);
  await requester.device.call('POST /api/staff/exports', { body: { filter: inClass, columns: ['email'] } });
  await archive.pool.query('delete from staff_roles where account_id = $1', [requester.uid]);
  await archive.runJobs();
  await archive.inbox.next(requester.email, 'Your export could not be created');
});

test('that waits without a second owner does not show its search text to all staff who can cancel it', async () => {
  const representative = await createStaff(archive, 'class-representative', {
    department: 'History',
    yearFrom: 2001,
    yearTo: 2001,
  });
  await addCrowd(101);
  const { id } = await request({ state: 'no-profile' }, undefined, owner);
  const seenBy = async ({ device }: Member) => (await device.call('GET /api/staff/approvals')).approvals[0];
  expect(await seenBy(owner)).toMatchObject({ about: expect.stringContaining('no-profile') as string });
  const seen = await seenBy(representative);
  expect(seen).toMatchObject({ people: 101, state: 'waiting', about: '' });
  await representative.device.call('POST /api/staff/approvals/{id}/cancel', { params: { id: seen?.id ?? '' } });
  expect((await list(owner))[0]).toMatchObject({ id, state: 'refused' });
  await removeCrowd();
});

test('that was not approved shows this as its failure, and its filter is deleted', async () => {
  await addCrowd(101);
  const { id } = await request({ state: 'no-profile' });
  const { approvals } = await owner.device.call('GET /api/staff/approvals');
  const waiting = approvals.find(({ state }) => state === 'waiting');
  await owner.device.call('POST /api/staff/approvals/{id}/refuse', { params: { id: waiting?.id ?? '' } });
  expect((await list())[0]).toMatchObject({ id, state: 'refused' });
  await archive.runJobs();
  const mail = await archive.inbox.next(registrar.email, 'Your request was refused');
  expect(mail.text).toContain('your request to export the data of 101 people');
  await deleteExportFilesJob.queue(archive.context.db, {});
  await archive.runJobs();
  expect((await archive.pool.query('select filter from people_exports where id = $1', [id])).rows).toEqual([
    { filter: {} },
  ]);
  await removeCrowd();
});

test('fails if the requester loses the role, or many more people match than at the request', async () => {
  const lost = await createStaff(archive, 'registrar');
  const body = { filter: inClass, columns: ['email' as const] };
  await lost.device.call('POST /api/staff/exports', { body });
  await archive.pool.query('delete from staff_roles where account_id = $1', [lost.uid]);
  await registrar.device.call('POST /api/staff/exports', { body: { ...body, filter: { state: 'no-profile' } } });
  await addCrowd(101);
  await archive.runJobs();
  const { rows } = await archive.pool.query<{ failure: string }>(
    `select failure from people_exports where account_id = $1`,
    [lost.uid],
  );
  expect(rows).toEqual([{ failure: 'You no longer have the right to export people.' }]);
  expect((await list())[0]).toMatchObject({
    state: 'failed',
    failure: expect.stringContaining('Request it again') as string,
  });
  await removeCrowd();
});

test('shows a failure when its file could not be created', async () => {
  const body = { filter: inClass, columns: ['email' as const] };
  const { id } = await registrar.device.call('POST /api/staff/exports', { body });
  await exhaustQueued(archive.context.db);
  await archive.pool.query(`alter table export_counts rename to no_export_counts`);
  await archive.runJobs();
  await archive.pool.query(`alter table no_export_counts rename to export_counts`);
  await deleteExportFilesJob.queue(archive.context.db, {});
  await archive.runJobs();
  expect((await list()).find((one) => one.id === id)).toMatchObject({
    state: 'failed',
    failure: 'The file could not be created. Request the export again.',
  });
  expect(await files()).not.toContain(`${id}.csv`);
});
