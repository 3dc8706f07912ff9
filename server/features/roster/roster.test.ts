import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, ReadStream, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, inject, test, vi } from 'vitest';
import type { Problem } from '#contract/problem.ts';
import { type Endpoints, endpoints } from '#contract/endpoints.ts';
import type { RosterImport } from '#contract/roster.ts';
import { urlOf } from '../../db/url.ts';
import { type Member, type TestArchive, openArchive } from '../../testing/archive.ts';
import { addSecondFactor, createStaff, makeStaff } from '../../testing/staff.ts';
import { deleteRosterFilesJob } from './jobs.ts';

let archive: TestArchive;
let staff: Member;
let owner: Member;

beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  staff = await createStaff(archive, 'registrar');
  owner = await createStaff(archive, 'owner');
});
afterAll(() => archive.close());

// Only one import can be open at a time, and an applied one is the basis of the next, so each test starts without any.
beforeEach(async () => {
  await archive.pool.query('delete from roster_imports; delete from roster_mappings; delete from roster_entries');
  rmSync(rosterDir(), { recursive: true, force: true });
  await archive.pool.query('update sessions set authenticated_at = now()');
});

const csv = (...rows: string[]) =>
  ['Matric No,Surname,First Name,Date of Birth,Department,Email', ...rows, ''].join('\n');
const ada = 'CSC/15/0001,Okafor,Ada,1995-03-14,Computer Science,ada@mail.example';
const ben = 'CSC/15/0002,Bello,Ben,1994-12-01,Computer Science,ben@mail.example';

const uploadTo = (device: Member['device'], content: string | Readable, type = 'application/octet-stream') =>
  device.fetch(
    'POST',
    '/api/staff/roster/imports?name=list.csv',
    typeof content === 'string' ? Buffer.from(content) : content,
    { 'content-type': type },
  );

async function upload(content: string): Promise<string> {
  const answer = await uploadTo(staff.device, content);
  if (answer.statusCode !== 200) throw new Error(answer.body);
  await archive.runJobs();
  return String(answer.json<RosterImport>().id);
}

/** Returns the details of an audit record as the API lists them, by name. */
const listOf = (details: Readonly<Record<string, number>>) =>
  Object.entries(details).map(([name, value]) => ({ name, value: String(value) }));

const find = (id: string) => staff.device.call('GET /api/staff/roster/imports/{id}', { params: { id } });

async function run(id: string, step: 'check' | 'cancel') {
  await staff.device.call(`POST /api/staff/roster/imports/{id}/${step}`, { params: { id } });
  await archive.runJobs();
  return find(id);
}

/** Approves the request for an import as another owner. */
async function approve(id: string) {
  const params = { id: (await find(id)).approval?.id ?? '' };
  await owner.device.call('POST /api/staff/approvals/{id}/approve', { params });
  await archive.runJobs();
  return find(id);
}

async function findApproval(id: string) {
  const { approvals } = await owner.device.call('GET /api/staff/approvals');
  return approvals.find((one) => one.id === id);
}

async function undo(id: string) {
  await staff.device.call('POST /api/staff/roster/imports/{id}/undo', { params: { id } });
  return approve(id);
}

/** The acts on imports in the audit log, with what they changed. */
const findRecords = async (id: string) =>
  (await owner.device.call('GET /api/staff/audit-log', { query: { subject: id } })).records.map(
    ({ action, actor, details }) => ({ action, actor, details }),
  );

async function apply(id: string, ...confirmed: string[]) {
  const { checkedAt } = await find(id);
  const body = { checkedAt: checkedAt ?? '', confirmed };
  await staff.device.call('POST /api/staff/roster/imports/{id}/apply', { params: { id }, body });
  await archive.runJobs();
  return find(id);
}

const rosterDir = () => join(archive.context.config.dataDir, 'roster');
const storedFiles = () => (existsSync(rosterDir()) ? readdirSync(rosterDir()) : []);

test('staff upload, check, apply and undo an import, and the file is deleted', async () => {
  const id = await upload(csv(ada, ben, ',Nameless,=Cmd,,,'));
  expect(await find(id)).toMatchObject({
    state: 'uploaded',
    step: null,
    failure: '',
    file: { kind: 'csv', rowCount: 3, columns: [{ key: 'Matric No', field: 'matricNumber' }, {}, {}, {}, {}, {}] },
  });
  expect(storedFiles()).toEqual([`${id}.upload`]);
  expect((await uploadTo(staff.device, csv(ada))).json<Problem>()).toMatchObject({ code: 'roster/refused' });
  expect(
    await staff.device.code('POST /api/staff/roster/imports/{id}/apply', {
      params: { id },
      body: { checkedAt: new Date().toISOString(), confirmed: [] },
    }),
  ).toBe('roster/refused');
  expect(await run(id, 'check')).toMatchObject({
    state: 'checked',
    counts: { new: 2, changed: 0, unchanged: 0, missing: 0, unreadable: 1, duplicates: 0, suppressed: 0 },
  });
  const errors = await staff.device.ask('GET /api/staff/roster/imports/{id}/errors', { params: { id } });
  expect(errors.headers['content-type']).toContain('text/csv');
  expect(errors.body).toMatch(/^"Row","Column","Value","Reason"\r\n"4",/u);
  expect(await apply(id)).toMatchObject({ state: 'applied', step: null, file: null, counts: { new: 2 } });
  expect(storedFiles()).toEqual([]);
  expect(await undo(id)).toMatchObject({ state: 'undone', undoCounts: { takenBack: 2, kept: 0, failed: 0 } });
  expect((await archive.pool.query('select from roster_entries')).rowCount).toBe(0);
  const { imports } = await staff.device.call('GET /api/staff/roster/imports');
  expect(imports.map(({ state }) => state)).toEqual(['undone']);
});

test('an import is not applied after the role of who applies it was limited', async () => {
  const id = await upload(csv(ada, ben));
  const { checkedAt } = await run(id, 'check');
  const body = { checkedAt: checkedAt ?? '', confirmed: [] };
  await staff.device.call('POST /api/staff/roster/imports/{id}/apply', { params: { id }, body });
  const limitTo = (college: string | null) =>
    archive.pool.query('update staff_roles set college = $1 where account_id = $2', [college, staff.uid]);
  await limitTo('COSIT');
  await archive.runJobs();
  await limitTo(null);
  expect(await find(id)).toMatchObject({
    state: 'checked',
    failure: 'Who started this step may no longer import the roster.',
  });
});

test('an import that changes or misses many entries, and every undo, waits for a second person, and is recorded once', async () => {
  const first = await upload(csv(ada, ben));
  await run(first, 'check');
  expect(await apply(first)).toMatchObject({ state: 'applied', canUndo: true, approval: null });
  const id = await upload(csv(ada.replace('Ada', 'Adaeze')));
  const checked = await run(id, 'check');
  expect(checked).toMatchObject({ needsApproval: true, counts: { changed: 1, missing: 1 } });
  const body = { checkedAt: checked.checkedAt ?? '', confirmed: ['many-changed', 'many-missing'] };
  const request = () => staff.device.ask('POST /api/staff/roster/imports/{id}/apply', { params: { id }, body });
  expect((await request()).json()).toEqual({ result: 'requested' });
  expect((await request()).json<Problem>().detail).toBe('This import already waits for an approval.');
  await archive.runJobs();
  expect(await find(id)).toMatchObject({
    state: 'checked',
    step: null,
    approval: { step: 'apply', requestedBy: staff.email },
  });
  const { approvals } = await owner.device.call('GET /api/staff/approvals');
  expect(approvals[0]).toMatchObject({ kind: 'roster-apply', people: 2, about: `import ${id}, list.csv` });
  expect(await approve(id)).toMatchObject({ state: 'applied', approval: null, canUndo: true });
  await staff.device.call('POST /api/staff/roster/imports/{id}/undo', { params: { id } });
  await archive.runJobs();
  expect(await find(id)).toMatchObject({ state: 'applied', approval: { step: 'undo' } });
  expect(await approve(id)).toMatchObject({ state: 'undone', canUndo: false, approval: null });
  expect(await findRecords(id)).toEqual([
    { action: 'roster-undone', actor: staff.email, details: listOf({ failed: 0, kept: 0, takenBack: 2 }) },
    { action: 'roster-applied', actor: staff.email, details: listOf({ changed: 1, missing: 1, new: 0 }) },
  ]);
});

test('an approved import is refused if it was checked again or cancelled since the request', async () => {
  const first = await upload(csv(ada, ben));
  await run(first, 'check');
  await apply(first);
  const id = await upload(csv(ada));
  const request = async () => {
    const { checkedAt } = await run(id, 'check');
    const body = { checkedAt: checkedAt ?? '', confirmed: ['many-missing'] };
    await staff.device.call('POST /api/staff/roster/imports/{id}/apply', { params: { id }, body });
    return (await find(id)).approval?.id ?? '';
  };
  const approveById = async (approvalId: string) => {
    await owner.device.call('POST /api/staff/approvals/{id}/approve', { params: { id: approvalId } });
    await archive.runJobs();
    return findApproval(approvalId);
  };
  const earlier = await request();
  const later = await request();
  expect(later).not.toBe(earlier);
  expect(await approveById(earlier)).toMatchObject({
    state: 'failed',
    failure: 'The import was checked again. Look at the new result, and confirm its warnings.',
  });
  await owner.device.call('POST /api/staff/approvals/{id}/approve', { params: { id: later } });
  await run(id, 'cancel');
  expect(await findApproval(later)).toMatchObject({ state: 'failed', failure: 'The import was cancelled.' });
  expect(await findRecords(id)).toEqual([]);
});

test('cancelling an import withdraws its request for an approval, and this is recorded once', async () => {
  const first = await upload(csv(ada, ben));
  await run(first, 'check');
  await apply(first);
  const request = async () => {
    const id = await upload(csv(ada));
    await run(id, 'check');
    const { approval } = await apply(id, 'many-missing');
    return { id, approvalId: approval?.id ?? '' };
  };
  const one = await request();
  await run(one.id, 'cancel');
  expect(await findApproval(one.approvalId)).toMatchObject({ state: 'cancelled', decidedBy: staff.email });
  expect(await findRecords(one.approvalId)).toEqual([
    { action: 'approval-cancelled', actor: staff.email, details: [] },
    expect.objectContaining({ action: 'approval-requested' }),
  ]);
  const old = await request();
  await archive.pool.query(`update roster_imports set created_at = created_at - interval '8 days'`);
  await deleteRosterFilesJob.queue(archive.context.db, {});
  await archive.runJobs();
  expect(await findApproval(old.approvalId)).toMatchObject({ state: 'cancelled', decidedBy: null });
});

test('small imports by one person in 24 hours together wait for a second person like one large import', async () => {
  const people = Array.from({ length: 200 }, (_, at) => `CSC/15/${1000 + at},Okafor,Ada,,Computer Science,`);
  const importRenamed = async (count: number) => {
    const renamed = people.map((row, at) => (at < count ? row.replace('Ada', 'Adaeze') : row));
    const id = await upload(csv(...renamed));
    await run(id, 'check');
    return apply(id);
  };
  await importRenamed(0);
  expect(await importRenamed(6)).toMatchObject({ state: 'applied', counts: { changed: 6 } });
  const next = await importRenamed(12);
  expect(next).toMatchObject({ state: 'checked', warnings: [], counts: { changed: 6 }, needsApproval: true });
  expect(next.approval).toMatchObject({ step: 'apply', requestedBy: staff.email });
  const params = { id: String(next.id) };
  const { device } = await createStaff(archive, 'registrar');
  expect(await device.call('GET /api/staff/roster/imports/{id}', { params })).toMatchObject({ needsApproval: false });
  expect(await approve(params.id)).toMatchObject({ state: 'applied' });
  // The import that a second person has approved does not count.
  expect(await importRenamed(14)).toMatchObject({ state: 'applied', counts: { changed: 2 } });
  expect(await importRenamed(17)).toMatchObject({ state: 'checked', counts: { changed: 3 }, needsApproval: true });
  await archive.pool.query(`update roster_imports set applied_at = applied_at - interval '24 hours'`);
  const { imports } = await staff.device.call('GET /api/staff/roster/imports');
  expect(imports[0]).toMatchObject({ counts: { changed: 3 }, needsApproval: false });
});

test('settings can be saved together with a check, and the answer has them', async () => {
  const id = await upload(csv(ada, ben.replace('Computer Science', 'CÓMP Sc.')));
  expect(await find(id)).toMatchObject({ file: { unknownDepartments: [{ name: 'CÓMP Sc.', rows: 1 }] } });
  await staff.device.call('PUT /api/staff/roster/imports/{id}/settings', {
    params: { id },
    body: {
      encoding: 'utf-8',
      departments: { 'CÓMP Sc.': 'Computer Science' },
      erase: ['phone'],
      isPartial: true,
      thenCheck: true,
    },
  });
  expect(await find(id)).toMatchObject({ step: 'check' });
  await archive.runJobs();
  expect(await find(id)).toMatchObject({
    state: 'checked',
    step: null,
    erase: ['phone'],
    isPartial: true,
    file: { encoding: 'utf-8', delimiter: ',', headerLine: 1, unknownDepartments: [] },
    counts: { new: 2 },
  });
});

test('settings with a text that the database cannot store are refused', async () => {
  const id = await upload(csv(ada));
  for (const settings of [{ sheet: '\0' }, { mapping: { 'Surname\uD800': null } }, { departments: { CS: '\uD800' } }])
    expect(
      await staff.device.code('PUT /api/staff/roster/imports/{id}/settings', { params: { id }, body: settings }),
    ).toBe('validation-failed');
  await run(id, 'cancel');
});

test('an import is applied only with all warnings confirmed, and its settings can be changed', async () => {
  const id = await upload(csv(ada, ben, ben));
  const { warnings, checkedAt } = await run(id, 'check');
  expect(warnings).toMatchObject([{ kind: 'duplicates', count: 2 }]);
  const body = { checkedAt: checkedAt ?? '', confirmed: ['many-changed'] };
  expect(
    await staff.device.problem('POST /api/staff/roster/imports/{id}/apply', { params: { id }, body }),
  ).toMatchObject({
    code: 'roster/refused',
    detail: 'Confirm these warnings first: duplicates.',
  });
  const eraseNames = await staff.device.fetch('PUT', `/api/staff/roster/imports/${id}/settings`, {
    erase: ['lastName'],
  });
  expect(eraseNames.statusCode).toBe(422);
  await staff.device.call('PUT /api/staff/roster/imports/{id}/settings', {
    params: { id },
    body: { mapping: { 'Matric No': 'matricNumber', Surname: 'lastName', Email: null }, isPartial: true },
  });
  await archive.runJobs();
  expect(await find(id)).toMatchObject({
    state: 'uploaded',
    counts: null,
    file: { columns: [{}, {}, {}, {}, {}, { field: null }] },
  });
  await run(id, 'check');
  expect(await apply(id, 'duplicates')).toMatchObject({ state: 'applied', counts: { new: 1 } });
  const { rows } = await archive.pool.query('select last_name, email from roster_entries');
  expect(rows).toEqual([{ last_name: 'Okafor', email: null }]);
  await undo(id);
});

test('an import is applied only if the confirmed check is the last one', async () => {
  const id = await upload(csv(ada, ben, ben));
  const first = await run(id, 'check');
  const second = await run(id, 'check');
  const applyCheck = ({ checkedAt }: RosterImport) => ({
    params: { id },
    body: { checkedAt: checkedAt ?? '', confirmed: ['duplicates'] },
  });
  const refusal = 'The import was checked again. Look at the new result, and confirm its warnings.';
  expect(await staff.device.problem('POST /api/staff/roster/imports/{id}/apply', applyCheck(first))).toMatchObject({
    code: 'roster/refused',
    detail: refusal,
  });
  // A check that was queued earlier runs between the request and its job.
  await staff.device.call('POST /api/staff/roster/imports/{id}/check', { params: { id } });
  await staff.device.call('POST /api/staff/roster/imports/{id}/apply', applyCheck(second));
  await archive.runJobs();
  expect(await find(id)).toMatchObject({ state: 'checked', failure: refusal });
  expect((await archive.pool.query('select from roster_entries')).rowCount).toBe(0);
  expect(await apply(id, 'duplicates')).toMatchObject({ state: 'applied', failure: '' });
  await undo(id);
});

test('a second import with the same headers reads its file as often as the first', async () => {
  const read = vi.spyOn(ReadStream.prototype, '_read');
  const countReads = async () => {
    read.mockClear();
    const id = await upload('Matric No,Surname,Seen only here\nCSC/15/0001,Okafor,x\n');
    const reads = read.mock.calls.length;
    await run(id, 'check');
    await apply(id);
    return reads;
  };
  const first = await countReads();
  expect(first).toBeGreaterThan(0);
  expect(await countReads()).toBe(first);
  read.mockRestore();
});

test('a large file is read in a worker thread, with the same result', async () => {
  const people = Array.from({ length: 3_000 }, (_, at) => `CSC/15/${at},Okafor,Ada,,Computer Science,`);
  const id = await upload(csv(...people, ',Nameless,Ben,,,'));
  expect(await find(id)).toMatchObject({ failure: '', file: { rowCount: 3_001 } });
  expect(await run(id, 'check')).toMatchObject({ failure: '', counts: { new: 3_000, unreadable: 1 } });
  await run(id, 'cancel');
  const bad = await upload(`Matric No,Surname\n"${'x'.repeat(100_000)}`);
  expect((await find(bad)).failure).toMatch(/^The quotation mark that opens in row 2 is never closed\./u);
});

test('an apply that is killed leaves the roster as before, and the import can be applied again', async () => {
  await apply(await upload(csv(ada, ben)).then(async (id) => (await run(id, 'check'), id)));
  const readEntries = async () =>
    (
      await archive.pool.query(
        'select last_name, gone_since is null as current from roster_entries order by matric_key',
      )
    ).rows;
  const before = await readEntries();
  const id = await upload(csv(ada.replace('Okafor', 'Changed'), 'CSC/15/0003,Eze,Chi,,,'));
  const { warnings } = await run(id, 'check');
  const client = await archive.pool.connect();
  try {
    // The new entry waits for this one, after the others have been changed and marked as missing.
    await client.query(`begin; insert into roster_entries
      (matric_key, matric_number, last_name, first_name, words, first_import, last_import)
      values ('CSC150003', '', '', '', '{}', 0, 0)`);
    const script = join(import.meta.dirname, '../../testing/apply-import.ts');
    const child = spawn(process.execPath, [script, urlOf(archive.pool.options), id]);
    const exited = once(child, 'exit');
    const findBackends = async () =>
      (
        await archive.pool.query<{ wait: string | null }>(
          `select wait_event_type as wait from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid() and query like '%insert into roster_entries%select%'`,
        )
      ).rows.map(({ wait }) => wait);
    await expect.poll(findBackends).toEqual(['Lock']);
    child.kill('SIGKILL');
    expect(await exited).toEqual([null, 'SIGKILL']);
    await client.query('rollback');
    await expect.poll(findBackends).toEqual([]);
  } finally {
    client.release(true);
  }
  expect(await readEntries()).toEqual(before);
  expect(await find(id)).toMatchObject({ state: 'checked' });
  await apply(id, ...warnings.map(({ kind }) => kind));
  expect(await approve(id)).toMatchObject({
    state: 'applied',
    counts: { new: 1, changed: 1, missing: 1 },
  });
  expect(await readEntries()).toEqual([
    { last_name: 'Changed', current: true },
    { last_name: 'Bello', current: false },
    { last_name: 'Eze', current: true },
  ]);
});

test('a file that cannot be read fails with an error message, and cancelling deletes it', async () => {
  const id = await upload('\u0000\u0001\u0002 nonsense');
  expect((await find(id)).failure).toMatch(/^[A-Z].*\.$/u);
  expect(await run(id, 'cancel')).toMatchObject({ state: 'cancelled' });
  expect(storedFiles()).toEqual([]);
});

test('an open import is cancelled and its file deleted after seven days', async () => {
  const id = await upload(csv(ada));
  await run(id, 'check');
  await deleteRosterFilesJob.queue(archive.context.db, {});
  await archive.runJobs();
  expect(storedFiles()).toEqual([`${id}.upload`]);
  await archive.pool.query(
    `update roster_imports set created_at = created_at - interval '8 days', checked_at = checked_at - interval '8 days'`,
  );
  await deleteRosterFilesJob.queue(archive.context.db, {});
  await archive.runJobs();
  expect(storedFiles()).toEqual([]);
  expect(await find(id)).toMatchObject({ state: 'cancelled', file: null });
  expect((await archive.pool.query('select from roster_staging')).rowCount).toBe(0);
});

test('only staff with the role, a second factor and a recent password have access to the roster', async () => {
  const id = await upload(csv(ada));
  const guest = archive.openDevice();
  const [member, moderator, ended, plain] = [
    await archive.createMember(),
    await archive.createMember(),
    await archive.createMember(),
    await archive.createMember(),
  ];
  await addSecondFactor(archive, member);
  await makeStaff(archive, moderator, 'moderator');
  await makeStaff(archive, ended, 'registrar');
  await archive.pool.query(`update staff_roles set ends_at = now() where account_id = $1`, [ended.uid]);
  await archive.pool.query(`insert into staff_roles (account_id, role) values ($1, 'owner')`, [plain.uid]);
  const old = await createStaff(archive, 'registrar');
  await archive.pool.query(`update sessions set authenticated_at = now() - interval '13 hours' where account_id = $1`, [
    old.uid,
  ]);
  const callers = [
    [guest, 'auth/unauthenticated'],
    [member.device, 'permission-denied'],
    [moderator.device, 'permission-denied'],
    [ended.device, 'permission-denied'],
    [plain.device, 'permission-denied'],
    [old.device, 'auth/requires-recent-login'],
  ] as const;
  const bodies: Partial<Record<string, unknown>> = {
    'PUT /api/staff/roster/imports/{id}/settings': {},
    'POST /api/staff/roster/codes': {},
    'POST /api/staff/roster/imports/{id}/apply': { checkedAt: new Date().toISOString(), confirmed: [] },
  };
  const names = (Object.keys(endpoints) as (keyof Endpoints)[]).filter((name) => name.includes(' /api/staff/roster/'));
  expect(names).toHaveLength(11);
  for (const [device, code] of callers)
    for (const name of names) {
      const [method = '', path = ''] = name.split(' ');
      const answer =
        name === 'POST /api/staff/roster/imports'
          ? await uploadTo(device, csv(ben))
          : await device.fetch(method, path.replace('{id}', id), bodies[name]);
      expect([name, answer.json<Problem>().code]).toEqual([name, code]);
    }
  await archive.pool.query(`update sessions set authenticated_at = now() - interval '1 hour' where account_id = $1`, [
    staff.uid,
  ]);
  await run(id, 'check');
  const body = { checkedAt: new Date().toISOString(), confirmed: [] };
  expect(await staff.device.code('POST /api/staff/roster/imports/{id}/apply', { params: { id }, body })).toBe(
    'auth/requires-recent-login',
  );
  expect(await staff.device.code('POST /api/staff/roster/imports/{id}/undo', { params: { id } })).toBe(
    'auth/requires-recent-login',
  );
});

test.each([
  ['the role', 'delete from staff_roles where account_id = $1', 'permission-denied'],
  ['the second factor', 'delete from authenticators where account_id = $1', 'permission-denied'],
  [
    'the time after the password was entered',
    `update sessions set authenticated_at = now() - interval '13 hours' where account_id = $1`,
    'auth/requires-recent-login',
  ],
])('an upload is refused if %s ends while the file arrives', async (_, sql, code) => {
  const sender = await createStaff(archive, 'registrar');
  const arrive = async function* () {
    yield Buffer.from(csv(ada));
    await archive.pool.query(sql, [sender.uid]);
    yield Buffer.from(ben);
  };
  const answer = await uploadTo(sender.device, Readable.from(arrive()));
  expect(answer.json<Problem>().code).toBe(code);
  expect(storedFiles()).toEqual([]);
});

test('an upload does not delay other writes of its sender, such as a sign-out, after which it is refused', async () => {
  const sender = await createStaff(archive, 'registrar');
  const arrive = async function* () {
    yield Buffer.from(csv(ada));
    await sender.device.call('POST /api/identity/sign-out');
    yield Buffer.from(ben);
  };
  const answer = await uploadTo(sender.device, Readable.from(arrive()));
  expect(answer.json<Problem>().code).toBe('permission-denied');
  expect(storedFiles()).toEqual([]);
});

test('an upload must be a file of at most 100 MB', async () => {
  expect((await uploadTo(staff.device, '{}', 'application/json')).json<Problem>().code).toBe('unsupported-media-type');
  const answer = await staff.device.fetch('POST', '/api/staff/roster/imports?name=a.csv', Buffer.from('a'), {
    'content-type': 'application/octet-stream',
    'content-length': '100000001',
  });
  expect(answer.json<Problem>().code).toBe('payload-too-large');
});

test('an upload without a length is refused when it exceeds the limit, and leaves no file', async () => {
  const endpoint = endpoints['POST /api/staff/roster/imports'] as { maxBodyBytes: number };
  const { maxBodyBytes } = endpoint;
  endpoint.maxBodyBytes = 1_000;
  const app = await archive.startSecondServer().finally(() => {
    endpoint.maxBodyBytes = maxBodyBytes;
  });
  const send = (chunks: number) =>
    app.inject({
      method: 'POST',
      url: '/api/staff/roster/imports?name=a.csv',
      remoteAddress: staff.device.ip,
      headers: {
        'content-type': 'application/octet-stream',
        'transfer-encoding': 'chunked',
        origin: staff.device.origin,
        cookie: [...staff.device.cookies].map((pair) => pair.join('=')).join('; '),
      },
      payload: Readable.from(Array.from({ length: chunks }, () => Buffer.from('x'.repeat(250)))),
    });
  expect((await send(5)).json<Problem>().code).toBe('payload-too-large');
  expect(storedFiles()).toEqual([]);
  expect((await send(4)).statusCode).toBe(200);
  await app.close();
});
