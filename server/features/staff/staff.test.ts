import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { Problem } from '#contract/problem.ts';
import { wholeInstitution } from '#contract/staff/scope.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { findCode } from '#server/testing/inbox.ts';
import { createStaff } from '#server/testing/staff.ts';
import { auditHeadMailsJob, endingRolesJob, requestsWithoutApproverJob, staffSchedules } from './jobs.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(() => archive.close());
beforeEach(() => archive.pool.query('delete from staff_roles; delete from approvals'));

const grant = (by: Member, email: string, role: 'owner' | 'registrar', extra: object = {}) =>
  by.device.ask('POST /api/staff/roles', { body: { email, role, ...wholeInstitution, lastDay: null, ...extra } });
const rolesOf = async (by: Member, { email }: Member) =>
  (await by.device.call('GET /api/staff/roles')).roles.filter((role) => role.email === email);
const approvals = async (by: Member) => (await by.device.call('GET /api/staff/approvals')).approvals;
const decide = (by: Member, id: string, decision: 'approve' | 'refuse' | 'cancel') =>
  by.device.ask(`POST /api/staff/approvals/{id}/${decision}`, { params: { id } });
const detailOf = (response: Awaited<ReturnType<typeof decide>>) => response.json<Problem>().detail;

describe('roles', () => {
  test('are granted with a scope and an end, mailed, and removed by owners only', async () => {
    const [owner, registrar, ben] = [
      await createStaff(archive, 'owner'),
      await createStaff(archive, 'registrar'),
      await archive.createMember(),
    ];
    expect((await grant(registrar, ben.email, 'registrar')).statusCode).toBe(403);
    expect((await grant(owner, ben.email, 'registrar', { college: 'COSIT', lastDay: '2100-06-30' })).json()).toEqual({
      result: 'granted',
    });
    await archive.runJobs();
    expect((await archive.inbox.next(ben.email, 'You are now on the staff of the alumni archive')).text).toContain(
      'a registrar',
    );
    const [role] = await rolesOf(owner, ben);
    expect(role).toMatchObject({ role: 'registrar', college: 'COSIT', endsAt: '2100-07-01T00:00:00.000Z' });
    expect(await ben.device.call('GET /api/staff/me')).toMatchObject({ roles: [{ college: 'COSIT' }] });
    await owner.device.call('DELETE /api/staff/roles/{id}', { params: { id: role?.id ?? '' } });
    expect((await ben.device.ask('GET /api/staff/me')).statusCode).toBe(403);
    await archive.runJobs();
    await archive.inbox.next(ben.email, 'Your role has ended');
  });

  test('are replaced in one step, but not that of an owner or of another account', async () => {
    const [owner, second, ben] = [
      await createStaff(archive, 'owner'),
      await createStaff(archive, 'owner'),
      await archive.createMember(),
    ];
    await grant(owner, ben.email, 'registrar', { college: 'COSIT', lastDay: '2100-06-30' });
    const [first] = await rolesOf(owner, ben);
    const replaces = first?.id;
    expect((await grant(owner, ben.email, 'registrar', { college: 'COHUM', replaces })).statusCode).toBe(200);
    expect(await rolesOf(owner, ben)).toMatchObject([{ role: 'registrar', college: 'COHUM', endsAt: null }]);
    const [now] = await rolesOf(owner, ben);
    expect((await grant(owner, ben.email, 'registrar', { college: 'COHUM', replaces: now?.id })).statusCode).toBe(200);
    expect(await rolesOf(owner, ben)).toMatchObject([{ id: now?.id }]);
    const [other] = await rolesOf(owner, second);
    for (const id of [other?.id, replaces])
      expect((await grant(owner, ben.email, 'registrar', { replaces: id })).statusCode).toBe(409);
    expect((await grant(owner, second.email, 'registrar', { replaces: other?.id })).statusCode).toBe(409);
    expect(await rolesOf(owner, second)).toMatchObject([{ role: 'owner' }]);
    expect(await rolesOf(owner, ben)).toHaveLength(1);
  });

  test('of others are mailed to all other owners', async () => {
    const [owner, second, ben] = [
      await createStaff(archive, 'owner'),
      await createStaff(archive, 'owner'),
      await archive.createMember(),
    ];
    await grant(owner, ben.email, 'registrar');
    await archive.runJobs();
    const { text } = await archive.inbox.next(second.email, 'New member of staff');
    expect(text).toContain(`${owner.email} has made ${ben.email} a registrar.`);
    expect(archive.inbox.to(owner.email).filter(({ subject }) => subject === 'New member of staff')).toEqual([]);
  });

  test('are refused with a scope that the role cannot have, and for a day in the past', async () => {
    const owner = await createStaff(archive, 'owner');
    for (const [email, extra, problem] of [
      [owner.email, { department: 'Botany' }, { code: 'staff/refused' }],
      [owner.email, { role: 'class-representative', department: 'Botany' }, { code: 'staff/refused' }],
      [owner.email, { lastDay: '2001-01-01' }, { code: 'staff/refused', errors: [{ pointer: '/lastDay' }] }],
    ] as const)
      expect((await grant(owner, email, 'registrar', extra)).json<Problem>()).toMatchObject(problem);
  });

  test('keep one owner: the last one cannot be removed or end, even when two owners remove each other', async () => {
    const owner = await createStaff(archive, 'owner');
    const idOf = async (member: Member) => ({ id: (await rolesOf(owner, member))[0]?.id ?? '' });
    const remove = async (by: Member, member: Member) =>
      by.device.ask('DELETE /api/staff/roles/{id}', { params: await idOf(member) });
    expect(detailOf(await remove(owner, owner))).toContain('This is the only owner.');
    expect(detailOf(await grant(owner, owner.email, 'owner', { lastDay: '2100-01-01' }))).toContain('the only owner');
    expect(detailOf(await owner.device.ask('DELETE /api/identity/account'))).toContain('You are the only owner');
    const second = await createStaff(archive, 'owner');
    const [ofSecond, ofOwner] = [await idOf(second), await idOf(owner)];
    const answers = await Promise.all([
      owner.device.ask('DELETE /api/staff/roles/{id}', { params: ofOwner }),
      second.device.ask('DELETE /api/staff/roles/{id}', { params: ofSecond }),
    ]);
    expect(answers.map(({ statusCode }) => statusCode === 200).filter(Boolean)).toHaveLength(1);
  });

  test('of another owner end, and change their end, only with the approval of a second owner', async () => {
    const [owner, second, third] = [
      await createStaff(archive, 'owner'),
      await createStaff(archive, 'owner'),
      await createStaff(archive, 'owner'),
    ];
    const id = (await rolesOf(owner, second))[0]?.id ?? '';
    expect((await grant(owner, second.email, 'owner', { lastDay: '2100-01-01' })).json()).toEqual({
      result: 'requested',
    });
    const removal = await owner.device.call('DELETE /api/staff/roles/{id}', { params: { id } });
    expect(removal).toEqual({ result: 'requested' });
    expect(await rolesOf(owner, second)).toMatchObject([{ role: 'owner', endsAt: null }]);
    const request = (await approvals(third)).find(({ kind }) => kind === 'owner-removal');
    expect(request).toMatchObject({ about: second.email, runsAt: null });
    await decide(third, request?.id ?? '', 'approve');
    await archive.runJobs();
    expect(await rolesOf(owner, second)).toEqual([]);
    await archive.inbox.next(second.email, 'Your role has ended');
  });

  test('end by their date, after a mail 30 days before, once', async () => {
    const [owner, ben] = [await createStaff(archive, 'owner'), await archive.createMember()];
    const lastDay = new Date(Date.now() + 20 * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
    await grant(owner, ben.email, 'registrar', { lastDay });
    for (let night = 0; night < 2; night++) {
      await endingRolesJob.queue(archive.context.db, {});
      await archive.runJobs();
    }
    const inWords = new Date(lastDay).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
    expect((await archive.inbox.next(ben.email, `Your role ends on ${inWords}`)).text).toContain(
      `${inWords} is your last day as a registrar`,
    );
    const { rows } = await archive.pool.query(`select from staff_roles where end_notice_at is not null`);
    expect(rows).toHaveLength(1);
    await archive.pool.query(`update staff_roles set ends_at = now() where role = 'registrar'`);
    expect((await ben.device.ask('GET /api/staff/me')).statusCode).toBe(403);
  });

  test.each(['owner', 'registrar'] as const)('cancel a change of address that waits, for a new %s', async (role) => {
    const [owner, second, registrar, ben] = [
      await createStaff(archive, 'owner'),
      await createStaff(archive, 'owner'),
      await createStaff(archive, 'registrar'),
      await archive.createMember(),
    ];
    const change = (email: string) =>
      registrar.device.ask('PUT /api/staff/people/{id}/email', {
        params: { id: ben.uid },
        body: { email, hasCheckedIdentity: true },
      });
    const address = `registrar-${role}@mail.example`;
    await change(address);
    for (const { id } of await approvals(second)) await decide(second, id, 'approve');
    await archive.runJobs();
    const code = findCode(await archive.inbox.next(address, 'Confirm your new email address'));
    await grant(owner, ben.email, role === 'owner' ? 'owner' : 'registrar');
    // Also while the request is pending.
    expect((await change(`later-${address}`)).json<Problem>().code).toBe('permission-denied');
    const file = await registrar.device.call('GET /api/staff/people/{id}', { params: { id: ben.uid } });
    expect(file.protection).toBe(role === 'owner' ? 'owner' : 'staff');
    for (const { id, state } of await approvals(second)) if (state === 'waiting') await decide(second, id, 'approve');
    await archive.runJobs();
    expect(await archive.openDevice().code('POST /api/identity/action-code/apply', { body: { code } })).toBe(
      'auth/invalid-action-code',
    );
    expect(await rolesOf(owner, ben)).toMatchObject([{ role, email: ben.email }]);
  });

  test('change only with a password of the last five minutes', async () => {
    const owner = await createStaff(archive, 'owner');
    await archive.advanceTime('10 minutes');
    expect((await grant(owner, owner.email, 'registrar')).json<Problem>().code).toBe('auth/requires-recent-login');
  });
});

const recordsOf = async ({ device }: Member, subject: string) =>
  (await device.call('GET /api/staff/audit-log', { query: { subject } })).records;

describe('a request for approval', () => {
  test('runs when another owner approves it, and not when the requester does', async () => {
    const [owner, second, ben] = [
      await createStaff(archive, 'owner'),
      await createStaff(archive, 'owner'),
      await archive.createMember(),
    ];
    expect((await grant(owner, ben.email, 'owner')).json()).toEqual({ result: 'requested' });
    await archive.runJobs();
    expect((await archive.inbox.next(second.email, 'A request needs your approval')).text).toContain(
      `${owner.email} wants to give an account the owner role.\n\nIt runs only after you or another owner approves it.`,
    );
    const [request] = await approvals(owner);
    expect(request).toMatchObject({
      kind: 'owner-role',
      about: ben.email,
      isOwn: true,
      runsAt: null,
      state: 'waiting',
    });
    const id = request?.id ?? '';
    expect(detailOf(await decide(owner, id, 'approve'))).toContain('Another owner must approve');
    expect(await rolesOf(owner, ben)).toEqual([]);
    expect((await decide(second, id, 'approve')).statusCode).toBe(204);
    await archive.runJobs();
    expect(await rolesOf(owner, ben)).toMatchObject([{ role: 'owner' }]);
    expect((await recordsOf(owner, id)).map(({ action }) => action)).toEqual([
      'approval-approved',
      'approval-requested',
    ]);
    expect((await approvals(owner))[0]).toMatchObject({ state: 'done', decidedBy: second.email });
    expect(detailOf(await decide(second, id, 'refuse'))).toContain('already been decided');
  });

  test('mails the requester how it ended, unless the requester cancelled it', async () => {
    const [owner, second] = [await createStaff(archive, 'owner'), await createStaff(archive, 'owner')];
    const outcomes = [
      ['approve', 'Your request was approved'],
      ['refuse', 'Your request was refused'],
      ['cancel', 'Your request was cancelled'],
    ] as const;
    for (const [decision, subject] of outcomes) {
      const ben = await archive.createMember();
      await grant(owner, ben.email, 'owner');
      const [request] = await approvals(second);
      await decide(second, request?.id ?? '', decision);
      await archive.runJobs();
      const { text } = await archive.inbox.next(owner.email, subject);
      expect(text).toContain('our request to give an account the owner role');
      expect(text).toContain('/staff/approvals');
      expect(text).not.toContain(ben.email);
    }
    await grant(owner, (await archive.createMember()).email, 'owner');
    const [own] = await approvals(second);
    await decide(owner, own?.id ?? '', 'cancel');
    await archive.runJobs();
    expect(archive.inbox.to(owner.email).filter(({ subject }) => subject.includes('request'))).toEqual([]);
  });

  test('of the only owner runs after 24 hours unless any member of staff, who are all mailed, cancels it', async () => {
    const [owner, moderator] = [await createStaff(archive, 'owner'), await createStaff(archive, 'moderator')];
    const [ben, eve] = [await archive.createMember(), await archive.createMember()];
    await grant(owner, ben.email, 'owner');
    await grant(owner, eve.email, 'owner');
    await archive.runJobs();
    expect((await archive.inbox.next(moderator.email, 'A request will run in 24 hours')).text).toContain(
      'To cancel it, open the staff console, which needs two-step sign-in.',
    );
    await archive.inbox.next(owner.email, 'A request will run in 24 hours');
    const requests = await approvals(moderator);
    const ofEve = requests.find(({ about }) => about === eve.email);
    expect((await decide(moderator, ofEve?.id ?? '', 'approve')).statusCode).toBe(403);
    expect((await decide(moderator, ofEve?.id ?? '', 'cancel')).statusCode).toBe(204);
    expect(await rolesOf(owner, ben)).toEqual([]);
    await archive.advanceTime('25 hours');
    await archive.runJobs();
    const { rows } = await archive.pool.query<{ email: string }>(
      `select a.email from staff_roles r join accounts a on a.id = r.account_id where role = 'owner' order by 1`,
    );
    expect(rows.map(({ email }) => email)).toEqual([owner.email, ben.email].toSorted());
    await archive.inbox.next(owner.email, 'Your request was cancelled');
    await archive.inbox.next(owner.email, 'Your request is being carried out');
    const ofBen = requests.find(({ about }) => about === ben.email);
    const records = await archive.pool.query(
      'select action, actor, details from audit_records where subject = $1 order by id',
      [ofBen?.id],
    );
    expect(records.rows).toEqual([
      { action: 'approval-requested', actor: owner.uid, details: { kind: 'owner-role', people: 1 } },
      { action: 'request-run-without-approval', actor: null, details: { kind: 'owner-role' } },
    ]);
  });

  test.each([
    ['the role ends', 'update staff_roles set ends_at = now() where account_id = $1'],
    ['the account is deleted', 'delete from accounts where id = $1'],
    ['the second factor is removed', 'delete from authenticators where account_id = $1'],
  ])('runs 24 hours after a mail to all staff when the only other owner cannot approve: %s', async (_, change) => {
    const [owner, second, moderator] = [
      await createStaff(archive, 'owner'),
      await createStaff(archive, 'owner'),
      await createStaff(archive, 'moderator'),
    ];
    const ben = await archive.createMember();
    await grant(owner, ben.email, 'owner');
    const findStranded = async () => {
      await requestsWithoutApproverJob.queue(archive.context.db, {});
      await archive.runJobs();
    };
    await findStranded();
    expect(await approvals(owner)).toMatchObject([{ state: 'waiting', runsAt: null }]);
    await archive.pool.query(change, [second.uid]);
    await archive.advanceTime('30 hours');
    const subject = 'A request will run in 24 hours';
    for (let hour = 0; hour < 2; hour++) await findStranded();
    const mails = archive.inbox.all().filter((mail) => mail.subject === subject);
    expect(mails.map(({ to }) => to)).toEqual(expect.arrayContaining([owner.email, moderator.email]));
    expect(mails.filter(({ to }) => to === moderator.email)).toHaveLength(1);
    await archive.advanceTime('23 hours');
    await findStranded();
    expect((await archive.pool.query('select state from approvals')).rows).toEqual([{ state: 'waiting' }]);
    await archive.advanceTime('2 hours');
    await archive.runJobs();
    expect((await archive.pool.query('select state from approvals')).rows).toEqual([{ state: 'done' }]);
  });

  test.each([
    ['the requester has only another role left', 'update staff_roles set role = $2 where account_id = $1', 0],
    ['the account of the requester is disabled', 'update accounts set disabled_at = now() where id = $1', 0],
    ['the approver has only another role left', 'update staff_roles set role = $2 where account_id = $1', 1],
  ] as const)('fails if %s before it runs', async (_, change, changed) => {
    const [owner, second, third] = [
      await createStaff(archive, 'owner'),
      await createStaff(archive, 'owner'),
      await createStaff(archive, 'owner'),
    ];
    const ben = await archive.createMember();
    await grant(owner, ben.email, 'owner');
    const [request] = await approvals(second);
    await decide(second, request?.id ?? '', 'approve');
    const { uid } = changed === 0 ? owner : second;
    await archive.pool.query(change, change.includes('$2') ? [uid, 'moderator'] : [uid]);
    await archive.runJobs();
    expect((await approvals(third))[0]).toMatchObject({
      state: 'failed',
      failure: `Who ${changed === 0 ? 'requested' : 'approved'} this may no longer do so.`,
    });
    expect(await rolesOf(third, ben)).toEqual([]);
    expect((await recordsOf(third, request?.id ?? ''))[0]).toMatchObject({
      actorId: null,
      action: 'request-failed',
      subjectKind: 'approval',
      details: [{ name: 'kind', value: 'owner-role' }],
    });
    const hasMail = archive.inbox
      .all()
      .some(({ to, subject }) => to === owner.email && subject.includes('could not be carried out'));
    expect(hasMail).toBe(!change.includes('disabled_at'));
  });

  test('is needed to extend the role of an owner, but not to end it earlier', async () => {
    const [owner, second] = [await createStaff(archive, 'owner'), await createStaff(archive, 'owner')];
    expect((await grant(owner, owner.email, 'owner', { lastDay: '2100-01-01' })).json()).toEqual({ result: 'granted' });
    for (const lastDay of ['2100-06-01', null])
      expect((await grant(owner, owner.email, 'owner', { lastDay })).json()).toEqual({ result: 'requested' });
    expect((await grant(second, owner.email, 'owner')).json()).toEqual({ result: 'requested' });
  });

  test('that other owners can approve can be cancelled only by them and the requester', async () => {
    const [owner, second, registrar] = [
      await createStaff(archive, 'owner'),
      await createStaff(archive, 'owner'),
      await createStaff(archive, 'registrar'),
    ];
    await grant(owner, (await archive.createMember()).email, 'owner');
    const [{ id } = { id: '' }] = await approvals(second);
    expect(await approvals(registrar)).toEqual([]);
    expect((await decide(registrar, id, 'cancel')).statusCode).toBe(404);
    expect((await decide(owner, id, 'cancel')).statusCode).toBe(204);
  });
});

test('GET /api/staff/audit-log lists the actions with the addresses of today, filtered, for owners only', async () => {
  const [owner, registrar, ben] = [
    await createStaff(archive, 'owner'),
    await createStaff(archive, 'registrar'),
    await archive.createMember(),
  ];
  await grant(owner, ben.email, 'registrar');
  expect((await registrar.device.ask('GET /api/staff/audit-log', { query: {} })).statusCode).toBe(403);
  const list = async (query: object) => (await owner.device.call('GET /api/staff/audit-log', { query })).records;
  expect(await list({ actor: owner.email, subject: ben.uid })).toMatchObject([
    {
      actor: owner.email,
      action: 'role-granted',
      subjectLabel: ben.email,
      details: [{ name: 'role', value: 'registrar' }],
    },
  ]);
  expect(await list({ actor: registrar.email })).toEqual([]);
  expect(await list({ action: 'role-removed', subject: ben.uid })).toEqual([]);
  const [latest] = await list({});
  expect(await list({ before: latest?.id })).not.toContainEqual(latest);
  expect(await list({ to: latest?.at })).toContainEqual(latest);
  expect(await list({ from: latest?.at })).toContainEqual(latest);
  expect(await list({ to: '2001-01-01T00:00:00Z' })).toEqual([]);
  await ben.device.call('DELETE /api/identity/account');
  expect((await list({ subject: ben.uid }))[0]).toMatchObject({ subjectLabel: null });
  expect(
    (await owner.device.ask('GET /api/staff/audit-log', { query: { from: '0000-01-01T00:00:00Z' } })).statusCode,
  ).toBe(400);
});

test('the weekly mail gives all owners, and no one else, the hash of the newest audit record', async () => {
  const [owner, former, registrar] = [
    await createStaff(archive, 'owner'),
    await createStaff(archive, 'owner'),
    await createStaff(archive, 'registrar'),
  ];
  await archive.pool.query(`update staff_roles set ends_at = now() - interval '1 day' where account_id = $1`, [
    former.uid,
  ]);
  await grant(owner, (await archive.createMember()).email, 'registrar');
  const weekly = / \* \* [0-6]$/u;
  expect(staffSchedules.find(({ job }) => job === auditHeadMailsJob)?.cron).toMatch(weekly);
  await auditHeadMailsJob.queue(archive.context.db, {});
  await archive.runJobs();
  const { rows } = await archive.pool.query<{ id: string; hash: string }>(
    `select id, left(encode(hash, 'hex'), 32) as hash from audit_records order by id desc limit 1`,
  );
  const mail = await archive.inbox.next(owner.email, `Audit log: record ${rows[0]?.id}`);
  expect(mail.text).toContain(rows[0]?.hash);
  for (const { email } of [former, registrar])
    expect(archive.inbox.to(email).filter(({ subject }) => subject.startsWith('Audit log'))).toEqual([]);
});
