import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { urlOf } from '#server/db/url.ts';
import { openSecondFactorKey } from '#server/domain/accounts/second-factor-key.ts';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import { Device } from '#server/testing/device.ts';
import { freePort } from '#server/testing/free-port.ts';
import { cleanUp, newFolder, run } from '#server/testing/server-process.ts';
import { computeAppCode, createMemberWithApp, typePassword } from '#server/testing/second-factor.ts';

/* The key that encrypts authenticator secrets. A start creates it for a new archive, but never replaces a lost one. */

let archive: TestArchive;
beforeEach(async () => {
  archive = await openArchive(inject('databases'));
});
afterEach(async () => {
  await cleanUp();
  await archive.close();
});

/** Opens the key as a start does. */
async function openKey(dataDir: string): Promise<void> {
  const { context, app } = archive;
  await openSecondFactorKey({ ...context, config: { ...context.config, dataDir } }, app.log);
}

const mismatch = 'second-factor.key does not match the stored authenticator secrets';

test('second-factor.key is created at the start if no account has an authenticator app', async () => {
  await archive.signUp();
  const dataDir = newFolder();
  await openKey(dataDir);
  expect(statSync(join(dataDir, 'second-factor.key')).mode & 0o777).toBe(0o600);
});

test('second-factor.key must exist at the start if accounts have authenticator apps', async () => {
  await createMemberWithApp(archive);
  const DATA_DIR = newFolder();
  const key = join(DATA_DIR, 'second-factor.key');
  const DATABASE_URL = urlOf(archive.pool.options);
  const refused = await run({ PORT: String(await freePort()), DATABASE_URL, LOG_LEVEL: 'error', DATA_DIR });
  expect([refused.ready, refused.output]).toEqual([
    false,
    expect.stringContaining(`${key} is missing, and 1 people have an authenticator app`),
  ]);
  expect(refused.output).toContain('Check that DATA_DIR is right and its disk is mounted.');
  expect(refused.output).toContain(`tar xzf FILE -C '${DATA_DIR}' --strip-components=1 keys/second-factor.key`);
  expect(existsSync(key)).toBe(false);

  // The message contains a command that creates a new key. With it, the server starts and reports the mismatch.
  const [, command = ''] = /(\(umask .*\))\n/u.exec(refused.output) ?? [];
  execFileSync('/bin/sh', ['-c', command]);
  expect(statSync(key).mode & 0o777).toBe(0o600);
  expect(Buffer.from(readFileSync(key, 'utf8'), 'base64')).toHaveLength(32);
  await openKey(DATA_DIR);
  expect(archive.logged.join('')).toContain(mismatch);

  archive.logged.length = 0;
  rmSync(key);
  writeFileSync(key, readFileSync(join(archive.context.config.dataDir, 'second-factor.key')), { mode: 0o600 });
  await openKey(DATA_DIR);
  expect(archive.logged).toEqual([]);
});

test('second-factor.key is not recreated if it disappears while the server runs', async () => {
  const owner = await createMemberWithApp(archive);
  const { dataDir } = archive.context.config;
  const key = join(dataDir, 'second-factor.key');
  const kept = readFileSync(key);
  rmSync(key);
  // A second server, which has not read the key yet.
  const app = await archive.startSecondServer();
  const device = await typePassword({ ...archive, openDevice: () => new Device(app, '10.201.0.1') }, owner);
  const attempt = () =>
    device.fetch('POST', '/api/identity/sign-in/second-factor', { code: computeAppCode(owner.secret) });
  expect((await attempt()).statusCode).toBe(500);
  expect(readdirSync(dataDir)).not.toContain('second-factor.key');
  writeFileSync(key, kept, { mode: 0o600 });
  expect((await attempt()).statusCode).toBe(200);
  await app.close();
});
