import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, inject, test } from 'vitest';
import type { Member, TestArchive } from '#server/testing/archive.ts';
import { codeIn } from '#server/testing/inbox.ts';
import { cleanUp, newFolder } from '#server/testing/product.ts';
import { type Place, newPlace, rowsOf } from '../backup-format/testing.ts';
import { settingsOf, type } from '../testing/run-command.ts';

/* A deletion is not undone by the restore of a backup that was made before it. */

let place: Place;
let archive: TestArchive;
let file: string;
let journal: string;
let ada: Member;
let ben: Member;

beforeEach(async () => {
  place = await newPlace(inject('databases'));
  // The same data folder, and a database of its own: what a restore into the place meets.
  archive = await place.open();
  file = join(newFolder('archive-backups-'), 'before.tar.gz');
  journal = join(place.settings.DATA_DIR, 'deletions.jsonl');
  [ada, ben] = [await archive.join({ firstName: 'Ada' }), await archive.join({ firstName: 'Ben' })];
  await backUp(file);
});
afterEach(async () => {
  await archive.close();
  await place.drop();
});
afterAll(cleanUp);

async function backUp(to: string): Promise<void> {
  const { code, noted } = await type(settingsOf(archive), 'backup', to);
  if (code !== 0) throw new Error(noted);
}

const deleteAccount = async ({ device, password }: Member) => {
  await device.call('POST /api/identity/reauthenticate', { body: { password } });
  await device.call('DELETE /api/identity/account');
};

/** The addresses that have an account in the place. */
async function emailsIn(where: Place): Promise<string[]> {
  const restored = await where.open();
  const { rows } = await restored.pool.query<{ email: string }>('select email from accounts order by created_at');
  await restored.close();
  return rows.map(({ email }) => email);
}

test('restore deletes accounts again that were deleted after the backup was made, without a second mail', async () => {
  await deleteAccount(ada);
  const lines = readFileSync(journal, 'utf8');
  for (const readable of [ada.uid, ada.email]) expect(lines).not.toContain(readable);
  expect(await type(place.settings, 'restore', file)).toMatchObject({
    code: 0,
    said: expect.stringContaining(
      'Deleted again, because their owners deleted them after the backup was made: 1 accounts.',
    ) as string,
  });
  const restored = await place.open();
  const rows = await rowsOf(restored.pool);
  expect(JSON.stringify(rows)).not.toContain(ada.uid);
  expect(rows['jobs']?.join()).not.toContain('account-deleted');
  expect((await restored.device().fetch('GET', `/api/users/${ben.uid}`)).statusCode).toBe(200);
  expect(rows['listings']?.some((row) => row.includes('Ada'))).toBe(false);
  await restored.close();
  expect(readFileSync(journal, 'utf8')).toBe(lines);
});

test('restore keeps an account that was created with the address of a deleted one', async () => {
  await deleteAccount(ada);
  const again = await archive.signUpVerified(ada.email);
  const newer = join(newFolder('archive-backups-'), 'newer.tar.gz');
  await backUp(newer);
  expect((await type(place.settings, 'restore', newer)).said).not.toContain('Deleted again');
  expect(await emailsIn(place)).toEqual([ben.email, again.email]);
});

const codeFor = async (from: TestArchive, address: string, subject: string) => {
  await from.work();
  return codeIn(await from.inbox.next(address, subject));
};
const apply = (to: TestArchive, code: string) =>
  to.device().call('POST /api/identity/action-code/apply', { body: { code } });

/** Moves the account of Ada to the address of a thief. @returns the recovery code that her mailbox gets */
async function steal(): Promise<string> {
  await ada.device.call('POST /api/identity/email', { body: { email: 'thief@mail.example' } });
  await apply(archive, await codeFor(archive, 'thief@mail.example', 'Confirm your new email address'));
  return codeFor(archive, ada.email, 'Your email address was changed');
}

/** Whether the deletion of an account is pending, and the answer to a request for Ada. */
async function seesAda(restored: TestArchive): Promise<unknown[]> {
  const { rowCount } = await restored.pool.query('select from accounts where deletes_at > now()');
  const { statusCode } = await restored.device().fetch('GET', `/api/users/${ada.uid}`);
  return [rowCount, statusCode];
}

test('restore hides an account whose deletion is pending, until the old mailbox has taken it back', async () => {
  const recovery = await steal();
  await deleteAccount(ada);
  const restoreAndSee = async () => {
    expect(await type(place.settings, 'restore', file, '--replace')).toMatchObject({ code: 0 });
    const restored = await place.open();
    const seen = await seesAda(restored);
    await restored.close();
    return seen;
  };
  expect(await restoreAndSee()).toEqual([1, 404]);
  await apply(archive, recovery);
  await archive.work();
  expect(await restoreAndSee()).toEqual([0, 200]);
});

test('restore of a backup from before a theft mails a link that cancels the pending deletion', async () => {
  await steal();
  await deleteAccount(ada);
  expect(await type(place.settings, 'restore', file)).toMatchObject({ code: 0 });
  const restored = await place.open();
  expect(await seesAda(restored)).toEqual([1, 404]);
  const code = await codeFor(restored, ada.email, 'Your account will be deleted');
  expect(await apply(restored, code)).toEqual({ mode: 'recoverEmail', email: ada.email });
  expect(await seesAda(restored)).toEqual([0, 200]);
  await codeFor(restored, ada.email, 'Choose a new password');
  expect(restored.inbox.to(ada.email).map(({ subject }) => subject)).not.toContain(
    'Your address was taken off an account',
  );
  await restored.close();
});

test('restore of a backup from after a theft mails the recovery link to the old mailbox only', async () => {
  await steal();
  const stolen = join(newFolder('archive-backups-'), 'stolen.tar.gz');
  await backUp(stolen);
  await deleteAccount(ada);
  expect(await type(place.settings, 'restore', stolen)).toMatchObject({ code: 0 });
  const restored = await place.open();
  const code = await codeFor(restored, ada.email, 'Your account will be deleted');
  expect((await restored.inbox.next('thief@mail.example', 'Your account will be deleted')).text).not.toContain(
    'oobCode',
  );
  expect(await apply(restored, code)).toEqual({ mode: 'recoverEmail', email: ada.email });
  await restored.close();
});

test('restore keeps an account that was taken back after the backup, and mails a new recovery link', async () => {
  const recovery = await steal();
  await deleteAccount(ada);
  const pending = join(newFolder('archive-backups-'), 'pending.tar.gz');
  await backUp(pending);
  await apply(archive, recovery);
  await archive.work();
  expect(await type(place.settings, 'restore', pending)).toMatchObject({
    code: 0,
    said: expect.stringMatching(
      new RegExp(`^Deletion cancelled, .*: 1 accounts\\. .* as of the backup.*\n {2}${ada.uid}$`, 'mu'),
    ) as string,
  });
  const restored = await place.open();
  expect(await seesAda(restored)).toEqual([0, 200]);
  const code = await codeFor(restored, ada.email, 'Your email address was changed');
  expect(await apply(restored, code)).toEqual({ mode: 'recoverEmail', email: ada.email });
  await restored.close();
});

test('a deletion is written to the journal later where it could not be written at once', async () => {
  mkdirSync(journal);
  await deleteAccount(ada);
  rmdirSync(journal);
  await archive.letPass('1 minute');
  await archive.work();
  expect(existsSync(journal)).toBe(true);
  await type(place.settings, 'restore', file);
  expect(await emailsIn(place)).toEqual([ben.email]);
});

test('a line that a crash has cut off does not damage the next one', async () => {
  await deleteAccount(ada);
  writeFileSync(journal, readFileSync(journal, 'utf8').trimEnd().slice(0, -5));
  await deleteAccount(ben);
  await type(place.settings, 'restore', file);
  expect(await emailsIn(place)).toEqual([ada.email]);
});

test('the journal goes with a backup into a new data folder, and stays where there is one with another key', async () => {
  await deleteAccount(ada);
  const newer = join(newFolder('archive-backups-'), 'newer.tar.gz');
  await backUp(newer);
  const elsewhere = await newPlace(inject('databases'));
  for (const [from, people] of [
    [newer, [ben.email]],
    [file, [ben.email]],
  ] as const) {
    expect(await type(elsewhere.settings, 'restore', from, '--replace')).toMatchObject({ code: 0 });
    expect(await emailsIn(elsewhere)).toEqual(people);
  }

  rmSync(join(elsewhere.settings.DATA_DIR, 'installation.key'));
  rmSync(join(elsewhere.settings.DATA_DIR, 'deletions.jsonl'));
  const other = await elsewhere.open();
  await deleteAccount(await other.join());
  await other.close();
  const own = readFileSync(join(elsewhere.settings.DATA_DIR, 'deletions.jsonl'), 'utf8');
  expect(await type(elsewhere.settings, 'restore', newer, '--replace')).toMatchObject({
    code: 0,
    noted:
      'The deletion journal in the backup was made with another key and is ignored. The one in DATA_DIR was not changed.',
  });
  expect(readFileSync(join(elsewhere.settings.DATA_DIR, 'deletions.jsonl'), 'utf8')).toBe(own);
  await elsewhere.drop();
});

test('import leaves out people who deleted their account, --include-deleted brings them back, and a restore keeps them then', async () => {
  const folder = join(newFolder(), 'export');
  expect(await type(settingsOf(archive), 'export', folder)).toMatchObject({ code: 0 });
  await deleteAccount(ada);
  // Nobody has shown that this address is theirs.
  const squatter = await archive.signUp();
  await squatter.device.call('POST /api/identity/reauthenticate', { body: { password: squatter.password } });
  await squatter.device.call('DELETE /api/identity/account');
  const accounts = join(folder, 'accounts.jsonl');
  writeFileSync(accounts, `${readFileSync(accounts, 'utf8')}{"email":"${squatter.email}","emailVerified":true}\n`);
  const bring = (...more: string[]) => type(settingsOf(archive), 'import', folder, ...more);
  const left = 'Left out because they deleted their account here: 1. To import them anyway, add --include-deleted\n';
  expect((await bring('--dry-run')).said).toMatch(new RegExp(`^${left}Would be created: 1,`, 'u'));
  expect((await bring()).said).toMatch(new RegExp(`^${left}Created: 1, updated: 0, unchanged: 1, errors: 0, `, 'u'));
  expect((await bring('--include-deleted')).said).toMatch(/^Created: 1, updated: 0, unchanged: 2, errors: 0, /u);
  expect((await type(place.settings, 'restore', file)).said).not.toContain('Deleted again');
  expect(await emailsIn(place)).toEqual([ada.email, ben.email]);
});
