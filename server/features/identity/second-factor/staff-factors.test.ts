import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { Problem } from '#contract/problem.ts';
import { wholeInstitution } from '#contract/staff/scope.ts';
import { vouchForConsole } from '#server/domain/staff/console-access.ts';
import { approvedActionJob } from '#server/domain/staff/approvals.ts';
import { type Member, type TestArchive, type Visitor, openArchive } from '#server/testing/archive.ts';
import { findCode } from '#server/testing/inbox.ts';
import { SoftPasskey } from '#server/testing/passkey.ts';
import { addPasskey, computeAppCode, decodeSecret } from '#server/testing/second-factor.ts';
import { createStaff, makeStaff } from '#server/testing/staff.ts';

/* Access to the mailbox of a member of staff is not enough to open the staff console. */

let archive: TestArchive;
let owner: Member;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(() => archive.close());
beforeEach(async () => {
  await archive.pool.query('delete from staff_roles; delete from approvals');
  owner = await createStaff(archive, 'owner');
});

const newPassword = 'another long pass phrase';

async function resetPassword({ email }: Visitor) {
  await archive.openDevice().call('POST /api/identity/password-reset', { body: { email } });
  await archive.runJobs();
  const code = findCode(await archive.inbox.next(email, 'Choose a new password'));
  await archive
    .openDevice()
    .call('POST /api/identity/password-reset/confirm', { body: { code, password: newPassword } });
  const device = archive.openDevice();
  const response = await device.ask('POST /api/identity/sign-in', { body: { email, password: newPassword } });
  return response.statusCode === 200 ? device : null;
}

async function addApp({ device }: Pick<Visitor, 'device'>) {
  const { secret } = await device.call('POST /api/identity/authenticator');
  await device.call('POST /api/identity/authenticator/confirm', {
    body: { code: computeAppCode(decodeSecret(secret)) },
  });
}

async function createRegistrarWithoutFactor(): Promise<Member> {
  const registrar = await createStaff(archive, 'registrar');
  await archive.pool.query('delete from authenticators where account_id = $1', [registrar.uid]);
  return registrar;
}

const obstacleOf = async ({ device }: Pick<Visitor, 'device'>) => (await device.call('GET /api/staff/me')).obstacle;
const findRequest = async () => {
  const { approvals } = await owner.device.call('GET /api/staff/approvals');
  return approvals.find(({ kind }) => kind === 'console-access');
};

describe('a password reset', () => {
  test('keeps recent factors of accounts with a staff role', async () => {
    const registrar = await createStaff(archive, 'registrar');
    expect(await resetPassword(registrar)).toBe(null);
    const { rows } = await archive.pool.query('select from authenticators where account_id = $1', [registrar.uid]);
    expect(rows).toHaveLength(1);
  });
});

describe('the first factor of a member of staff', () => {
  test('opens the console after the approval of an owner; the mailbox and all owners get an email', async () => {
    const other = await createStaff(archive, 'owner');
    const registrar = await createRegistrarWithoutFactor();
    const thief = await resetPassword(registrar);
    if (!thief) throw new Error('The sign-in needs a second factor.');
    await addPasskey(thief, new SoftPasskey());
    expect(await obstacleOf({ device: thief })).toBe('approval');
    const refusal = await thief.ask('GET /api/staff/approvals');
    expect(refusal.json<Problem>()).toMatchObject({
      code: 'permission-denied',
      detail: expect.stringContaining('72 hours'),
    });
    await archive.runJobs();
    for (const { email } of [registrar, owner, other])
      expect((await archive.inbox.next(email, 'New second factor of a member of staff')).text).toContain(
        registrar.email,
      );
    const request = await findRequest();
    expect(request).toMatchObject({ about: registrar.email, state: 'waiting', runsAt: expect.any(String) });
    await owner.device.call('POST /api/staff/approvals/{id}/approve', { params: { id: request?.id ?? '' } });
    await archive.runJobs();
    expect(await obstacleOf({ device: thief })).toBe(null);
  });

  test('opens the console after 72 hours if no owner refuses it', async () => {
    const registrar = await createRegistrarWithoutFactor();
    await addApp(registrar);
    expect(await obstacleOf(registrar)).toBe('approval');
    const request = await findRequest();
    const hours = (Date.parse(request?.runsAt ?? '') - Date.parse(request?.requestedAt ?? '')) / 3_600_000;
    expect(hours).toBeCloseTo(72, 3);
    await archive.pool.query('update approvals set runs_at = now()');
    await approvedActionJob.queue(archive.context.db, { approvalId: request?.id ?? '' });
    await archive.runJobs();
    expect(await obstacleOf(registrar)).toBe(null);
  });

  test('does not open the console after an owner refused it', async () => {
    const registrar = await createRegistrarWithoutFactor();
    await addApp(registrar);
    const request = await findRequest();
    await owner.device.call('POST /api/staff/approvals/{id}/refuse', { params: { id: request?.id ?? '' } });
    await archive.pool.query('update approvals set runs_at = now()');
    await approvedActionJob.queue(archive.context.db, { approvalId: request?.id ?? '' });
    await archive.runJobs();
    expect(await obstacleOf(registrar)).toBe('approval');
  });

  test('of an owner does not count as a second owner before the console is open', async () => {
    const other = await createStaff(archive, 'owner');
    await archive.pool.query('delete from authenticators where account_id = $1', [other.uid]);
    await addApp(other);
    const ben = await archive.createMember();
    const body = { email: ben.email, role: 'owner' as const, ...wholeInstitution, lastDay: null };
    await owner.device.call('POST /api/staff/roles', { body });
    const { approvals } = await owner.device.call('GET /api/staff/approvals');
    expect(approvals.find(({ kind }) => kind === 'owner-role')?.runsAt).toEqual(expect.any(String));
  });

  test('opens the console at once if the operator granted the role within 24 hours, and no password reset followed', async () => {
    const [vouched, reset] = [await createRegistrarWithoutFactor(), await createRegistrarWithoutFactor()];
    for (const { uid } of [vouched, reset])
      await archive.context.db.transaction().execute((tx) => vouchForConsole(tx, uid));
    await addApp(vouched);
    expect(await obstacleOf(vouched)).toBe(null);
    const thief = await resetPassword(reset);
    if (!thief) throw new Error('The sign-in needs a second factor.');
    await addApp({ device: thief });
    expect(await obstacleOf({ device: thief })).toBe('approval');
  });

  test('opens the console when the operator vouches for it', async () => {
    const registrar = await createRegistrarWithoutFactor();
    await addApp(registrar);
    await archive.context.db.transaction().execute((tx) => vouchForConsole(tx, registrar.uid));
    expect(await obstacleOf(registrar)).toBe(null);
    expect((await findRequest())?.state).toBe('cancelled');
  });
});

describe('a factor that was added within 7 days after a password reset', () => {
  test('waits, also when the role is granted later', async () => {
    const member = await archive.createMember();
    const thief = await resetPassword(member);
    if (!thief) throw new Error('The sign-in needs a second factor.');
    await addApp({ device: thief });
    const body = { email: member.email, role: 'registrar' as const, ...wholeInstitution, lastDay: null };
    await owner.device.call('POST /api/staff/roles', { body });
    expect(await obstacleOf({ device: thief })).toBe('approval');
    expect(await findRequest()).toMatchObject({ about: member.email, state: 'waiting' });
  });

  test('does not wait again when another owner gives the account a further role', async () => {
    const other = await createStaff(archive, 'owner');
    await archive.pool.query('update accounts set password_reset_at = now() where id = $1', [other.uid]);
    await addPasskey(other.device, new SoftPasskey());
    const request = await findRequest();
    await owner.device.call('POST /api/staff/approvals/{id}/approve', { params: { id: request?.id ?? '' } });
    await archive.runJobs();
    expect(await obstacleOf(other)).toBe(null);
    const body = { email: other.email, role: 'moderator' as const, ...wholeInstitution, lastDay: null };
    await owner.device.call('POST /api/staff/roles', { body });
    expect(await obstacleOf(other)).toBe(null);
  });

  test('waits, also beside an older factor', async () => {
    const registrar = await archive.createMember();
    await makeStaff(archive, registrar, 'registrar');
    await archive.pool.query('update accounts set password_reset_at = now() where id = $1', [registrar.uid]);
    await addPasskey(registrar.device, new SoftPasskey());
    expect(await obstacleOf(registrar)).toBe('approval');
  });

  test('waits for 72 hours of its own if another one waits already', async () => {
    const registrar = await createRegistrarWithoutFactor();
    await archive.pool.query('update accounts set password_reset_at = now() where id = $1', [registrar.uid]);
    await addApp(registrar);
    const { id = '' } = (await findRequest()) ?? {};
    await addPasskey(registrar.device, new SoftPasskey());
    await archive.pool.query('update approvals set runs_at = now() where id = $1', [id]);
    await approvedActionJob.queue(archive.context.db, { approvalId: id });
    await archive.runJobs();
    expect(await obstacleOf(registrar)).toBe('approval');
  });
});

describe('POST /api/staff/people/{id}/second-factor-reset', () => {
  const reset = (by: Member, { uid }: Member) =>
    by.device.ask('POST /api/staff/people/{id}/second-factor-reset', {
      params: { id: uid },
      body: { hasCheckedIdentity: true },
    });
  const hasFactor = async ({ uid }: Member) =>
    (await archive.pool.query('select from authenticators where account_id = $1', [uid])).rows.length > 0;

  test('lets an owner remove the factors of other staff, who get an email', async () => {
    const registrar = await createStaff(archive, 'registrar');
    expect((await reset(registrar, owner)).statusCode).toBe(403);
    expect((await reset(owner, owner)).statusCode).toBe(403);
    expect((await reset(owner, registrar)).json()).toEqual({ result: 'removed' });
    expect(await hasFactor(registrar)).toBe(false);
    await archive.runJobs();
    await archive.inbox.next(registrar.email, 'Your second sign-in step was removed');
    const { rows } = await archive.pool.query('select action, actor from audit_records where subject = $1', [
      registrar.uid,
    ]);
    expect(rows).toContainEqual({ action: 'second-factor-removed', actor: owner.uid });
    expect((await reset(owner, registrar)).json<Problem>().code).toBe('staff/refused');
  });

  test('needs the approval of another owner for the factors of an owner', async () => {
    const [lost, third] = [await createStaff(archive, 'owner'), await createStaff(archive, 'owner')];
    expect((await reset(owner, lost)).json()).toEqual({ result: 'requested' });
    expect(await hasFactor(lost)).toBe(true);
    const { approvals } = await third.device.call('GET /api/staff/approvals');
    const request = approvals.find(({ kind }) => kind === 'factor-removal');
    expect(request).toMatchObject({ about: lost.email, runsAt: null });
    await third.device.call('POST /api/staff/approvals/{id}/approve', { params: { id: request?.id ?? '' } });
    await archive.runJobs();
    expect(await hasFactor(lost)).toBe(false);
  });
});
