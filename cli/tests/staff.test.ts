import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import { operatorLogPath } from '../support/operator-log.ts';
import { createSettings, runCommand } from '../testing/run-command.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(() => archive.close());

test('staff add, list and remove manage roles and record it without names', async () => {
  const { email } = await archive.createMember();
  const staff = (...words: string[]) => runCommand(createSettings(archive), 'staff', ...words);
  expect(await staff('list')).toMatchObject({ code: 0, stdout: 'No staff.' });
  expect((await staff('add', email, '--role', 'registrar', '--until', '2100-06-30')).stdout).toContain(
    'no second factor yet',
  );
  expect((await staff('add', email.toUpperCase(), '--role', 'owner')).code).toBe(0);
  expect((await staff('list')).stdout).toBe(
    `${email}  owner  no second factor\n${email}  registrar  until 2100-06-30  no second factor`,
  );
  for (const words of [
    [email],
    [email, '--role', 'king'],
    [email, '--role', 'owner', '--until', 'soon'],
    ['no@mail.example', '--role', 'owner'],
  ])
    expect((await staff('add', ...words)).code).toBe(1);
  expect((await staff('remove', email, '--role', 'owner')).code).toBe(0);
  expect((await staff('remove', email)).code).toBe(0);
  expect((await staff('remove', email)).code).toBe(1);
  const log = readFileSync(operatorLogPath(archive.context.config.dataDir), 'utf8');
  expect(log).toContain('staff role granted by the operator');
  expect(log).not.toContain(email);
});

test('staff add refuses an account whose address is not verified, because another person may have created it', async () => {
  const { email } = await archive.signUp('office@mail.example');
  const { code, stderr } = await runCommand(createSettings(archive), 'staff', 'add', email, '--role', 'owner');
  expect(code).toBe(1);
  expect(stderr).toContain('is not verified');
});
