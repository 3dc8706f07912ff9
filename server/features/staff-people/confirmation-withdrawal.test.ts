import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import type { Problem } from '#contract/problem.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { addEntryOf, confirmMember, enterConfirmedMode, namesake, printCode } from '#server/testing/membership.ts';
import { findLink } from '#server/testing/inbox.ts';
import { createStaff } from '#server/testing/staff.ts';

/* Staff withdraw a confirmation that was wrong. */

let archive: TestArchive;
let registrar: Member;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  await enterConfirmedMode(archive);
  registrar = await createStaff(archive, 'registrar');
  await confirmMember(archive, registrar);
});
afterAll(() => archive.close());

const reason = 'The certificate belongs to another person.';
const withdraw = ({ uid: id }: Member, isImpostor = false) =>
  registrar.device.ask('POST /api/staff/people/{id}/confirmation-withdrawal', {
    params: { id },
    body: { reason, isImpostor },
  });
const membershipOf = ({ device }: Member) => device.call('GET /api/membership');
const submitCode = ({ device }: Member, code: string) => device.call('POST /api/membership/codes', { body: { code } });
const isListed = async ({ uid }: Member) => {
  const { items } = await registrar.device.call('GET /api/users', { query: {} });
  return items.some(({ id }) => id === uid);
};
const findRecords = async ({ uid }: Member) =>
  (
    await archive.pool.query(
      `select action, actor, details from audit_records where subject = $1 and action <> 'person-file-read'`,
      [uid],
    )
  ).rows;
const isVouchingSuspended = async ({ uid }: Member) => {
  const { rows } = await archive.pool.query<{ suspended: boolean }>(
    `select coalesce(vouching_suspended_until > now() + interval '179 days', false) as suspended from accounts where id = $1`,
    [uid],
  );
  return rows[0]?.suspended;
};

test('a withdrawal rejects the person, who leaves the lists and reads the reason, and frees the entry', async () => {
  const [outsider, graduate] = [await archive.createMember(namesake), await archive.createMember(namesake)];
  const entryId = await addEntryOf(archive, outsider);
  await submitCode(outsider, await printCode(archive, entryId));
  expect(await isListed(outsider)).toBe(true);

  expect((await withdraw(outsider)).statusCode).toBe(204);
  expect(await isListed(outsider)).toBe(false);
  expect(await membershipOf(outsider)).toMatchObject({
    status: 'rejected',
    isWaiting: false,
    confirmedAt: null,
    evidence: [],
    claim: { state: 'rejected', reason },
  });
  const { membership } = await registrar.device.call('GET /api/staff/people/{id}', { params: { id: outsider.uid } });
  expect(membership).toMatchObject({ status: 'rejected', evidence: [{ kind: 'printed-code', isWithdrawn: true }] });
  expect(await findRecords(outsider)).toEqual([
    { action: 'confirmation-withdrawn', actor: registrar.uid, details: { isImpostor: false, entry: entryId } },
  ]);
  expect(await isVouchingSuspended(outsider)).toBe(false);

  await archive.runJobs();
  const { text } = await archive.inbox.next(outsider.email, 'Your membership is no longer confirmed');
  expect(text).toContain(`> ${reason}`);
  expect(text).toContain('/confirm');
  expect(text).not.toContain(registrar.document.name.last);
  const { notifications } = await outsider.device.call('GET /api/notifications', { query: {} });
  expect(notifications.map(({ kind }) => kind)).toContain('membership-rejected');

  expect(await submitCode(graduate, await printCode(archive, entryId))).toEqual({ status: 'confirmed' });
});

test('after a withdrawal, details that match the roster do not confirm the person again', async () => {
  const relative = await archive.createMember({ dob: '1985-05-17' });
  const entryId = await addEntryOf(archive, relative);
  expect(await submitCode(relative, await printCode(archive, entryId))).toEqual({ status: 'confirmed' });
  expect((await withdraw(relative)).statusCode).toBe(204);
  const body = { matricNumber: relative.document.academic.matricNumber, dob: relative.document.dob };
  expect(await relative.device.call('POST /api/membership/claims', { body })).toEqual({ status: 'waiting' });
});

test('a withdrawal ends the mailed codes of the entry, and no more are sent', async () => {
  const heir = await archive.createMember({ dob: '1985-05-17' });
  const entryId = await addEntryOf(archive, heir, { email: 'reused@campus.example' });
  const body = { matricNumber: heir.document.academic.matricNumber, dob: heir.document.dob };
  const requestCode = async () => {
    await heir.device.call('POST /api/membership/mailed-codes', { body });
    await archive.runJobs();
    const mails = archive.inbox.to('reused@campus.example').filter(({ subject }) => subject.startsWith('Your code'));
    return mails.map((mail) => findLink(mail).pathname.replace('/join/', ''));
  };
  const [first = ''] = await requestCode();
  const [, second = ''] = await requestCode();
  expect(await submitCode(heir, first)).toEqual({ status: 'confirmed' });
  expect((await withdraw(heir)).statusCode).toBe(204);
  expect((await heir.device.ask('POST /api/membership/codes', { body: { code: second } })).statusCode).toBe(422);
  expect(await requestCode()).toHaveLength(2);
  const { rows } = await archive.pool.query('select from roster_links where entry_id = $1', [entryId]);
  expect(rows).toEqual([]);
});

test('a withdrawal is refused while the person is in a dispute, which other staff may have to decide', async () => {
  const outsider = await archive.createMember(namesake);
  const graduate = await archive.createMember(namesake);
  const entryId = await addEntryOf(archive, graduate);
  await submitCode(graduate, await printCode(archive, entryId));
  await confirmMember(archive, outsider);
  expect(await submitCode(outsider, await printCode(archive, entryId))).toEqual({ status: 'waiting' });
  for (const person of [outsider, graduate])
    expect((await withdraw(person)).json<Problem>()).toMatchObject({
      code: 'staff/refused',
      detail: 'This person is in a dispute. Decide the dispute in the review queue instead.',
    });
});

test('after the withdrawal of an impostor, the members who vouched for them may not vouch', async () => {
  const [voucher, impostor] = [await archive.createMember(), await archive.createMember()];
  await confirmMember(archive, voucher, { age: '8 days' });
  await confirmMember(archive, impostor, { kind: 'peer-vouch' });
  await archive.pool.query(`insert into vouches (voucher_id, claimant_id, answer) values ($1, $2, 'yes')`, [
    voucher.uid,
    impostor.uid,
  ]);
  expect((await withdraw(impostor, true)).statusCode).toBe(204);
  expect([await isVouchingSuspended(voucher), await isVouchingSuspended(impostor)]).toEqual([true, true]);
  expect(await findRecords(impostor)).toMatchObject([{ details: { isImpostor: true } }]);
});

test('after the withdrawal of an impostor, only staff confirm the entry, also for a new account', async () => {
  const impostor = await archive.createMember({ dob: '1985-05-17' });
  const entryId = await addEntryOf(archive, impostor, { email: impostor.email });
  const { academic, dob } = impostor.document;
  const body = { matricNumber: academic.matricNumber, dob };
  expect(await impostor.device.call('POST /api/membership/claims', { body })).toEqual({ status: 'confirmed' });
  expect((await withdraw(impostor, true)).statusCode).toBe(204);
  await impostor.device.call('DELETE /api/identity/account');
  const { device, uid: id } = await archive.signUpVerified(impostor.email);
  await device.call('PUT /api/users/{id}', { params: { id }, body: impostor.document });
  expect(await device.call('POST /api/membership/claims', { body })).toEqual({ status: 'waiting' });
  await archive.runJobs();
  const { rows } = await archive.pool.query('select from roster_links where entry_id = $1', [entryId]);
  expect(rows).toEqual([]);
});

test('a withdrawal is refused without a reason, for a person who is not confirmed, and in an archive that does not require confirmation', async () => {
  const [member, confirmed] = [await archive.createMember(), await archive.createMember()];
  await confirmMember(archive, confirmed);
  const path = `/api/staff/people/${confirmed.uid}/confirmation-withdrawal`;
  for (const body of [{ isImpostor: false }, { reason: ' ', isImpostor: false }, { reason }])
    expect((await registrar.device.fetch('POST', path, body)).statusCode).toBe(422);

  const refusalOf = async (target: Member) => {
    const { code, detail } = (await withdraw(target)).json<Problem>();
    return { code, detail };
  };
  expect(await refusalOf(member)).toEqual({ code: 'staff/refused', detail: 'This person is not confirmed.' });
  const setMode = (mode: 'open' | 'confirmed') => archive.pool.query('update membership_mode set mode = $1', [mode]);
  onTestFinished(async () => void (await setMode('confirmed')));
  await setMode('open');
  expect(await refusalOf(confirmed)).toEqual({
    code: 'staff/refused',
    detail: 'This archive does not require that members are confirmed.',
  });
  await setMode('confirmed');
  expect((await membershipOf(confirmed)).status).toBe('confirmed');
  for (const target of [member, confirmed]) expect(await findRecords(target)).toEqual([]);
  await archive.runJobs();
  expect(archive.inbox.to(confirmed.email)).toEqual([]);
});
