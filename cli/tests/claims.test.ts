import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import {
  addEntry,
  addEntryOf,
  confirmMember,
  enterConfirmedMode,
  namesake,
  printCode,
} from '#server/testing/membership.ts';
import { createSettings, runCommand } from '../testing/run-command.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  await enterConfirmedMode(archive);
});
afterAll(() => archive.close());

const run = (...words: string[]) => runCommand(createSettings(archive), 'claims', ...words);
const statusOf = async ({ device }: Member) => (await device.call('GET /api/membership')).status;
const useCode = ({ device }: Member, code: string) => device.call('POST /api/membership/codes', { body: { code } });

/** Sends a claim that waits. @returns its id */
async function claim({ device, document, uid }: Member, more: { dob?: string; note?: string } = {}): Promise<string> {
  const body = { matricNumber: document.academic.matricNumber, dob: document.dob, ...more };
  expect(await device.call('POST /api/membership/claims', { body })).toEqual({ status: 'waiting' });
  const { rows } = await archive.pool.query<{ id: string }>(
    `select id from claims where account_id = $1 and state = 'waiting'`,
    [uid],
  );
  return rows[0]?.id ?? '';
}

/** Returns the id of the open dispute about an entry. */
async function findDispute(entryId: number): Promise<string> {
  const { rows } = await archive.pool.query<{ id: string }>(
    'select id from disputes where entry_id = $1 and closed_at is null',
    [entryId],
  );
  return rows[0]?.id ?? '';
}

test('claims list, show and confirm decide a claim, with a record in the audit log, and a line in the operator log that names no one', async () => {
  const ada = await archive.createMember();
  await addEntryOf(archive, ada, { birth_date: '1961-03-04', email: 'other@mail.example' });
  expect((await run('list')).stdout).toBe('No claims are waiting.');
  const id = await claim(ada, { dob: '1961-04-03', note: 'Formerly Snarkling' });
  expect((await run('list')).stdout).toContain(`${id}  `);
  const { stdout } = await run('show', id);
  for (const part of [ada.email, ada.document.academic.matricNumber, '  > Formerly Snarkling', 'day and month swapped'])
    expect(stdout).toContain(part);
  expect(stdout).toMatch(/Email +differs/u);
  for (const hidden of ['1961-03-04', '1961-04-03', 'other@mail.example']) expect(stdout).not.toContain(hidden);

  for (const words of [
    ['confirm', id, '--seen', 'passport'],
    ['confirm', id, '--entry', 'NONE/1', '--seen', 'passport'],
    ['confirm', id, '--no-entry'],
    ['show', 'nonsense'],
  ])
    expect((await run(...words)).code).toBe(1);
  expect(await statusOf(ada)).toBe('unconfirmed');
  const matric = ada.document.academic.matricNumber.toLowerCase();
  expect(await run('confirm', id, '--entry', matric, '--seen', 'passport')).toMatchObject({ code: 0, stderr: '' });
  expect(await statusOf(ada)).toBe('confirmed');
  expect((await run('confirm', id, '--no-entry', '--seen', 'passport')).code).toBe(1);
  await archive.runJobs();
  await archive.inbox.next(ada.email, 'You are a confirmed member');
  const log = readFileSync(join(archive.context.config.dataDir, 'operator.log'), 'utf8');
  expect(log).toContain('claim confirmed by the operator');
  const { rows } = await archive.pool.query('select action, actor from audit_records where subject = $1', [id]);
  expect(rows).toEqual([{ action: 'claim-confirmed', actor: null }]);
  for (const hidden of [ada.document.name.last, ada.email, id]) expect(log).not.toContain(hidden);
});

test('claims confirm --no-entry confirms a person who is on no roster', async () => {
  const ada = await archive.createMember();
  const id = await claim(ada);
  expect((await run('show', id)).code).toBe(0);
  expect((await run('confirm', id, '--no-entry', '--seen', 'certificate of 1981')).code).toBe(0);
  expect(await statusOf(ada)).toBe('confirmed');
});

test('claims reject sends the user the reason', async () => {
  const ada = await archive.createMember();
  const id = await claim(ada);
  expect((await run('reject', id)).code).toBe(1);
  expect((await run('reject', id, '--reason', 'Bring a document')).stdout).toBe(`Claim ${id} was rejected.`);
  expect(await ada.device.call('GET /api/membership')).toMatchObject({
    status: 'rejected',
    claim: { state: 'rejected', reason: 'Bring a document' },
  });
  await archive.runJobs();
  expect((await archive.inbox.next(ada.email, 'We could not confirm that you studied here')).text).toMatch(
    /Read the reason below\. You can try again, or take a document .+\n\n> Bring a document/u,
  );
});

test('claims withdraw withdraws a confirmation, and sends the user the reason', async () => {
  const ada = await archive.createMember();
  expect((await run('withdraw', ada.email, '--reason', 'Wrong person')).stderr).toContain(
    'This person is not confirmed.',
  );
  const entryId = await addEntryOf(archive, ada);
  await useCode(ada, await printCode(archive, entryId));
  expect((await run('withdraw', ada.email)).code).toBe(1);
  expect((await run('withdraw', ada.email, '--reason', 'Wrong person', '--dry-run')).stdout).toContain(
    `${ada.email} would lose the confirmation`,
  );
  expect(await statusOf(ada)).toBe('confirmed');
  expect((await run('withdraw', ada.email, '--reason', 'Wrong person', '--impostor')).stdout).toBe(
    `The confirmation of ${ada.email} was withdrawn.`,
  );
  expect(await ada.device.call('GET /api/membership')).toMatchObject({
    status: 'rejected',
    claim: { state: 'rejected', reason: 'Wrong person' },
  });
  const { rows } = await archive.pool.query('select action, actor, details from audit_records where subject = $1', [
    ada.uid,
  ]);
  expect(rows).toEqual([
    { action: 'confirmation-withdrawn', actor: null, details: { isImpostor: true, entry: entryId } },
  ]);
  const log = readFileSync(join(archive.context.config.dataDir, 'operator.log'), 'utf8');
  expect(log).toContain('confirmation withdrawn by the operator');
});

test('claims confirm never takes an entry that is held by strong evidence, and claims resolve --transfer does', async () => {
  const [ada, ben] = [await archive.createMember(namesake), await archive.createMember(namesake)];
  const entryId = await addEntry(archive, { matric_number: 'CONTESTED/1' });
  await useCode(ada, await printCode(archive, entryId));
  const id = await claim(ben);
  expect((await run('confirm', id, '--entry', 'contested 1', '--seen', 'passport')).stdout).toContain('still waits');
  expect([await statusOf(ada), await statusOf(ben)]).toEqual(['confirmed', 'unconfirmed']);
  const { stdout } = await run('disputes');
  expect(stdout).toContain(`Holder    ${ada.email} (printed-code)`);
  expect(stdout).toContain(`Claimant  ${ben.email} (staff-review)`);
  const dispute = await findDispute(entryId);
  expect((await run('resolve', dispute)).code).toBe(1);
  expect((await run('resolve', dispute, '--transfer')).stdout).toBe(`Dispute ${dispute} was resolved.`);
  expect([await statusOf(ada), await statusOf(ben)]).toEqual(['unconfirmed', 'confirmed']);
  expect((await run('resolve', dispute, '--transfer')).code).toBe(1);
  await archive.runJobs();
  await archive.inbox.next(ada.email, 'We could not confirm that you studied here');
  await archive.inbox.next(ben.email, 'You are a confirmed member');
});

test('claims resolve --keep ends the claim of the other account', async () => {
  const [impostor, ada] = [await archive.createMember(namesake), await archive.createMember(namesake)];
  const entryId = await addEntryOf(archive, impostor);
  await confirmMember(archive, impostor, { kind: 'knowledge-match' });
  await archive.pool.query('insert into roster_links (entry_id, account_id) values ($1, $2)', [entryId, impostor.uid]);
  await archive.pool.query('update evidence set entry_id = $1 where account_id = $2', [entryId, impostor.uid]);
  await useCode(ada, await printCode(archive, entryId));
  expect([await statusOf(impostor), await statusOf(ada)]).toEqual(['disputed', 'confirmed']);
  expect((await run('resolve', await findDispute(entryId), '--keep', '--impostor')).code).toBe(0);
  expect([await statusOf(impostor), await statusOf(ada)]).toEqual(['rejected', 'confirmed']);
  const { rows } = await archive.pool.query(
    'select vouching_suspended_until is not null as suspended from accounts where id = $1',
    [impostor.uid],
  );
  expect(rows).toEqual([{ suspended: true }]);
});

test('claims resolve decides a dispute without another account', async () => {
  for (const [option, expected] of [
    ['--keep', 'confirmed'],
    ['--transfer', 'unconfirmed'],
  ] as const) {
    const ada = await archive.createMember(namesake);
    const entryId = await addEntry(archive);
    await confirmMember(archive, ada, { kind: 'knowledge-match' });
    await archive.pool.query('insert into roster_links (entry_id, account_id) values ($1, $2)', [entryId, ada.uid]);
    await archive.pool.query('update evidence set entry_id = $1 where account_id = $2', [entryId, ada.uid]);
    await archive.pool.query(`update accounts set membership_status = 'disputed', confirmed_at = null where id = $1`, [
      ada.uid,
    ]);
    await archive.pool.query('insert into disputes (entry_id, holder_id) values ($1, $2)', [entryId, ada.uid]);
    expect((await run('disputes')).stdout).toContain('reported from the mailbox of the entry');
    await archive.pool.query(`update disputes set entry_change = 'import' where entry_id = $1`, [entryId]);
    expect((await run('disputes')).stdout).toContain('an import changed the name or birth date of the entry');
    expect((await run('resolve', await findDispute(entryId), option)).code).toBe(0);
    expect(await statusOf(ada)).toBe(expected);
  }
});
