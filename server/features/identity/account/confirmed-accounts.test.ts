import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { setMembershipStatus } from '#server/domain/membership/membership.ts';
import { findHolder, linkEntry } from '#server/domain/roster/links.ts';
import { createLog } from '#server/platform/log/log.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { findCode } from '#server/testing/inbox.ts';
import { confirmMember, enterConfirmedMode } from '#server/testing/membership.ts';
import { nightlyCleanUpJob } from '../jobs.ts';
import { disableAccount, enableAccount } from './disable-account.ts';

/* Disabled accounts and pending deletions in an archive that confirms its members. */

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  await enterConfirmedMode(archive);
});
afterAll(() => archive.close());

const log = createLog('silent', { write: () => undefined });
const setStatus = ({ uid }: Member, status: 'confirmed' | 'unconfirmed') =>
  archive.context.db.transaction().execute((tx) => setMembershipStatus(tx, uid, status));
const readStatus = async ({ uid }: Member) => (await archive.openDevice().fetch('GET', `/api/users/${uid}`)).statusCode;
const countListings = async ({ uid }: Member) =>
  (await archive.pool.query('select from listings where account_id = $1', [uid])).rowCount;

async function createConfirmed(): Promise<Member & { entry: number }> {
  const member = await archive.createMember();
  const { rows } = await archive.pool.query<{ id: number }>(
    `insert into roster_entries (matric_key, matric_number, last_name, first_name, words, first_import, last_import)
     values ($1, $1, 'Obi', 'Ada', '{}', 1, 1) returning id`,
    [member.uid],
  );
  const entry = rows[0]?.id ?? 0;
  await linkEntry(archive.context.db, entry, member.uid);
  await confirmMember(archive, member);
  return { ...member, entry };
}

test('confirming a disabled account lists it only after it is enabled', async () => {
  const member = await archive.createMember();
  await disableAccount(archive.context, member.uid, log);
  await setStatus(member, 'confirmed');
  expect([await countListings(member), await readStatus(member)]).toEqual([0, 404]);
  await enableAccount(archive.context, member.uid, log);
  expect([await countListings(member), await readStatus(member)]).toEqual([2, 200]);
});

test('enabling an account whose confirmation was withdrawn while it was disabled does not list it', async () => {
  const member = await createConfirmed();
  await disableAccount(archive.context, member.uid, log);
  await setStatus(member, 'unconfirmed');
  await enableAccount(archive.context, member.uid, log);
  expect([await countListings(member), await readStatus(member)]).toEqual([0, 404]);
  await setStatus(member, 'confirmed');
  expect([await countListings(member), await readStatus(member)]).toEqual([2, 200]);
});

test('a pending deletion keeps the roster entry, so that a recovered account is confirmed as before', async () => {
  const member = await createConfirmed();
  const { db } = archive.context;
  const nextCode = async (address: string, subject: string) => {
    await archive.runJobs();
    return findCode(await archive.inbox.next(address, subject));
  };
  const apply = (code: string) => archive.openDevice().call('POST /api/identity/action-code/apply', { body: { code } });
  const change = async (email: string) => {
    await member.device.call('POST /api/identity/email', { body: { email } });
    await apply(await nextCode(email, 'Confirm your new email address'));
    return nextCode(member.email, 'Your email address was changed');
  };
  const recovery = await change('pending-confirmed@mail.example');
  await member.device.call('POST /api/identity/reauthenticate', { body: { password: member.password } });
  await member.device.call('DELETE /api/identity/account');
  expect([await readStatus(member), await findHolder(db, member.entry)]).toEqual([404, member.uid]);
  await apply(recovery);
  expect([await readStatus(member), await findHolder(db, member.entry)]).toEqual([200, member.uid]);
});

test('a pending deletion that takes effect frees the roster entry', async () => {
  const member = await createConfirmed();
  const { db } = archive.context;
  await archive.pool.query(`update accounts set deletes_at = now() + interval '1 day' where id = $1`, [member.uid]);
  await archive.advanceTime('2 days');
  await nightlyCleanUpJob.queue(db, {});
  await archive.runJobs();
  expect(await findHolder(db, member.entry)).toBeNull();
  const { rows } = await archive.pool.query('select member_left_at from roster_entries where id = $1', [member.entry]);
  expect(rows).not.toEqual([{ member_left_at: null }]);
});
