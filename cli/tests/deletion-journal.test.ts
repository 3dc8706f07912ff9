import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, inject, test } from 'vitest';
import type { Member, TestArchive } from '#server/testing/archive.ts';
import { findCode } from '#server/testing/inbox.ts';
import { cleanUp, newFolder } from '#server/testing/server-process.ts';
import { type Installation, createInstallation, readAllRows } from '../backup-format/testing.ts';
import { createSettings, runCommand } from '../testing/run-command.ts';

/* A restore of an older backup does not undo a deletion. */

let installation: Installation;
let archive: TestArchive;
let file: string;
let journal: string;
let ada: Member;
let ben: Member;

beforeEach(async () => {
  installation = await createInstallation(inject('databases'));
  // The archive shares the data folder with the installation, but has a separate database.
  archive = await installation.open();
  file = join(newFolder('archive-backups-'), 'before.tar.gz');
  journal = join(installation.settings.DATA_DIR, 'deletions.jsonl');
  [ada, ben] = [await archive.createMember({ firstName: 'Ada' }), await archive.createMember({ firstName: 'Ben' })];
  await runBackup(file);
});
afterEach(async () => {
  await archive.close();
  await installation.drop();
});
afterAll(cleanUp);

async function runBackup(to: string): Promise<void> {
  const { code, stderr } = await runCommand(createSettings(archive), 'backup', to);
  if (code !== 0) throw new Error(stderr);
}

const deleteAccount = async ({ device, password }: Member) => {
  await device.call('POST /api/identity/reauthenticate', { body: { password } });
  await device.call('DELETE /api/identity/account');
};

async function readEmails(where: Installation): Promise<string[]> {
  const restored = await where.open();
  const { rows } = await restored.pool.query<{ email: string }>('select email from accounts order by created_at');
  await restored.close();
  return rows.map(({ email }) => email);
}

test('restore deletes accounts again that were deleted after the backup, without a second email', async () => {
  await deleteAccount(ada);
  const lines = readFileSync(journal, 'utf8');
  for (const identifier of [ada.uid, ada.email]) expect(lines).not.toContain(identifier);
  expect(await runCommand(installation.settings, 'restore', file)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(
      '1 accounts were deleted again, because their owners deleted them after the backup was made.',
    ) as string,
  });
  const restored = await installation.open();
  const rows = await readAllRows(restored.pool);
  expect(JSON.stringify(rows)).not.toContain(ada.uid);
  expect(rows['jobs']?.join()).not.toContain('account-deleted');
  expect((await restored.openDevice().fetch('GET', `/api/users/${ben.uid}`)).statusCode).toBe(200);
  expect(rows['listings']?.some((row) => row.includes('Ada'))).toBe(false);
  await restored.close();
  expect(readFileSync(journal, 'utf8')).toBe(lines);
});

test('restore keeps an account that was created with the address of a deleted account', async () => {
  await deleteAccount(ada);
  const again = await archive.signUpVerified(ada.email);
  const newer = join(newFolder('archive-backups-'), 'newer.tar.gz');
  await runBackup(newer);
  expect((await runCommand(installation.settings, 'restore', newer)).stdout).not.toContain('deleted again');
  expect(await readEmails(installation)).toEqual([ben.email, again.email]);
});

const nextCode = async (from: TestArchive, address: string, subject: string) => {
  await from.runJobs();
  return findCode(await from.inbox.next(address, subject));
};
const applyCode = (to: TestArchive, code: string) =>
  to.openDevice().call('POST /api/identity/action-code/apply', { body: { code } });

async function stealAccount(): Promise<string> {
  await ada.device.call('POST /api/identity/email', { body: { email: 'thief@mail.example' } });
  await applyCode(archive, await nextCode(archive, 'thief@mail.example', 'Confirm your new email address'));
  return nextCode(archive, ada.email, 'Your email address was changed');
}

async function readAdaState(restored: TestArchive): Promise<unknown[]> {
  const { rowCount } = await restored.pool.query('select from accounts where deletes_at > now()');
  const { statusCode } = await restored.openDevice().fetch('GET', `/api/users/${ada.uid}`);
  return [rowCount, statusCode];
}

test('restore hides an account with a pending deletion until the old mailbox recovers it', async () => {
  const recovery = await stealAccount();
  await deleteAccount(ada);
  const restoreAndRead = async () => {
    expect(await runCommand(installation.settings, 'restore', file, '--replace')).toMatchObject({ code: 0 });
    const restored = await installation.open();
    const state = await readAdaState(restored);
    await restored.close();
    return state;
  };
  expect(await restoreAndRead()).toEqual([1, 404]);
  await applyCode(archive, recovery);
  await archive.runJobs();
  expect(await restoreAndRead()).toEqual([0, 200]);
});

test('restore of a backup made before an account was stolen emails a link that cancels the pending deletion', async () => {
  await stealAccount();
  await deleteAccount(ada);
  expect(await runCommand(installation.settings, 'restore', file)).toMatchObject({ code: 0 });
  const restored = await installation.open();
  expect(await readAdaState(restored)).toEqual([1, 404]);
  const code = await nextCode(restored, ada.email, 'Your account will be deleted');
  expect(await applyCode(restored, code)).toEqual({ mode: 'recoverEmail', email: ada.email });
  expect(await readAdaState(restored)).toEqual([0, 200]);
  await nextCode(restored, ada.email, 'Choose a new password');
  expect(restored.inbox.to(ada.email).map(({ subject }) => subject)).not.toContain(
    'Your address was removed from an account',
  );
  await restored.close();
});

test('restore of a backup made after an account was stolen emails the recovery link to the old mailbox only', async () => {
  await stealAccount();
  const stolen = join(newFolder('archive-backups-'), 'stolen.tar.gz');
  await runBackup(stolen);
  await deleteAccount(ada);
  expect(await runCommand(installation.settings, 'restore', stolen)).toMatchObject({ code: 0 });
  const restored = await installation.open();
  const code = await nextCode(restored, ada.email, 'Your account will be deleted');
  expect((await restored.inbox.next('thief@mail.example', 'Your account will be deleted')).text).not.toContain(
    'oobCode',
  );
  expect(await applyCode(restored, code)).toEqual({ mode: 'recoverEmail', email: ada.email });
  await restored.close();
});

test('restore reports an account whose deletion was requested before the backup as pending, not as deleted', async () => {
  await stealAccount();
  await deleteAccount(ada);
  const pending = join(newFolder('archive-backups-'), 'pending.tar.gz');
  await runBackup(pending);
  const { stdout } = await runCommand(installation.settings, 'restore', pending);
  expect(stdout).toContain('1 accounts are still pending deletion.');
  expect(stdout).not.toContain('deleted again');
});

test('restore keeps an account that was recovered after the backup, and emails a new recovery link', async () => {
  const recovery = await stealAccount();
  await deleteAccount(ada);
  const pending = join(newFolder('archive-backups-'), 'pending.tar.gz');
  await runBackup(pending);
  await applyCode(archive, recovery);
  await archive.runJobs();
  expect(await runCommand(installation.settings, 'restore', pending)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      new RegExp(`^The deletion of 1 accounts was cancelled, .* in the backup .*\n {2}${ada.uid}$`, 'mu'),
    ) as string,
  });
  const restored = await installation.open();
  expect(await readAdaState(restored)).toEqual([0, 200]);
  const code = await nextCode(restored, ada.email, 'Your email address was changed');
  expect(await applyCode(restored, code)).toEqual({ mode: 'recoverEmail', email: ada.email });
  await restored.close();
});

test('a deletion is added to the journal later if the journal cannot be written immediately', async () => {
  mkdirSync(journal);
  await deleteAccount(ada);
  rmdirSync(journal);
  await archive.advanceTime('1 minute');
  await archive.runJobs();
  expect(existsSync(journal)).toBe(true);
  await runCommand(installation.settings, 'restore', file);
  expect(await readEmails(installation)).toEqual([ben.email]);
});

test('a line truncated by a crash does not damage the next line', async () => {
  await deleteAccount(ada);
  writeFileSync(journal, readFileSync(journal, 'utf8').trimEnd().slice(0, -5));
  await deleteAccount(ben);
  await runCommand(installation.settings, 'restore', file);
  expect(await readEmails(installation)).toEqual([ada.email]);
});

test('restore copies the journal to a new data folder, and keeps an existing journal with another key', async () => {
  await deleteAccount(ada);
  const newer = join(newFolder('archive-backups-'), 'newer.tar.gz');
  await runBackup(newer);
  const elsewhere = await createInstallation(inject('databases'));
  for (const [from, people] of [
    [newer, [ben.email]],
    [file, [ben.email]],
  ] as const) {
    expect(await runCommand(elsewhere.settings, 'restore', from, '--replace')).toMatchObject({ code: 0 });
    expect(await readEmails(elsewhere)).toEqual(people);
  }

  rmSync(join(elsewhere.settings.DATA_DIR, 'installation.key'));
  rmSync(join(elsewhere.settings.DATA_DIR, 'deletions.jsonl'));
  const other = await elsewhere.open();
  await deleteAccount(await other.createMember());
  await other.close();
  const own = readFileSync(join(elsewhere.settings.DATA_DIR, 'deletions.jsonl'), 'utf8');
  expect(await runCommand(elsewhere.settings, 'restore', newer, '--replace')).toMatchObject({
    code: 0,
    stderr:
      'The deletion journal in the backup was made with another key and is ignored. The one in DATA_DIR was not changed.',
  });
  expect(readFileSync(join(elsewhere.settings.DATA_DIR, 'deletions.jsonl'), 'utf8')).toBe(own);
  await elsewhere.drop();
});

test('import skips people who deleted their account, unless --include-deleted is given', async () => {
  const folder = join(newFolder(), 'export');
  expect(await runCommand(createSettings(archive), 'export', folder)).toMatchObject({ code: 0 });
  await deleteAccount(ada);
  // An account whose address was never verified.
  const squatter = await archive.signUp();
  await squatter.device.call('POST /api/identity/reauthenticate', { body: { password: squatter.password } });
  await squatter.device.call('DELETE /api/identity/account');
  const accounts = join(folder, 'accounts.jsonl');
  writeFileSync(accounts, `${readFileSync(accounts, 'utf8')}{"email":"${squatter.email}","emailVerified":true}\n`);
  const runImport = (...more: string[]) => runCommand(createSettings(archive), 'import', folder, ...more);
  const skipped = 'Skipped because they deleted their account here: 1. To import them anyway, add --include-deleted.\n';
  expect((await runImport('--dry-run')).stdout).toMatch(new RegExp(`^${skipped}Would be created: 1,`, 'u'));
  expect((await runImport()).stdout).toMatch(
    new RegExp(`^${skipped}Created: 1, updated: 0, unchanged: 1, errors: 0, `, 'u'),
  );
  expect((await runImport('--include-deleted')).stdout).toMatch(/^Created: 1, updated: 0, unchanged: 2, errors: 0, /u);
  expect((await runCommand(installation.settings, 'restore', file)).stdout).not.toContain('deleted again');
  expect(await readEmails(installation)).toEqual([ada.email, ben.email]);
});
