import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { enterConfirmedMode } from '#server/testing/membership.ts';
import { createStaff } from '#server/testing/staff.ts';
import { queueFirstSnapshot, tracerSnapshotJob } from './jobs.ts';

let archive: TestArchive;
let owner: Member;
beforeEach(async () => {
  archive = await openArchive(inject('databases'));
  Object.assign(archive.context.institution, { tracerReport: true });
  owner = await createStaff(archive, 'owner', {}, { department: 'Botany' });
});
afterEach(() => archive.close());

interface Graduates {
  readonly people: number;
  readonly department?: string;
  readonly college?: string | null;
  readonly program?: string;
  readonly year?: number;
  /** Columns of the entry, the account and the answer, as SQL. */
  readonly entry?: string;
  readonly account?: string;
  readonly answer?: string | null;
}

let graduates = 0;

/** Adds people with an entry, an account and an answer. */
async function add({
  people,
  department = 'Physics',
  college = null,
  program = 'BSc',
  year = 2014,
  ...more
}: Graduates) {
  const { entry = '', account = '', answer = `'working', true, current_date` } = more;
  await archive.pool.query(
    `with numbers as (select $1 || '-' || n as name from generate_series(1, $2::int) n),
     entries as (
       insert into roster_entries (matric_key, matric_number, last_name, first_name, words, first_import, last_import,
         college, department, program, year_graduated)
       select name, name, 'Okafor', 'Ada', '{}', 1, 1, $3, $4, $5, $6 from numbers returning id, matric_key),
     people as (
       insert into accounts (email, password_hash, email_verified, membership_status)
       select name || '@mail.example', '!', true, 'confirmed' from numbers returning id, email)
     insert into roster_links (entry_id, account_id)
     select e.id, a.id from entries e join people a on a.email = e.matric_key || '@mail.example'`,
    [`g${++graduates}`, people, college, department, program, year],
  );
  const isNew = `matric_key like 'g${graduates}-%'`;
  if (entry !== '') await archive.pool.query(`update roster_entries set ${entry} where ${isNew}`);
  const isOwn = `email like 'g${graduates}-%'`;
  if (account !== '') await archive.pool.query(`update accounts set ${account} where ${isOwn}`);
  if (answer !== null)
    await archive.pool.query(
      `insert into tracer_answers (account_id, activity, in_field, answered_on) select id, ${answer} from accounts where ${isOwn}`,
    );
}

async function takeSnapshot(): Promise<void> {
  await archive.pool.query('delete from tracer_snapshots');
  await tracerSnapshotJob.queue(archive.context.db, {});
  await archive.runJobs();
}

const find = ({ device }: Member, query: { college?: string; department?: string } = {}) =>
  device.call('GET /api/staff/tracer', { query });
const download = ({ device }: Member) => device.ask('GET /api/staff/tracer/file');
const physics = { college: 'COSIT', department: 'Physics' };

describe('GET /api/staff/tracer', () => {
  test('counts who is on the roster, reached, and has answered within 24 months', async () => {
    await enterConfirmedMode(archive);
    const working = `'working', true, current_date - interval '23 months'`;
    await add({ people: 6, answer: working });
    await add({ people: 5, answer: `'self-employed', false, current_date` });
    await add({ people: 6, answer: `'studying', null, current_date` });
    await add({ people: 7, answer: `'seeking', null, current_date` });
    await add({ people: 8, answer: `'other', null, current_date` });
    await add({ people: 9, answer: `'working', true, current_date - interval '25 months'` });
    await add({ people: 10, answer: null });
    await add({ people: 11, account: 'disabled_at = now()' });
    await add({ people: 12, account: `membership_status = 'unconfirmed'` });
    await add({ people: 13, account: `mail_failed_to = email, mail_failed_at = now(), mail_fault = 'no-mailbox'` });
    await add({ people: 14, entry: 'gone_since = 1' });
    await add({ people: 15, entry: 'suppressed_at = now()' });
    await add({ people: 16, entry: 'is_deceased = true' });
    await takeSnapshot();
    const today = new Date().toISOString().slice(0, 10);
    const counts = { onRoster: 87, reached: 51, answered: 32, working: 11, inField: 6, study: 6, seeking: 7 };
    const sum = { ...counts, answers: { working: 32, inField: 32, study: 32, seeking: 32 } };
    expect(await find(owner, physics)).toEqual({
      asOf: today,
      countsRoster: true,
      rows: [{ ...physics, program: 'BSc', year: 2014, ...counts }],
      total: sum,
    });
    expect(await find(owner)).toMatchObject({ rows: [{ ...physics, program: null, year: null, ...sum }], total: sum });
  });

  test('hides small numbers before it stores them, and adds only the rows shown', async () => {
    await enterConfirmedMode(archive);
    await add({ people: 9, answer: null, year: 2016 });
    await add({ people: 3, answer: null, year: 2015 });
    await add({ people: 6, answer: null, year: 2014 });
    await takeSnapshot();
    const { rows } = await find(owner, physics);
    expect(rows.map(({ year, onRoster, answered }) => [year, onRoster, answered])).toEqual([
      [2016, 9, null],
      [2015, null, null],
      [2014, 6, null],
    ]);
    expect((await find(owner)).rows).toMatchObject([{ onRoster: 15, answered: null }]);
    const { rows: stored } = await archive.pool.query('select rows::text from tracer_snapshots');
    expect(JSON.stringify(stored)).not.toContain(': 3');
  });

  test('says how many answers are behind the sum of an outcome that other rows hide', async () => {
    await enterConfirmedMode(archive);
    await add({ people: 6, year: 2015 });
    await add({ people: 8, year: 2015, answer: `'working', false, current_date` });
    await add({ people: 5, year: 2015, answer: `'other', null, current_date` });
    // Only 2 of these do not work.
    await add({ people: 20, year: 2014 });
    await add({ people: 2, year: 2014, answer: `'other', null, current_date` });
    await takeSnapshot();
    const answers = { working: 19, inField: 19, study: null, seeking: null };
    const sum = { answered: 41, working: 14, inField: 6, study: null, answers };
    expect(await find(owner)).toMatchObject({ rows: [sum], total: sum });
    expect(await find(owner, physics)).toMatchObject({ total: sum });
  });

  test('counts members if the archive confirms no one', async () => {
    for (let n = 0; n < 5; n++) await archive.createMember({ ...physics, program: 'B.Sc', yearGraduated: 2015 });
    await add({ people: 6 });
    await takeSnapshot();
    const { countsRoster, rows } = await find(owner, physics);
    expect({ countsRoster, rows }).toMatchObject({
      countsRoster: false,
      rows: [{ program: 'B.Sc', year: 2015, onRoster: 5, reached: 5, answered: null }],
    });
  });

  test('has no date and no rows before the first snapshot', async () => {
    expect(await find(owner)).toMatchObject({ asOf: null, countsRoster: false, rows: [] });
    expect((await download(owner)).json()).toMatchObject({ code: 'staff/refused' });
  });

  test('keeps the first snapshot of a month', async () => {
    await enterConfirmedMode(archive);
    await add({ people: 6 });
    await queueFirstSnapshot(archive.context.db);
    await archive.runJobs();
    const before = await find(owner, physics);
    expect(before.rows[0]?.onRoster).toBe(6);
    await add({ people: 6 });
    await queueFirstSnapshot(archive.context.db);
    await archive.runJobs();
    expect(await find(owner, physics)).toEqual(before);
    await archive.pool.query(`update tracer_snapshots set month = '2020-01'`);
    await queueFirstSnapshot(archive.context.db);
    await archive.runJobs();
    expect((await find(owner, physics)).rows[0]?.onRoster).toBe(12);
  });
});

describe('GET /api/staff/tracer/file', () => {
  test('shows the registrar of a college only its rows, as the page does, and is recorded', async () => {
    await enterConfirmedMode(archive);
    await add({ people: 6, answer: null });
    await add({ people: 7, answer: null, department: 'English', college: 'COHUM' });
    await add({ people: 8, answer: null, department: '=HYPERLINK("x")', program: '@SUM(1)' });
    await takeSnapshot();
    const registrar = await createStaff(archive, 'registrar', { college: 'COSIT' });
    expect((await find(registrar)).rows.map(({ department }) => department)).toEqual(['Physics']);
    expect((await find(registrar, { college: 'COHUM', department: 'English' })).rows).toEqual([]);
    const file = await download(registrar);
    const month = new Date().toISOString().slice(0, 7);
    expect(file.headers['content-disposition']).toBe(`attachment; filename="tracer-report-${month}.csv"`);
    expect(file.body.trim().split('\r\n')).toEqual([
      'College,Department,Program,Year graduated,On the roster,Reached,Answered,Working,In the field studied,Further study,Looking for work',
      'COSIT,Physics,BSc,2014,6,6,–,–,–,–,–',
    ]);
    // People who join after the snapshot change nothing.
    await add({ people: 6 });
    expect((await download(registrar)).body).toBe(file.body);
    expect((await download(owner)).body).toContain(`,"'=HYPERLINK(""x"")","'@SUM(1)",2014,8,8,`);
    const { records } = await owner.device.call('GET /api/staff/audit-log', { query: {} });
    expect(records.map(({ action, actorId, subject, details }) => [action, actorId, subject, details])).toEqual([
      ['tracer-downloaded', owner.uid, month, [{ name: 'rows', value: '3' }]],
      ['tracer-downloaded', registrar.uid, month, [{ name: 'rows', value: '1' }]],
      ['tracer-downloaded', registrar.uid, month, [{ name: 'rows', value: '1' }]],
    ]);
  });

  test('is refused to members and moderators', async () => {
    await takeSnapshot();
    for (const { device } of [await archive.createMember(), await createStaff(archive, 'moderator')]) {
      expect((await device.ask('GET /api/staff/tracer/file')).statusCode).toBe(403);
      expect(await device.code('GET /api/staff/tracer', { query: {} })).toBe('permission-denied');
    }
  });
});

test('without tracerReport, no one has the right, no endpoint responds, and the start takes no snapshot', async () => {
  Object.assign(archive.context.institution, { tracerReport: false });
  await queueFirstSnapshot(archive.context.db);
  await archive.runJobs();
  expect((await archive.pool.query('select from tracer_snapshots')).rowCount).toBe(0);
  expect((await owner.device.call('GET /api/staff/me')).rights).not.toContain('tracer');
  expect(await owner.device.code('GET /api/staff/tracer', { query: {} })).toBe('not-found');
  expect((await download(owner)).statusCode).toBe(404);
});
