import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { Problem } from '#contract/problem.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { approvedActionJob } from '#server/domain/staff/approvals.ts';
import { findCode } from '#server/testing/inbox.ts';
import { createStaff, makeStaff } from '#server/testing/staff.ts';

let archive: TestArchive;
let registrar: Member;
let moderator: Member;
let owner: Member;
let dean: Member;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  registrar = await createStaff(archive, 'registrar');
  moderator = await createStaff(archive, 'moderator');
  owner = await createStaff(archive, 'owner');
  dean = await createStaff(archive, 'registrar', { college: 'COHUM' });
});
afterAll(() => archive.close());
beforeEach(async () => {
  for (const { device, password } of [registrar, moderator, owner, dean])
    await device.call('POST /api/identity/reauthenticate', { body: { password } });
});

const records = async (subject: string) =>
  (
    await archive.pool.query<{ action: string; actor: string; details: object }>(
      `select action, actor, details from audit_records where subject = $1 and action <> 'person-file-read' order by id`,
      [subject],
    )
  ).rows;
const of = ({ uid }: Pick<Member, 'uid'>) => ({ params: { id: uid } });
const isListed = async ({ uid }: Member) =>
  (await registrar.device.fetch('GET', `/api/users/${uid}`)).statusCode === 200;
const apply = (code: string) => archive.openDevice().call('POST /api/identity/action-code/apply', { body: { code } });
const nextCode = async (address: string, subject: string) => {
  await archive.runJobs();
  return findCode(await archive.inbox.next(address, subject));
};

const actions = (id: string) =>
  [
    ['DELETE', `/api/staff/people/${id}/sessions`, undefined, 'registrar'],
    ['PUT', `/api/staff/people/${id}/email`, { email: 'new@mail.example', hasCheckedIdentity: true }, 'registrar'],
    ['POST', `/api/staff/people/${id}/mails`, { mail: 'password-reset' }, 'registrar'],
    ['POST', `/api/staff/people/${id}/deletion`, undefined, 'registrar'],
    [
      'POST',
      `/api/staff/people/${id}/confirmation-withdrawal`,
      { reason: 'Not found.', isImpostor: false },
      'registrar',
    ],
    ['PUT', `/api/staff/people/${id}/suspension`, { days: 7 }, 'moderator'],
    ['DELETE', `/api/staff/people/${id}/suspension`, undefined, 'moderator'],
  ] as const;

describe('every act on an account', () => {
  const codeOf = async (staff: Member, [method, path, body]: ReturnType<typeof actions>[number]) => {
    const response = await staff.device.fetch(method, path, body);
    return response.statusCode < 300 ? 'done' : response.json<Problem>().code;
  };

  test('needs its right, a scope that contains the person, and a recent password', async () => {
    const person = await archive.createMember({ college: 'COSIT' });
    for (const action of actions(person.uid)) {
      const [wrong, right] = action[3] === 'registrar' ? [moderator, registrar] : [registrar, moderator];
      expect([action[1], await codeOf(wrong, action)]).toEqual([action[1], 'permission-denied']);
      expect([action[1], await codeOf(person, action)]).toEqual([action[1], 'permission-denied']);
      if (action[3] === 'registrar') expect([action[1], await codeOf(dean, action)]).toEqual([action[1], 'not-found']);
      await archive.pool.query(
        `update sessions set authenticated_at = now() - interval '6 minutes' where account_id = $1`,
        [right.uid],
      );
      expect([action[1], await codeOf(right, action)]).toEqual([action[1], 'auth/requires-recent-login']);
      await right.device.call('POST /api/identity/reauthenticate', { body: { password: right.password } });
    }
    expect(await records(person.uid)).toEqual([]);
  });

  test('is refused for owners and for the own account', async () => {
    for (const target of [owner, registrar, moderator])
      for (const action of actions(target.uid)) {
        const actor = target === owner ? (action[3] === 'registrar' ? registrar : moderator) : target;
        expect([action[1], await codeOf(actor, action)]).toEqual([action[1], 'permission-denied']);
      }
    for (const action of actions(owner.uid)) expect(await codeOf(owner, action)).toBe('permission-denied');
    expect(await records(owner.uid)).toEqual([]);
  });

  test('is refused for registrars and moderators, unless the caller is an owner', async () => {
    const colleague = await createStaff(archive, 'registrar', { college: 'COSIT' });
    const other = await createStaff(archive, 'moderator');
    for (const target of [colleague, other]) {
      for (const action of actions(target.uid))
        expect([action[1], await codeOf(action[3] === 'registrar' ? registrar : moderator, action)]).toEqual([
          action[1],
          'permission-denied',
        ]);
      const file = await registrar.device.call('GET /api/staff/people/{id}', of(target));
      expect(file.protection).toBe('staff');
      expect(await records(target.uid)).toEqual([]);
      await owner.device.call('DELETE /api/staff/people/{id}/sessions', of(target));
    }
  });
});

test('staff end all sessions of a person, who gets a mail', async () => {
  const person = await archive.createMember();
  await registrar.device.call('DELETE /api/staff/people/{id}/sessions', of(person));
  expect((await person.device.call('GET /api/identity/session')).user).toBe(null);
  await archive.runJobs();
  await archive.inbox.next(person.email, 'You were signed out on all devices');
  expect(await records(person.uid)).toEqual([{ action: 'sessions-ended', actor: registrar.uid, details: {} }]);
});

describe('a change of address by staff', () => {
  const change = (id: string, email: string) =>
    registrar.device.call('PUT /api/staff/people/{id}/email', {
      params: { id },
      body: { email, hasCheckedIdentity: true },
    });

  const findRequest = async () => {
    const { approvals } = await owner.device.call('GET /api/staff/approvals');
    return approvals.find(({ kind, state }) => kind === 'address-change' && state === 'waiting');
  };
  const approve = async () =>
    owner.device.call('POST /api/staff/approvals/{id}/approve', { params: { id: (await findRequest())?.id ?? '' } });
  const addressOf = async ({ uid }: Member) =>
    (await archive.pool.query<{ email: string }>('select email from accounts where id = $1', [uid])).rows[0]?.email;

  const countFactors = async ({ uid }: Member) =>
    (await archive.pool.query('select from authenticators where account_id = $1', [uid])).rowCount;

  test('waits for 72 hours, in which the current mailbox can refuse', async () => {
    const person = await archive.createMember();
    expect(await change(person.uid, 'thief@mail.example')).toEqual({ isPending: true });
    const request = await findRequest();
    expect(request?.about).toBe(`${person.email} → thief@mail.example`);
    const hours = (Date.parse(request?.runsAt ?? '') - Date.parse(request?.requestedAt ?? '')) / 3_600_000;
    expect(hours).toBeCloseTo(72, 3);
    // Staff cannot withdraw the link of the person.
    await registrar.device.call('DELETE /api/staff/people/{id}/sessions', of(person));
    await apply(await nextCode(person.email, 'The alumni office will change your email address'));
    expect(await findRequest()).toBe(undefined);
    await archive.pool.query('update approvals set runs_at = now() where id = $1', [request?.id]);
    await approvedActionJob.queue(archive.context.db, { approvalId: request?.id ?? '' });
    await archive.runJobs();
    expect(archive.inbox.to('thief@mail.example')).toEqual([]);
    expect(await addressOf(person)).toBe(person.email);
  });

  test('can be refused by the current mailbox after the approval, until the link is opened', async () => {
    const person = await archive.createMember();
    await change(person.uid, 'other@mail.example');
    const refusal = await nextCode(person.email, 'The alumni office will change your email address');
    await approve();
    const code = await nextCode('other@mail.example', 'Confirm your new email address');
    await apply(refusal);
    await expect(apply(code)).rejects.toThrow('auth/invalid-action-code');
    expect(await addressOf(person)).toBe(person.email);
  });

  test('is sent after 72 hours without an approval', async () => {
    const person = await archive.createMember();
    await change(person.uid, 'late@mail.example');
    const { id = '' } = (await findRequest()) ?? {};
    await archive.pool.query('update approvals set runs_at = now() where id = $1', [id]);
    await approvedActionJob.queue(archive.context.db, { approvalId: id });
    await apply(await nextCode('late@mail.example', 'Confirm your new email address'));
    expect(await addressOf(person)).toBe('late@mail.example');
  });

  test('fails if the account has got a role since the request', async () => {
    const person = await archive.createMember();
    await change(person.uid, 'newstaff@mail.example');
    const { id = '' } = (await findRequest()) ?? {};
    await makeStaff(archive, person, 'class-representative', { department: 'Physics', yearFrom: 2010, yearTo: 2011 });
    await owner.device.call('POST /api/staff/approvals/{id}/approve', { params: { id } });
    await archive.runJobs();
    const { approvals } = await owner.device.call('GET /api/staff/approvals');
    expect(approvals.find((one) => one.id === id)).toMatchObject({
      state: 'failed',
      failure: 'The account has a staff role since then.',
    });
    expect(archive.inbox.to('newstaff@mail.example')).toEqual([]);
  });

  test('needs the approval of an owner and the link in the new mailbox, and the old mailbox can undo it', async () => {
    const person = await createStaff(archive, 'class-representative', {
      department: 'Physics',
      yearFrom: 2010,
      yearTo: 2011,
    });
    expect(await change(person.uid, 'Moved@mail.example')).toEqual({ isPending: true });
    expect((await person.device.call('GET /api/identity/session')).user?.email).toBe(person.email);
    await approve();
    await apply(await nextCode('moved@mail.example', 'Confirm your new email address'));
    expect((await person.device.call('GET /api/identity/session')).user?.email).toBe('moved@mail.example');
    expect(await countFactors(person)).toBe(1);
    await apply(await nextCode(person.email, 'Your email address was changed'));
    const { rows } = await archive.pool.query('select email from accounts where id = $1', [person.uid]);
    expect(rows).toEqual([{ email: person.email }]);
    // Access to the mailbox is not enough to remove the factors of staff.
    expect(await countFactors(person)).toBe(1);
    expect(await records(person.uid)).toEqual([
      { action: 'address-changed', actor: registrar.uid, details: { pending: true } },
    ]);
  });

  test('replaces an address at once that was never verified', async () => {
    const { uid } = await archive.signUp();
    expect(await change(uid, 'right@mail.example')).toEqual({ isPending: false });
    await apply(await nextCode('right@mail.example', 'Verify your email address'));
  });

  test('is refused without a checked identity, and for an address of someone else', async () => {
    const { uid } = await archive.createMember();
    for (const hasCheckedIdentity of [false, undefined])
      expect(
        (
          await registrar.device.fetch('PUT', `/api/staff/people/${uid}/email`, {
            email: 'x@mail.example',
            hasCheckedIdentity,
          })
        ).statusCode,
      ).toBe(422);
    await expect(change(uid, owner.email)).rejects.toThrow('auth/email-already-in-use');
  });
});

test('staff send the verification and the password reset mail again', async () => {
  const fresh = await archive.signUp();
  const send = (id: string, mail: 'verification' | 'password-reset') =>
    registrar.device.call('POST /api/staff/people/{id}/mails', { params: { id }, body: { mail } });
  await archive.runJobs();
  await archive.inbox.next(fresh.email, 'Verify your email address');
  await send(fresh.uid, 'verification');
  await apply(await nextCode(fresh.email, 'Verify your email address'));
  await expect(send(fresh.uid, 'verification')).rejects.toThrow('staff/refused');
  await send(fresh.uid, 'password-reset');
  await nextCode(fresh.email, 'Choose a new password');
  expect((await records(fresh.uid)).map(({ details }) => details)).toEqual([
    { mail: 'verification' },
    { mail: 'password-reset' },
  ]);
});

describe('a deletion by staff', () => {
  const remove = (member: Pick<Member, 'uid'>) =>
    registrar.device.call('POST /api/staff/people/{id}/deletion', of(member));

  test('hides the account at once, deletes it after 30 days, and its mailbox can cancel it', async () => {
    const [kept, gone] = [await archive.createMember(), await archive.createMember()];
    for (const member of [kept, gone]) {
      const { deletesAt } = await remove(member);
      expect(Date.parse(deletesAt ?? '') - Date.now()).toBeGreaterThan(29.9 * 24 * 60 * 60 * 1000);
      expect(await isListed(member)).toBe(false);
      expect((await member.device.call('GET /api/identity/session')).user).toBe(null);
    }
    await archive.runJobs();
    const mail = await archive.inbox.next(kept.email, 'Your account will be deleted');
    expect(mail.text).toContain('The alumni office was asked to delete your account');
    await apply(findCode(mail));
    expect(await isListed(kept)).toBe(true);
    await expect(remove(gone)).rejects.toThrow('staff/refused');
    expect(await records(gone.uid)).toEqual([
      { action: 'account-deleted', actor: registrar.uid, details: { pending: true } },
    ]);
  });

  test('of an account without a verified address takes effect at once, without a mail', async () => {
    const fresh = await archive.signUp();
    expect(await remove(fresh)).toEqual({ deletesAt: null });
    expect((await archive.pool.query('select from accounts where id = $1', [fresh.uid])).rowCount).toBe(0);
    expect(await records(fresh.uid)).toEqual([
      { action: 'account-deleted', actor: registrar.uid, details: { pending: false } },
    ]);
  });
});

test('staff suspend an account, and end the suspension', async () => {
  const person = await archive.createMember();
  await moderator.device.call('PUT /api/staff/people/{id}/suspension', { ...of(person), body: { days: 30 } });
  expect(await isListed(person)).toBe(false);
  expect((await person.device.call('GET /api/identity/session')).user).toBe(null);
  const file = await moderator.device.call('GET /api/staff/people/{id}', of(person));
  expect(file.states).toContain('suspended');
  expect(Date.parse(file.suspendedUntil ?? '') - Date.now()).toBeGreaterThan(29.9 * 24 * 60 * 60 * 1000);
  for (const action of ['password-reset'] as const)
    await expect(
      registrar.device.call('POST /api/staff/people/{id}/mails', { ...of(person), body: { mail: action } }),
    ).rejects.toThrow('staff/refused');
  await moderator.device.call('PUT /api/staff/people/{id}/suspension', { ...of(person), body: { days: 7 } });
  await moderator.device.call('DELETE /api/staff/people/{id}/suspension', of(person));
  expect(await isListed(person)).toBe(true);
  expect(await moderator.device.code('DELETE /api/staff/people/{id}/suspension', of(person))).toBe('staff/refused');
  expect(await records(person.uid)).toMatchObject([
    { action: 'account-suspended', details: { days: 30 } },
    { action: 'account-suspended', details: { days: 7 } },
    { action: 'account-restored' },
  ]);
});
