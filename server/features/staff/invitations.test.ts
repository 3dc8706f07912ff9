import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { wholeInstitution } from '#contract/staff/scope.ts';
import type { StaffRole } from '#contract/staff/values.ts';
import { acceptInvitationsJob } from '#server/domain/staff/invitations.ts';
import { rateLimitRules } from '#server/domain/rate-limit-rules.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { findCode } from '#server/testing/inbox.ts';
import { SoftPasskey } from '#server/testing/passkey.ts';
import { addPasskey } from '#server/testing/second-factor.ts';
import { createStaff } from '#server/testing/staff.ts';
import { endingRolesJob } from './jobs.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(() => archive.close());
beforeEach(() => archive.pool.query('delete from staff_roles; delete from approvals; delete from staff_invitations'));

let last = 0;
const newAddress = () => `invited.${++last}@mail.example`;

const invite = async (by: Member, email: string, role: StaffRole = 'registrar', extra: object = {}) =>
  (
    await by.device.ask('POST /api/staff/roles', {
      body: { email, role, ...wholeInstitution, lastDay: null, ...extra },
    })
  ).json();
const readRoles = async (by: Member, email: string) => {
  const { roles, invitations } = await by.device.call('GET /api/staff/roles');
  return {
    roles: roles.filter((one) => one.email === email),
    invitations: invitations.filter((one) => one.email === email),
  };
};
const auditOf = async (action: string) =>
  (
    await archive.pool.query(`select actor, subject_kind, details from audit_records where action = $1 order by id`, [
      action,
    ])
  ).rows;

test('an address without an account is invited, and gets the role when exactly this address is verified', async () => {
  const owner = await createStaff(archive, 'owner');
  const second = await createStaff(archive, 'owner');
  const email = newAddress();
  expect(await invite(owner, email.toUpperCase(), 'registrar', { college: 'COSIT', lastDay: '2100-06-30' })).toEqual({
    result: 'invited',
  });
  await archive.runJobs();
  const { text } = await archive.inbox.next(email, 'Invitation to the staff of the alumni archive');
  expect(text).toContain(`${owner.email} invites you to be a registrar`);
  expect((await auditOf('role-invited')).at(-1)).toEqual({
    actor: owner.uid,
    subject_kind: 'invitation',
    details: { role: 'registrar' },
  });
  await archive.signUp(email);
  await archive.runJobs();
  expect(await readRoles(owner, email)).toMatchObject({ roles: [], invitations: [{ invitedBy: owner.email }] });
  const code = findCode(await archive.inbox.next(email, 'Verify your email address'));
  await archive.openDevice().call('POST /api/identity/action-code/apply', { body: { code } });
  await archive.runJobs();
  expect(await readRoles(owner, email)).toMatchObject({
    roles: [{ role: 'registrar', college: 'COSIT', endsAt: '2100-07-01T00:00:00.000Z' }],
    invitations: [],
  });
  expect((await auditOf('role-granted')).at(-1)).toMatchObject({ actor: owner.uid, details: { role: 'registrar' } });
  expect((await archive.inbox.next(second.email, 'New member of staff')).text).toContain(`${owner.email} has made`);
  await archive.inbox.next(email, 'You are now on the staff of the alumni archive');
});

test('an account whose address is not verified or that is not active gets no role, and the answer is the same', async () => {
  const owner = await createStaff(archive, 'owner');
  const [unverified, suspended] = [await archive.signUp(newAddress()), await archive.createMember()];
  await archive.pool.query('update accounts set disabled_at = now() where id = $1', [suspended.uid]);
  for (const email of [unverified.email, suspended.email, newAddress()]) {
    expect(await invite(owner, email)).toEqual({ result: 'invited' });
    await acceptInvitationsJob.queue(archive.context.db, {});
    await archive.runJobs();
    expect(await readRoles(owner, email)).toMatchObject({ roles: [], invitations: [{}] });
  }
  await archive.pool.query('update accounts set disabled_at = null where id = $1', [suspended.uid]);
  await acceptInvitationsJob.queue(archive.context.db, {});
  await archive.runJobs();
  expect(await readRoles(owner, suspended.email)).toMatchObject({ roles: [{}], invitations: [] });
  expect(await readRoles(owner, unverified.email)).toMatchObject({ roles: [], invitations: [{}] });
});

test('a change to the invited address, and a new password by a mailed link, verify it, too', async () => {
  const owner = await createStaff(archive, 'owner');
  const [changed, reset] = [newAddress(), newAddress()];
  for (const email of [changed, reset]) await invite(owner, email);
  const { device } = await archive.createMember();
  await device.call('POST /api/identity/email', { body: { email: changed } });
  await archive.signUp(reset);
  await device.call('POST /api/identity/password-reset', { body: { email: reset } });
  await archive.runJobs();
  for (const email of [changed, reset]) expect(await readRoles(owner, email)).toMatchObject({ roles: [] });
  const change = findCode(await archive.inbox.next(changed, 'Confirm your new email address'));
  await device.call('POST /api/identity/action-code/apply', { body: { code: change } });
  const code = findCode(await archive.inbox.next(reset, 'Choose a new password'));
  const body = { code, password: 'another long enough word' };
  await archive.openDevice().call('POST /api/identity/password-reset/confirm', { body });
  await archive.runJobs();
  for (const email of [changed, reset])
    expect(await readRoles(owner, email)).toMatchObject({ roles: [{ role: 'registrar' }], invitations: [] });
});

test('a second factor added before an invited role waits for an owner: someone may have signed up with the address of the invited', async () => {
  const owner = await createStaff(archive, 'owner');
  const email = newAddress();
  const squatter = await archive.signUp(email);
  await invite(owner, email);
  await archive.runJobs();
  const code = findCode(await archive.inbox.next(email, 'Verify your email address'));
  await archive.openDevice().call('POST /api/identity/action-code/apply', { body: { code } });
  await addPasskey(squatter.device, new SoftPasskey());
  await archive.runJobs();
  expect((await readRoles(owner, email)).roles).toMatchObject([{ role: 'registrar' }]);
  expect(await squatter.device.call('GET /api/staff/me')).toMatchObject({ obstacle: 'approval' });
});

test('an invited owner needs the approval of another owner', async () => {
  const [owner, second] = [await createStaff(archive, 'owner'), await createStaff(archive, 'owner')];
  const email = newAddress();
  expect(await invite(owner, email, 'owner')).toEqual({ result: 'invited' });
  await archive.signUpVerified(email);
  await archive.runJobs();
  expect(await readRoles(owner, email)).toEqual({ roles: [], invitations: [] });
  const { approvals } = await second.device.call('GET /api/staff/approvals');
  expect(approvals).toMatchObject([{ kind: 'owner-role', about: email, requestedBy: owner.email, state: 'waiting' }]);
  await second.device.call('POST /api/staff/approvals/{id}/approve', { params: { id: approvals[0]?.id ?? '' } });
  await archive.runJobs();
  expect((await readRoles(owner, email)).roles).toMatchObject([{ role: 'owner' }]);
});

test('an invitation that cannot be accepted yet waits and does not block others', async () => {
  const owner = await createStaff(archive, 'owner');
  const { context } = archive;
  const { maxHits } = rateLimitRules.approvalRequestsByAccount;
  for (let request = 0; request < maxHits; request++)
    await context.limiter.requireAttempt(context.db, 'approvalRequestsByAccount', owner.uid);
  const [asOwner, asRegistrar] = [newAddress(), newAddress()];
  await invite(owner, asOwner, 'owner');
  await invite(owner, asRegistrar);
  for (const email of [asOwner, asRegistrar]) await archive.signUpVerified(email);
  await archive.runJobs();
  expect(await readRoles(owner, asRegistrar)).toMatchObject({ roles: [{}], invitations: [] });
  expect(await readRoles(owner, asOwner)).toMatchObject({ roles: [], invitations: [{ role: 'owner' }] });
  await archive.advanceTime('7 hours');
  await acceptInvitationsJob.queue(context.db, {});
  await archive.runJobs();
  expect((await owner.device.call('GET /api/staff/approvals')).approvals).toMatchObject([{ about: asOwner }]);
});

test('an invitation ends when it is withdrawn, after 14 days, and when its owner no longer gives roles', async () => {
  const [owner, other] = [await createStaff(archive, 'owner'), await createStaff(archive, 'owner')];
  const [withdrawn, old, orphaned] = [newAddress(), newAddress(), newAddress()];
  for (const email of [withdrawn, old]) await invite(owner, email);
  await invite(other, orphaned);
  const id = (await readRoles(owner, withdrawn)).invitations[0]?.id ?? '';
  await owner.device.call('DELETE /api/staff/invitations/{id}', { params: { id } });
  expect((await auditOf('invitation-withdrawn')).at(-1)).toMatchObject({ actor: owner.uid });
  expect((await owner.device.ask('DELETE /api/staff/invitations/{id}', { params: { id } })).statusCode).toBe(404);
  await archive.pool.query(
    `update staff_invitations set expires_at = expires_at - interval '14 days' where email = $1`,
    [old],
  );
  await archive.pool.query(`update staff_roles set role = 'registrar' where account_id = $1`, [other.uid]);
  for (const email of [withdrawn, old, orphaned]) {
    await archive.signUpVerified(email);
    await archive.runJobs();
    expect(await readRoles(owner, email)).toEqual({ roles: [], invitations: [] });
  }
  await endingRolesJob.queue(archive.context.db, {});
  await archive.runJobs();
  expect((await archive.pool.query('select from staff_invitations')).rowCount).toBe(0);
});
