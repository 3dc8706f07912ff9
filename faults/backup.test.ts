import { execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { termsVersion } from '#contract/terms.ts';
import { connectToRunningEmbedded } from '#server/platform/embedded-postgres/server.ts';
import { openDataFolder } from '#server/platform/storage/data-folder.ts';
import { freePort } from '#server/testing/free-port.ts';
import { cleanUp, end, newFolder, run } from '#server/testing/server-process.ts';

/* Backup and restore as separate processes beside a running server with the embedded PostgreSQL. */

const root = join(import.meta.dirname, '..');
const script = join(root, 'scripts', 'archive.ts');

afterEach(cleanUp);

async function runCommand(DATA_DIR: string, ...args: string[]): Promise<[number, string]> {
  const environment = { PATH: process.env['PATH'], DATA_DIR };
  const done = promisify(execFile)(process.execPath, [script, ...args], { cwd: root, env: environment });
  return done.then(
    ({ stdout, stderr }) => [0, stdout + stderr],
    (error: { code: number; stdout: string; stderr: string }) => [error.code, error.stdout + error.stderr],
  );
}

async function connect(dataDir: string): Promise<pg.Client> {
  const { path, postgresUser } = openDataFolder(dataDir);
  const borrowed = await connectToRunningEmbedded({ dataDir: path, user: postgresUser });
  const client = new pg.Client(borrowed?.connection);
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

describe('beside a running server', () => {
  test('backup succeeds, restore is rejected, and a restore into another folder keeps the sessions', async () => {
    const [PORT, DATA_DIR, backups] = [String(await freePort()), newFolder(), newFolder('archive-backups-')];
    const origin = `http://localhost:${PORT}`;
    const first = await run({ PORT, DATA_DIR });
    expect(first.ready, first.output).toBe(true);
    const signedUp = await fetch(`${origin}/api/identity/sign-up`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ada@mail.example', password: 'a long enough word', terms: termsVersion }),
    });
    expect(signedUp.status).toBe(200);
    const cookie = signedUp.headers
      .getSetCookie()
      .map((text) => text.split(';')[0])
      .join('; ');
    const file = join(backups, 'night.tar.gz');
    expect(await runCommand(DATA_DIR, 'backup', file)).toEqual([
      0,
      expect.stringMatching(/night\.tar\.gz: \d+\.\d MB/u),
    ]);
    expect(await runCommand(DATA_DIR, 'restore', file, '--replace')).toEqual([
      1,
      expect.stringContaining('Another process of the archive is using the data in'),
    ]);
    await end(first.child, 'SIGTERM');

    const other = newFolder();
    expect(await runCommand(other, 'restore', file)).toEqual([
      0,
      expect.stringContaining('Restored. Start the server'),
    ]);
    expect(statSync(join(other, 'second-factor.key')).mode & 0o777).toBe(0o600);
    const second = await run({ PORT, DATA_DIR: other });
    expect(second.ready, second.output).toBe(true);
    const session = await fetch(`${origin}/api/identity/session`, { headers: { cookie } });
    expect(await session.json()).toMatchObject({ user: { email: 'ada@mail.example' } });
    await end(second.child, 'SIGTERM');

    // The server does not start on an unfinished restore, and prints what to do.
    writeFileSync(join(other, 'restore.unfinished'), '');
    const third = await run({ PORT, DATA_DIR: other });
    expect([third.ready, third.output]).toEqual([false, expect.stringContaining('restore FILE --replace')]);
    expect(await runCommand(other, 'restore', file, '--replace')).toEqual([0, expect.stringContaining('Restored.')]);
    const fourth = await run({ PORT, DATA_DIR: other });
    expect(fourth.ready, fourth.output).toBe(true);
  });

  test('a failed backup leaves no file, and the next backup deletes the temporary file of a killed backup', async () => {
    const [PORT, DATA_DIR, backups] = [String(await freePort()), newFolder(), newFolder('archive-backups-')];
    const product = await run({ PORT, DATA_DIR });
    expect(product.ready, product.output).toBe(true);
    const file = join(backups, 'night.tar.gz');
    const unfinished = `${file}.unfinished`;
    // The lock on this table makes the backup wait.
    const client = await connect(DATA_DIR);
    const watcher = await connect(DATA_DIR);
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      await client.query('begin; lock table accounts');
      const child = spawn(process.execPath, [script, 'backup', file], {
        cwd: root,
        env: { PATH: process.env['PATH'], DATA_DIR },
        stdio: 'ignore',
      });
      const waiting = async () =>
        (
          await watcher.query(
            `select from pg_stat_activity where application_name = 'archive backup' and wait_event_type = 'Lock'`,
          )
        ).rowCount;
      await expect.poll(waiting, { timeout: 20_000 }).toBe(1);
      await end(child, signal);
      expect(existsSync(file)).toBe(false);
      if (signal === 'SIGTERM') expect([child.exitCode, readdirSync(backups)]).toEqual([1, []]);
      else expect(statSync(unfinished).mode & 0o777).toBe(0o600);
      await client.query('rollback');
    }
    await client.end();
    await watcher.end();
    expect((await runCommand(DATA_DIR, 'backup', file))[0]).toBe(0);
    expect(readdirSync(backups)).toEqual(['night.tar.gz']);

    // /dev/full simulates a full disk.
    const full = spawn('/bin/sh', ['-c', 'exec "$0" "$1" backup - > /dev/full', process.execPath, script], {
      cwd: root,
      env: { PATH: process.env['PATH'], DATA_DIR },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    full.stderr?.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    await new Promise((resolve) => full.once('close', resolve));
    expect([full.exitCode, stderr]).toEqual([1, expect.stringContaining('the disk is full. Free disk space')]);
  });
});
