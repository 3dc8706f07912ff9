import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandResult } from '#cli/testing/run-command.ts';
import { openDatabase } from '#server/db/client.ts';
import { urlOf } from '#server/db/url.ts';
import { createMembershipCodes } from '#server/domain/membership/membership-codes.ts';
import { createPasswordHasher } from '#server/platform/crypto/password-hashing.ts';
import { ageQueued } from '#server/testing/jobs.ts';
import { copyDatabase, type TestDatabases } from '#server/testing/databases.ts';
import { freePort } from '#server/testing/free-port.ts';
import { type Inbox, openInbox } from '#server/testing/inbox.ts';
import { insertVerifiedAccount, lowestCost } from '#server/testing/verified-account.ts';

const root = join(import.meta.dirname, '..');
const hasher = createPasswordHasher(1, null, lowestCost);

export const preparedVariable = 'E2E_PREPARED';

/** What the global set-up has prepared. Its module would load the server into each worker. */
export interface Prepared {
  readonly databases: TestDatabases;
  /** A data folder with the pictures of the campus, which each worker copies. */
  readonly dataDir: string;
}

export interface TestServer {
  readonly url: string;
  readonly inbox: Inbox;
  /** Runs SQL, to set up states that the pages cannot reach, such as a later time. */
  query(sql: string, ...values: unknown[]): Promise<void>;
  createVerifiedAccount(account: { email: string; password: string; userAgent: string }): Promise<{
    uid: string;
    cookies: { sid: string; device: string };
  }>;
  /** The code is not stored yet. */
  createCode(): Promise<{ code: string; hash: Buffer }>;
  ageJobs(seconds: number): Promise<void>;
  runCommand(...words: string[]): Promise<CommandResult>;
  startSecondServer(
    environment: Record<string, string>,
  ): Promise<{ url: string; readOutput(): string; stop(): Promise<void> }>;
  withoutServer(work: () => Promise<void>): Promise<void>;
  /** Makes the session lookup fail while `work` runs. */
  withoutSessions(work: () => Promise<void>): Promise<void>;
}

/**
 * Starts a server on copies of the prepared database and data folder.
 * @returns the server and a function that stops it
 */
export async function startTestServer(): Promise<{ server: TestServer; close: () => Promise<void> }> {
  const prepared = JSON.parse(process.env[preparedVariable] ?? '') as Prepared;
  const { connection, drop } = await copyDatabase(prepared.databases);
  const database = openDatabase({ ...connection, max: 1 }, () => undefined);
  const inbox = await openInbox();
  const dataDir = mkdtempSync(join(tmpdir(), 'archive-e2e-worker-'));
  cpSync(prepared.dataDir, dataDir, { recursive: true });
  const port = await freePort();
  const start = (at = port, more: Record<string, string> = {}) =>
    startServer({
      PORT: String(at),
      PUBLIC_URL: urlAt(at),
      DATABASE_URL: urlOf(connection),
      DATA_DIR: dataDir,
      SMTP_URL: inbox.url,
      TRUST_PROXY: '127.0.0.1',
      ...more,
    });
  let running: RunningServer | undefined;
  const close = async () => {
    if (running) await stopServer(running);
    await inbox.close();
    await database.close();
    await drop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    running = await start();
  } catch (error) {
    await close();
    throw error;
  }
  const server: TestServer = {
    url: urlAt(port),
    inbox,
    startSecondServer: async (environment) => {
      const at = await freePort();
      const secondServer = await start(at, environment);
      return { url: urlAt(at), readOutput: secondServer.readOutput, stop: () => stopServer(secondServer) };
    },
    runCommand: async (...words) => {
      // Loading all commands takes a second, and few tests need them.
      const { runCommand } = await import('#cli/testing/run-command.ts');
      return runCommand({ DATABASE_URL: urlOf(connection), DATA_DIR: dataDir }, ...words);
    },
    query: async (sql, ...values) => {
      await database.pool.query(sql, values);
    },
    createVerifiedAccount: async ({ email, password, userAgent }) => {
      const passwordHash = await hasher.hash(password);
      return insertVerifiedAccount(database.pool, { email, passwordHash, userAgent });
    },
    createCode: () => createMembershipCodes(dataDir).create(),
    ageJobs: (seconds) => ageQueued(database.db, seconds),
    withoutServer: async (work) => {
      if (running) await stopServer(running);
      try {
        await work();
      } finally {
        running = await start();
      }
    },
    withoutSessions: async (work) => {
      await database.pool.query(breakSessionsSql);
      try {
        await work();
      } finally {
        await database.pool.query(restoreSessionsSql);
      }
    },
  };
  return { server, close };
}

/** Makes every query of the sessions fail with the error of a starting database. */
const breakSessionsSql = `
  create function not_now() returns boolean language plpgsql as $$ begin raise exception using errcode = '57P03'; end $$;
  alter table sessions rename to sessions_away;
  create view sessions as select * from sessions_away where not_now();`;
const restoreSessionsSql = `
  drop view sessions;
  drop function not_now;
  alter table sessions_away rename to sessions;`;

const urlAt = (port: number) => `http://localhost:${port}`;

interface RunningServer {
  readonly child: ChildProcess;
  readonly readOutput: () => string;
}

async function startServer(environment: Record<string, string>): Promise<RunningServer> {
  const child = spawn(process.execPath, ['server/main.ts'], {
    cwd: root,
    // The compile cache saves half a second of CPU time per start.
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node'), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('Ready ')) resolve();
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.on('exit', (code) => reject(new Error(`The server exited with code ${code}:\n${output}`)));
  });
  return { child, readOutput: () => output };
}

async function stopServer({ child }: RunningServer): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  await ended;
}
