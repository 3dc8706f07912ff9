import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { termsVersion as terms } from '#contract/terms.ts';
import { type Member, type TestArchive, openArchive, smallPicture } from '#server/testing/archive.ts';
import { findCode } from '#server/testing/inbox.ts';
import { SoftPasskey } from '#server/testing/passkey.ts';
import { addPasskey } from '#server/testing/second-factor.ts';
import { createLog } from '#server/platform/log/log.ts';
import { deleteAccountAgain } from './delete-account.ts';
import { disableAccount, enableAccount } from './disable-account.ts';
import { nightlyCleanUpJob } from '../jobs.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(() => archive.close());

const log = createLog('silent', { write: () => undefined });

const subjects = {
  change: 'Confirm your new email address',
  recover: 'Your email address was changed',
  deletion: 'Your account will be deleted',
  reset: 'Choose a new password',
} as const;

async function nextCode(address: string, subject: string): Promise<string> {
  await archive.runJobs();
  return findCode(await archive.inbox.next(address, subject));
}

const apply = (code: string) => archive.openDevice().call('POST /api/identity/action-code/apply', { body: { code } });
const applyFails = (code: string) =>
  archive.openDevice().code('POST /api/identity/action-code/apply', { body: { code } });

async function moveTo({ device }: Member, email: string): Promise<void> {
  await device.call('POST /api/identity/email', { body: { email } });
  await apply(await nextCode(email, subjects.change));
}

async function cleanUp(): Promise<void> {
  await nightlyCleanUpJob.queue(archive.context.db, {});
  await archive.runJobs();
}

const signUp = (email: string) =>
  archive.openDevice().ask('POST /api/identity/sign-up', { body: { email, password: 'a long enough word', terms } });
const countAccounts = async ({ uid }: Member) =>
  (await archive.pool.query('select from accounts where id = $1', [uid])).rowCount;

describe('DELETE /api/identity/account while a previous address is reserved', () => {
  test('hides the profile, ends all sessions and returns the time of the deletion', async () => {
    const owner = await archive.createMember({ lastName: 'Heldback', department: 'Limbo Studies' });
    await owner.device.call('POST /api/gallery/photos', {
      body: { title: 'A gate', album: 'Gates', audience: 'everyone', image: await smallPicture() },
    });
    const passkey = new SoftPasskey();
    await addPasskey(owner.device, passkey, 'Phone');
    const guest = archive.openDevice();
    const { imgURL } = await guest.call('GET /api/users/{id}', { params: { id: owner.uid }, query: {} });
    const { items } = await guest.call('GET /api/gallery/photos', { query: { album: 'gates' } });
    const pictures = [imgURL ?? '', items[0]?.src ?? ''];
    for (const picture of pictures) expect((await guest.fetch('GET', picture)).statusCode).toBe(200);
    await moveTo(owner, 'heldback-new@mail.example');
    await owner.device.call('POST /api/identity/reauthenticate', { body: { password: owner.password } });

    const { deletesAt } = await owner.device.call('DELETE /api/identity/account');
    const days = (new Date(deletesAt ?? 0).getTime() - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(29);
    expect(days).toBeLessThanOrEqual(30);
    expect((await owner.device.call('GET /api/identity/session')).user).toBeNull();
    const credentials = { email: 'heldback-new@mail.example', password: owner.password };
    expect(await archive.openDevice().code('POST /api/identity/sign-in', { body: credentials })).toBe(
      'auth/invalid-credential',
    );
    const device = archive.openDevice();
    const options = await device.call('POST /api/identity/sign-in/passkey/options');
    const signed = { body: { passkey: passkey.get(options) } };
    expect(await device.code('POST /api/identity/sign-in/passkey', signed)).toBe('auth/invalid-passkey');

    const other = await archive.createMember();
    for (const device of [guest, other.device]) {
      const whom = { params: { id: owner.uid }, query: {} };
      expect(await device.code('GET /api/users/{id}', whom)).toBe('not-found');
      expect((await device.call('GET /api/search', { query: { q: 'Heldback' } })).count).toBe(0);
      expect((await device.call('GET /api/users/count', { query: { department: 'Limbo Studies' } })).count).toBe(0);
      expect((await device.call('GET /api/gallery/photos', { query: { album: 'gates' } })).items).toEqual([]);
    }
    for (const picture of pictures) expect((await guest.fetch('GET', picture)).statusCode).toBe(404);
    const message = { params: { id: owner.uid }, body: { text: 'Hello', shareEmail: false } };
    expect(await other.device.code('POST /api/users/{id}/messages', message)).toBe('not-found');
    // The account gets no other mail in the meantime.
    await archive.runJobs();
    await archive.inbox.next(credentials.email, subjects.deletion);
    await guest.call('POST /api/identity/password-reset', { body: { email: credentials.email } });
    await archive.runJobs();
    expect(archive.inbox.to(credentials.email)).toEqual([]);
  });

  test('sends an email to the current and all reserved addresses, with a link that restores the account', async () => {
    const owner = await archive.createMember({ lastName: 'Comeback' });
    const listed = async () =>
      (await archive.pool.query('select * from listings where account_id = $1 order by audience', [owner.uid])).rows;
    await owner.device.call('POST /api/gallery/photos', {
      body: { title: 'A bridge', album: 'Bridges', audience: 'everyone', image: await smallPicture() },
    });
    await archive.advanceTime('2 hours');
    await owner.device.call('POST /api/identity/reauthenticate', { body: { password: owner.password } });
    await moveTo(owner, 'comeback-two@mail.example');
    await moveTo(owner, 'comeback-three@mail.example');
    const before = await listed();
    const fromChange = await nextCode(owner.email, subjects.recover);
    await owner.device.call('DELETE /api/identity/account');
    expect(await listed()).toEqual([]);
    await archive.runJobs();
    for (const address of ['comeback-two@mail.example', 'comeback-three@mail.example']) {
      const mail = await archive.inbox.next(address, subjects.deletion);
      expect(mail.text).toMatch(/will be deleted on \d{1,2} \w+ \d{4}/u);
    }
    const fromDeletion = findCode(await archive.inbox.next(owner.email, subjects.deletion));

    expect(await apply(fromDeletion)).toEqual({ mode: 'recoverEmail', email: owner.email });
    expect(await applyFails(fromChange)).toBe('auth/invalid-action-code');
    expect((await listed()).map((row: object) => ({ ...row, picture: null }))).toEqual(
      before.map((row: object) => ({ ...row, picture: null })),
    );
    const guest = archive.openDevice();
    const { imgURL } = await guest.call('GET /api/users/{id}', { params: { id: owner.uid }, query: {} });
    expect((await guest.fetch('GET', imgURL ?? '')).statusCode).toBe(200);
    expect((await guest.call('GET /api/gallery/photos', { query: { album: 'bridges' } })).items).toHaveLength(1);
    const reset = await nextCode(owner.email, subjects.reset);
    await guest.call('POST /api/identity/password-reset/confirm', {
      body: { code: reset, password: 'mine once more' },
    });
    const signedIn = await guest.call('POST /api/identity/sign-in', {
      body: { email: owner.email, password: 'mine once more' },
    });
    expect(signedIn.user.uid).toBe(owner.uid);
    await archive.advanceTime('31 days');
    await cleanUp();
    expect(await countAccounts(owner)).toBe(1);
  });

  test('leaves the recovery link from the change of address valid, which restores the account', async () => {
    const owner = await archive.createMember();
    await moveTo(owner, 'first-link@mail.example');
    const fromChange = await nextCode(owner.email, subjects.recover);
    await owner.device.call('DELETE /api/identity/account');
    await archive.runJobs();
    expect(await apply(fromChange)).toEqual({ mode: 'recoverEmail', email: owner.email });
    expect(
      await archive.openDevice().ask('GET /api/users/{id}', { params: { id: owner.uid }, query: {} }),
    ).toMatchObject({
      statusCode: 200,
    });
  });

  test('deletes the account when the last reservation ends, and keeps all addresses reserved until then', async () => {
    const owner = await archive.createMember();
    await moveTo(owner, 'erased-two@mail.example');
    await archive.advanceTime('10 days');
    await owner.device.call('POST /api/identity/reauthenticate', { body: { password: owner.password } });
    await moveTo(owner, 'erased-three@mail.example');
    await owner.device.call('DELETE /api/identity/account');
    const addresses = [owner.email, 'erased-two@mail.example', 'erased-three@mail.example'];
    for (const email of addresses)
      expect((await signUp(email)).json()).toMatchObject({ code: 'auth/email-already-in-use' });
    await archive.advanceTime('29 days');
    await cleanUp();
    expect(await countAccounts(owner)).toBe(1);
    await archive.advanceTime('25 hours');
    await cleanUp();
    expect(await countAccounts(owner)).toBe(0);
    await archive.inbox.next('erased-three@mail.example', 'Your account was deleted');
    for (const email of addresses) expect((await signUp(email)).statusCode).toBe(200);
  });

  test('deletes nothing while the clock is not steady', async () => {
    const owner = await archive.createMember();
    await moveTo(owner, 'jumped@mail.example');
    await owner.device.call('DELETE /api/identity/account');
    await archive.advanceTime('31 days');
    await archive.pool.query(`update clock set steady_since = now() - interval '1 hour'`);
    await cleanUp();
    expect(await countAccounts(owner)).toBe(1);
    await archive.pool.query(`update clock set steady_since = now() - interval '1 year'`);
    await cleanUp();
    expect(await countAccounts(owner)).toBe(0);
  });

  test('waits for reservations that ended only because the clock jumped forward', async () => {
    const owner = await archive.createMember();
    await moveTo(owner, 'ahead@mail.example');
    const way = await nextCode(owner.email, subjects.recover);
    await archive.pool.query(`update clock set steady_since = now()`);
    await archive.pool.query(`update held_addresses set until = now() - interval '1 hour' where account_id = $1`, [
      owner.uid,
    ]);
    await owner.device.call('DELETE /api/identity/account');
    expect(await countAccounts(owner)).toBe(1);
    await archive.pool.query(`update clock set steady_since = now() - interval '1 year'`);
    expect(await apply(way)).toEqual({ mode: 'recoverEmail', email: owner.email });
  });

  test('keeps all recovery links valid until the deletion, and the link of the oldest address takes precedence', async () => {
    const owner = await archive.createMember();
    await moveTo(owner, 'thief-one@mail.example');
    await nextCode(owner.email, subjects.recover);
    await archive.advanceTime('29 days');
    const attacker = archive.openDevice();
    await attacker.call('POST /api/identity/sign-in', {
      body: { email: 'thief-one@mail.example', password: owner.password },
    });
    await moveTo({ ...owner, device: attacker }, 'thief-two@mail.example');
    await attacker.call('DELETE /api/identity/account');
    const fromDeletion = await nextCode(owner.email, subjects.deletion);
    const ofAttacker = findCode(await archive.inbox.next('thief-one@mail.example', subjects.deletion));
    await archive.advanceTime('29 days');
    await cleanUp();
    expect(await apply(ofAttacker)).toMatchObject({ email: 'thief-one@mail.example' });
    expect(await apply(fromDeletion)).toMatchObject({ email: owner.email });
    expect(await applyFails(ofAttacker)).toBe('auth/invalid-action-code');
  });

  test('does not delete a disabled account, whose recovery link works once it is enabled again', async () => {
    const owner = await archive.createMember();
    await moveTo(owner, 'stolen@mail.example');
    await nextCode(owner.email, subjects.recover);
    await owner.device.call('DELETE /api/identity/account');
    const way = await nextCode(owner.email, subjects.deletion);
    await disableAccount(archive.context, owner.uid, log);
    await archive.advanceTime('31 days');
    await cleanUp();
    await deleteAccountAgain(archive.context, owner.uid, new Date(0), log);
    expect(await countAccounts(owner)).toBe(1);
    await archive.advanceTime('100 days');
    await enableAccount(archive.context, owner.uid, log);
    await cleanUp();
    expect(await apply(way)).toEqual({ mode: 'recoverEmail', email: owner.email });
  });
});
