import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { inject } from 'vitest';
import { connectToRunningEmbedded, startEmbedded } from '#server/platform/embedded-postgres/server.ts';
import { migrate } from '#server/db/migrate.ts';
import { openDataFolder } from '#server/platform/storage/data-folder.ts';
import { freePort } from './free-port.ts';
import { type Inbox, openInbox } from './inbox.ts';

/*
 * Starts the server as an operator does: in a separate process, with the embedded PostgreSQL unless `DATABASE_URL` is
 * set. The pages are not built; the browser tests cover them.
 */

const root = join(import.meta.dirname, '..', '..');

export interface ServerProcess {
  readonly child: ChildProcess;
  readonly output: string;
  readonly ready: boolean;
  readonly readOutput: () => string;
}

const started: ChildProcess[] = [];
const folders: string[] = [];
const inboxes: Inbox[] = [];
const cleanUps: (() => Promise<unknown>)[] = [];

export async function cleanUp(): Promise<void> {
  for (const ending of cleanUps.splice(0).toReversed()) await ending();
  for (const child of started.splice(0)) {
    // A process stopped by SIGSTOP only reacts to SIGKILL and SIGCONT.
    child.kill('SIGCONT');
    await end(child, 'SIGTERM');
  }
  for (const inbox of inboxes.splice(0)) await inbox.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export const stopLater = (ending: () => Promise<unknown>): void => void cleanUps.push(ending);

export const deleteLater = (folder: string): void => void folders.push(folder);

export function newFolder(name = 'archive-main-'): string {
  const folder = mkdtempSync(join(tmpdir(), name));
  // Under root, PostgreSQL runs as user nobody, which needs access.
  chmodSync(folder, 0o711);
  deleteLater(folder);
  return folder;
}

/**
 * Creates a data folder with a migrated database, which is deleted after the test. The server starts three times as
 * fast as in an empty folder.
 */
export async function newDataFolder(): Promise<string> {
  const prepared = join(inject('preparedFolders'), String(process.pid));
  if (!existsSync(prepared)) await prepareDataFolder(prepared);
  const folder = newFolder();
  // Keeps the owner of the files, unlike `cpSync`.
  execFileSync('cp', ['-a', `${prepared}/.`, folder]);
  return folder;
}

async function prepareDataFolder(path: string): Promise<void> {
  const { postgresUser } = openDataFolder(path);
  const server = await startEmbedded({ dataDir: path, user: postgresUser });
  await migrate(server.connection, server.auditOwner);
  await server.stop();
  rmSync(join(path, 'postgres.log'));
}

export async function prepareServer(): Promise<{
  environment: Record<string, string>;
  dataDir: string;
  inbox: Inbox;
  origin: string;
}> {
  const [port, dataDir, inbox] = [await freePort(), await newDataFolder(), await openInbox()];
  inboxes.push(inbox);
  const environment = {
    PORT: String(port),
    DATA_DIR: dataDir,
    SMTP_URL: inbox.url,
    TRUST_PROXY: '127.0.0.1',
    // Tests write more often than people do.
    SAVES_PER_HOUR: '1000000',
  };
  return { environment, dataDir, inbox, origin: `http://localhost:${port}` };
}

export const findConnection = async (dataDir: string): Promise<pg.PoolConfig> =>
  (await findRunningDatabase(dataDir)).connection;

export const findSuperuserConnection = async (dataDir: string): Promise<pg.PoolConfig> =>
  (await findRunningDatabase(dataDir)).superuser;

async function findRunningDatabase(dataDir: string) {
  const borrowed = await connectToRunningEmbedded({ dataDir, user: openDataFolder(dataDir).postgresUser });
  if (!borrowed) throw new Error('The database of the server is not running.');
  return borrowed;
}

const serverScript = `
  import { runUntilSignal } from '${join(root, 'server/main.ts')}';
  await runUntilSignal({ loadWeb: () => null });
`;
export const serverCommand = [process.execPath, '--input-type=module', '-e', serverScript];

export interface StartingServer {
  readonly child: ChildProcess;
  readonly outcome: Promise<ServerProcess>;
}

/** Folder of Node's compile cache, which saves half a second of CPU time per start. */
const compileCacheFolder = join(root, 'node_modules', '.cache', 'node');

/** Starts the server. Of the test's environment, only PATH is passed on. */
export function spawnServer(
  environment: Readonly<Record<string, string>>,
  [command, ...args]: readonly string[] = serverCommand,
): StartingServer {
  const child = spawn(command ?? '', args, {
    cwd: root,
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: compileCacheFolder, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  let output = '';
  const readOutput = () => output;
  const outcome = new Promise<ServerProcess>((resolve) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('Ctrl-C')) resolve({ child, output, ready: true, readOutput });
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.on('exit', () => resolve({ child, output, ready: false, readOutput }));
  });
  return { child, outcome };
}

export const run = (
  environment: Readonly<Record<string, string>>,
  command?: readonly string[],
): Promise<ServerProcess> => spawnServer(environment, command).outcome;

export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill(signal);
  await ended;
}

export const readDatabasePid = (dataDir: string): number =>
  Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);

/** Works on Linux only. */
export const findChildren = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\) Z /u.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
