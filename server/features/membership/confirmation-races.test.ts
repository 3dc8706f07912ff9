import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { ProfileDocument } from '#contract/profile.ts';
import { setMembershipStatus } from '#server/domain/membership/membership.ts';
import { confirmAccount } from '#server/domain/membership/confirmations.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { findLink } from '#server/testing/inbox.ts';
import {
  addEntry,
  addEntryOf,
  confirmMember,
  enterConfirmedMode,
  namesake,
  printCode,
} from '#server/testing/membership.ts';
import { reviewClaim } from './claims.ts';
import { cleanUpClaimsJob } from './jobs.ts';
import { confirmClaim, resolveDispute } from './staff-decisions.ts';

/* Concurrent decisions about one account. The second one must take the first one into account. */

let archive: TestArchive;
let otherProcess: pg.Client;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  await enterConfirmedMode(archive);
  otherProcess = new pg.Client(archive.pool.options);
  await otherProcess.connect();
});
afterAll(async () => {
  await otherProcess.end();
  await archive.close();
});

async function inThisOrder<First, Second>(
  locked: Member | number,
  first: () => Promise<First>,
  second: () => Promise<Second>,
): Promise<[First, Second]> {
  await otherProcess.query('begin');
  if (typeof locked === 'number')
    await otherProcess.query('select from roster_entries where id = $1 for no key update', [locked]);
  else await otherProcess.query('select from accounts where id = $1 for no key update', [locked.uid]);
  const firstDone = first();
  await expect.poll(countWaiting).toBe(1);
  const secondDone = second();
  await expect.poll(countWaiting).toBe(2);
  await otherProcess.query('commit');
  return Promise.all([firstDone, secondDone]);
}

const countWaiting = async () => {
  const { rowCount } = await archive.pool.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rowCount;
};

const membershipOf = ({ device }: Member) => device.call('GET /api/membership');
const withdraw = ({ device }: Member) => device.ask('DELETE /api/membership/evidence');
const submitCode = ({ device }: Member, code: string) => device.ask('POST /api/membership/codes', { body: { code } });
const submitClaim = ({ device, document }: Member) =>
  device.ask('POST /api/membership/claims', {
    body: { matricNumber: document.academic.matricNumber, dob: document.dob },
  });

async function findEntryState(entryId: number) {
  const { rows } = await archive.pool.query<{ holder: string | null; contested: boolean; disputes: number }>(
    `select (select account_id from roster_links where entry_id = e.id) as holder, contested_at is not null as contested,
       (select count(*)::int from disputes where entry_id = e.id) as disputes
     from roster_entries e where id = $1`,
    [entryId],
  );
  return rows[0];
}

async function findDispute(entryId: number): Promise<string> {
  const { rows } = await archive.pool.query<{ id: string }>('select id from disputes where entry_id = $1', [entryId]);
  return rows[0]?.id ?? '';
}

/** Confirms by moderate evidence, as earlier versions did. */
async function createKnown() {
  // Not 1 January, which stands for an unknown birthday.
  const member = await archive.createMember({ ...namesake, dob: '1985-05-17' });
  const email = `entry-${member.email}`;
  const entryId = await addEntryOf(archive, member, { email });
  await archive.context.db
    .transaction()
    .execute((tx) => confirmAccount(tx, archive.context, { accountId: member.uid, entryId, kind: 'knowledge-match' }));
  await archive.runJobs();
  const mail = await archive.inbox.next(email, 'An account in the alumni archive was confirmed as you');
  return { member, entryId, notice: findLink(mail).searchParams.get('code') ?? '' };
}

test('a code for an entry that its holder gives back in the meantime takes it without a dispute', async () => {
  const { member: holder, entryId } = await createKnown();
  const ada = await archive.createMember(namesake);
  const code = await printCode(archive, entryId);
  const [, confirmed] = await inThisOrder(
    holder,
    () => withdraw(holder),
    () => submitCode(ada, code),
  );
  expect(confirmed.json()).toEqual({ status: 'confirmed' });
  expect(await membershipOf(holder)).toMatchObject({ status: 'unconfirmed' });
  expect(await findEntryState(entryId)).toEqual({ holder: ada.uid, contested: false, disputes: 0 });
});

test('a notice about an account that gives the entry back in the meantime keeps the entry for staff', async () => {
  const { member: holder, entryId, notice } = await createKnown();
  const [, reported] = await inThisOrder(
    holder,
    () => withdraw(holder),
    () => archive.openDevice().ask('POST /api/membership/disputes', { body: { code: notice } }),
  );
  expect(reported.statusCode).toBe(204);
  expect(await membershipOf(holder)).toMatchObject({ status: 'unconfirmed' });
  expect(await findEntryState(entryId)).toEqual({ holder: null, contested: true, disputes: 0 });
});

const resolve = (id: string, decision: { outcome: 'keep' | 'transfer'; isImpostor: boolean }) =>
  archive.context.db
    .transaction()
    .execute((tx) => resolveDispute(archive.context, tx, id, { ...decision, decidedBy: null }));

test('a notice about an account that is deleted in the meantime keeps the entry for staff', async () => {
  const { member: holder, entryId, notice } = await createKnown();
  const [deleted, reported] = await inThisOrder(
    holder,
    () => holder.device.ask('DELETE /api/identity/account'),
    () => archive.openDevice().ask('POST /api/membership/disputes', { body: { code: notice } }),
  );
  expect([deleted.statusCode, reported.statusCode]).toEqual([200, 204]);
  expect(await findEntryState(entryId)).toEqual({ holder: null, contested: true, disputes: 0 });
});

test('a dispute decided for a holder who gives the entry back in the meantime does not return it', async () => {
  const { member: holder, entryId, notice } = await createKnown();
  await archive.openDevice().call('POST /api/membership/disputes', { body: { code: notice } });
  const [, decided] = await inThisOrder(
    holder,
    () => withdraw(holder),
    async () => resolve(await findDispute(entryId), { outcome: 'keep', isImpostor: false }),
  );
  expect(decided).toBe(true);
  expect(await membershipOf(holder)).toMatchObject({ status: 'unconfirmed' });
  expect(await findEntryState(entryId)).toMatchObject({ holder: null });
});

async function createClaim() {
  const ben = await archive.createMember(namesake);
  await submitClaim(ben);
  const entryId = await addEntry(archive);
  const { rows } = await archive.pool.query<{ id: string }>('select id from claims where account_id = $1', [ben.uid]);
  return { ben, entryId, claimId: rows[0]?.id ?? '' };
}

const confirm = (claimId: string, entryId: number) =>
  archive.context.db
    .transaction()
    .execute((tx) => confirmClaim(archive.context, tx, claimId, { entryId, seen: 'Passport', decidedBy: null }));

test('a claim that is withdrawn in the meantime is neither confirmed nor disputed', async () => {
  const { ben, entryId, claimId } = await createClaim();
  const [withdrawn, confirmed] = await inThisOrder(
    ben,
    () => ben.device.ask('DELETE /api/membership/claims'),
    () => confirm(claimId, entryId),
  );
  expect([withdrawn.statusCode, confirmed]).toEqual([204, null]);
  expect(await membershipOf(ben)).toMatchObject({ status: 'unconfirmed', isWaiting: false });
  expect(await findEntryState(entryId)).toEqual({ holder: null, contested: false, disputes: 0 });
  const chi = await archive.createMember(namesake);
  await submitClaim(chi);
  const entryOfChi = await addEntryOf(archive, chi, { email: chi.email });
  await inThisOrder(
    chi,
    () => chi.device.ask('DELETE /api/membership/claims'),
    () => reviewClaim(archive.context, chi.uid),
  );
  expect(await membershipOf(chi)).toMatchObject({ status: 'unconfirmed', isWaiting: false });
  expect(await findEntryState(entryOfChi)).toEqual({ holder: null, contested: false, disputes: 0 });
});

test('a claim that is confirmed while the old claims expire does not expire', async () => {
  const { ben, entryId, claimId } = await createClaim();
  await archive.pool.query(`update claims set updated_at = now() - interval '91 days' where id = $1`, [claimId]);
  await cleanUpClaimsJob.queue(archive.context.db, {});
  await inThisOrder(
    ben,
    () => confirm(claimId, entryId),
    () => archive.runJobs(),
  );
  await archive.runJobs();
  expect(await membershipOf(ben)).toMatchObject({ status: 'confirmed' });
  const { rows } = await archive.pool.query('select state from claims where id = $1', [claimId]);
  expect(rows).toEqual([{ state: 'confirmed' }]);
  expect(archive.inbox.to(ben.email).map(({ subject }) => subject)).not.toContain('Your request has expired');
});

test.each(['the holder', 'another account'] as const)(
  'codes of the holder and of another account for one entry are both decided, that of %s first',
  async (who) => {
    const { member: holder, entryId } = await createKnown();
    const ada = await archive.createMember(namesake);
    const codes = [await printCode(archive, entryId), await printCode(archive, entryId)] as const;
    const submissions = [() => submitCode(holder, codes[0]), () => submitCode(ada, codes[1])] as const;
    const [first, second] = who === 'the holder' ? submissions : [submissions[1], submissions[0]];
    const answers = await inThisOrder(entryId, first, second);
    expect(answers.map((answer) => answer.json<object>())).toEqual([{ status: 'confirmed' }, { status: 'waiting' }]);
    expect(await findEntryState(entryId)).toEqual({
      holder: who === 'the holder' ? holder.uid : ada.uid,
      contested: true,
      disputes: 1,
    });
  },
);

test('a code for an entry whose holder is deleted in the meantime is decided', async () => {
  const { member: holder, entryId } = await createKnown();
  const ada = await archive.createMember(namesake);
  const code = await printCode(archive, entryId);
  const [answer, deleted] = await inThisOrder(
    entryId,
    () => submitCode(ada, code),
    () => holder.device.ask('DELETE /api/identity/account'),
  );
  expect(answer.json()).toEqual({ status: 'confirmed' });
  expect(deleted.statusCode).toBe(200);
  expect(await findEntryState(entryId)).toMatchObject({ holder: ada.uid });
});

test('a code of the claimant and a decision about the dispute are both carried out', async () => {
  const { member: holder, entryId } = await createKnown();
  // The order of the ids must not matter.
  for (let tries = 0; tries < 2; tries++) {
    const claimant = await archive.createMember(namesake);
    await submitCode(holder, await printCode(archive, entryId));
    const [first, again] = [await printCode(archive, entryId), await printCode(archive, entryId)];
    expect((await submitCode(claimant, first)).json()).toEqual({ status: 'waiting' });
    const { rows } = await archive.pool.query<{ id: string }>(
      'select id from disputes where entry_id = $1 and closed_at is null',
      [entryId],
    );
    const [answer, decided] = await inThisOrder(
      entryId,
      () => submitCode(claimant, again),
      () => resolve(rows[0]?.id ?? '', { outcome: 'keep', isImpostor: false }),
    );
    expect([answer.json(), decided]).toEqual([{ status: 'waiting' }, true]);
  }
});

test('a dispute whose holder is deleted in the meantime needs no decision', async () => {
  const { member: holder, entryId, notice } = await createKnown();
  await archive.openDevice().call('POST /api/membership/disputes', { body: { code: notice } });
  const [deleted, decided] = await inThisOrder(
    holder,
    () => holder.device.ask('DELETE /api/identity/account'),
    async () => resolve(await findDispute(entryId), { outcome: 'transfer', isImpostor: true }),
  );
  expect([deleted.statusCode, decided]).toEqual([200, false]);
});

test.each([
  ['text', { bio: 'Saved late' }],
  ['a name with a new word', { name: { first: namesake.firstName, middle: 'Latecomer', last: namesake.lastName } }],
  ['a visibility choice', { visibility: { bio: 'everyone' } }],
] as const)(
  'a profile in which %s is saved while the membership is disputed or confirmed is listed only if it is confirmed',
  async (_, changes) => {
    const member = await archive.createMember(namesake);
    await confirmMember(archive, member);
    const { device, uid, document } = member;
    const { imgURL } = await device.call('GET /api/users/{id}', { params: { id: uid }, query: {} });
    const setStatus = (status: 'confirmed' | 'disputed') =>
      archive.context.db.transaction().execute((tx) => setMembershipStatus(tx, uid, status));
    const save = () =>
      device.ask('PUT /api/users/{id}', { params: { id: uid }, body: { ...document, imgURL, ...changes } });
    const listedNames = async () => {
      const { rows } = await archive.pool.query<{ name: string }>('select name from listings where account_id = $1', [
        uid,
      ]);
      return rows.map(({ name }) => name);
    };
    const [, saved] = await inThisOrder(member, () => setStatus('disputed'), save);
    expect([saved.statusCode, await listedNames()]).toEqual([200, []]);
    await inThisOrder(member, save, () => setStatus('confirmed'));
    const { first, middle, last } = (changes as Partial<ProfileDocument>).name ?? document.name;
    expect(new Set(await listedNames())).toEqual(new Set([`${first} ${middle} ${last}`]));
    await inThisOrder(member, save, () => setStatus('disputed'));
    expect(await listedNames()).toEqual([]);
  },
);

test('a claim for an entry that an undo of the import deletes in the meantime waits', async () => {
  const ada = await archive.createMember(namesake, { dob: '1985-05-17' });
  const entryId = await addEntryOf(archive, ada, { email: ada.email });
  await otherProcess.query('begin');
  await otherProcess.query('delete from roster_entries where id = $1', [entryId]);
  const claimed = submitClaim(ada);
  await expect.poll(countWaiting).toBe(1);
  await otherProcess.query('commit');
  expect((await claimed).json()).toEqual({ status: 'waiting' });
  expect(await membershipOf(ada)).toMatchObject({ status: 'unconfirmed', isWaiting: true });
});
