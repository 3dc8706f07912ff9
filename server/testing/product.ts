import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { connectToRunningEmbedded } from '../db/embedded.ts';
import { openDataFolder } from '../platform/storage/data-folder.ts';
import { freePort } from './free-port.ts';
import { type Inbox, openInbox } from './inbox.ts';

/*
 * The product as an operator has it: a process of its own, with the embedded PostgreSQL unless `DATABASE_URL` is set. It is
 * the start without the build of the pages, which the browser tests are about.
 */

const root = join(import.meta.dirname, '..', '..');

/** A start of the product, which has become ready or has ended. */
export interface Product {
  readonly child: ChildProcess;
  /** What it had said by then. */
  readonly output: string;
  readonly ready: boolean;
  /** Everything that it has said by now. */
  readonly said: () => string;
}

const started: ChildProcess[] = [];
const folders: string[] = [];
const inboxes: Inbox[] = [];
const endings: (() => Promise<unknown>)[] = [];

/** Ends what a test has started, the last first, and takes its folders away: for `afterEach`. */
export async function cleanUp(): Promise<void> {
  for (const ending of endings.splice(0).toReversed()) await ending();
  for (const child of started.splice(0)) {
    // One that a test has stopped hears no other signal.
    child.kill('SIGCONT');
    await end(child, 'SIGTERM');
  }
  for (const inbox of inboxes.splice(0)) await inbox.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** Is called at the end of the test. */
export const endLater = (ending: () => Promise<unknown>): void => void endings.push(ending);

/** Takes a folder away after the test. */
export const forgetLater = (folder: string): void => void folders.push(folder);

/** An empty folder, as long as the test runs. */
export function newFolder(name = 'archive-main-'): string {
  const folder = mkdtempSync(join(tmpdir(), name));
  // As root, PostgreSQL runs as user nobody, who has to get in.
  chmodSync(folder, 0o711);
  forgetLater(folder);
  return folder;
}

/** Settings for a product with a data folder, a port and a mail server of its own, that takes each client's address from a header. */
export async function prepare(): Promise<{
  environment: Record<string, string>;
  dataDir: string;
  inbox: Inbox;
  origin: string;
}> {
  const [port, dataDir, inbox] = [await freePort(), newFolder(), await openInbox()];
  inboxes.push(inbox);
  const environment = {
    PORT: String(port),
    DATA_DIR: dataDir,
    SMTP_URL: inbox.url,
    TRUST_PROXY: '127.0.0.1',
    // Tests write without a pause.
    SAVES_PER_HOUR: '1000000',
  };
  return { environment, dataDir, inbox, origin: `http://localhost:${port}` };
}

/** How to reach the embedded database of a running product, as the product does. */
export const connectionOf = async (dataDir: string): Promise<pg.PoolConfig> => (await borrow(dataDir)).connection;

/** The same, as the superuser. */
export const superuserOf = async (dataDir: string): Promise<pg.PoolConfig> => (await borrow(dataDir)).superuser;

async function borrow(dataDir: string) {
  const borrowed = await connectToRunningEmbedded({ dataDir, user: openDataFolder(dataDir).postgresUser });
  if (!borrowed) throw new Error('The database does not answer.');
  return borrowed;
}

/** `npm start` without the pages. */
const script = `
  import { runUntilSignal } from '${join(root, 'server/main.ts')}';
  await runUntilSignal({ loadWeb: () => null });
`;
/** The command of it. */
export const withoutPages = [process.execPath, '--input-type=module', '-e', script];

/** A start that is under way. */
export interface Start {
  readonly child: ChildProcess;
  /** Settles when it is ready, or has ended. */
  readonly outcome: Promise<Product>;
}

/** Where Node keeps the compiled modules: a start without them takes half a second more of a core. */
const compileCache = join(root, 'node_modules', '.cache', 'node');

/** Starts the product. Nothing of the test's own environment gets into it but the path. */
export function begin(
  environment: Readonly<Record<string, string>>,
  [command, ...args]: readonly string[] = withoutPages,
): Start {
  const child = spawn(command ?? '', args, {
    cwd: root,
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: compileCache, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  let output = '';
  const said = () => output;
  const outcome = new Promise<Product>((resolve) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('Ctrl-C')) resolve({ child, output, ready: true, said });
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.on('exit', () => resolve({ child, output, ready: false, said }));
  });
  return { child, outcome };
}

/** Starts the product and waits until it is ready, or has ended. */
export const run = (environment: Readonly<Record<string, string>>, command?: readonly string[]): Promise<Product> =>
  begin(environment, command).outcome;

/** Sends a signal and waits for the end. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill(signal);
  await ended;
}

/** The process of the embedded PostgreSQL in a data folder. */
export const databasePid = (dataDir: string): number =>
  Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);

/** The processes that a process has started and that live; on Linux alone. */
export const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

/** A process that has ended but that nobody has asked after yet counts as gone. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\) Z /u.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
