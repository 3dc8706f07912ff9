import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '#server/testing/free-port.ts';
import type { BenchArchive } from './archive.ts';

/** A server in a process of its own. */
export interface Server {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** As `npm start` has them. */
const flags = ['--max-semi-space-size=8', '--max-old-space-size=512'];

/** Settings of a product that many people use at once, all of them from this machine, and none of whom is to be slowed down. */
export const forManyPeople = {
  NODE_ENV: 'production',
  TRUST_PROXY: '127.0.0.1',
  BROWSE_PROFILES_PER_HOUR: '1000000000',
  SAVES_PER_HOUR: '1000000000',
  SIGN_UP_MAILS_PER_HOUR: '1000000000',
  BROWSE_PAGES_PER_HOUR: '1000000000',
} as const;

/** Milliseconds for a server to answer. */
const patience = 60_000;

/**
 * Starts the product or its floor on the archive's database. Its log goes into a file of `data`, as an operator's would:
 * reading it here would cost what is measured.
 * @throws Error when it does not answer
 */
export async function startServer(
  script: string,
  { url: DATABASE_URL }: BenchArchive,
  data: string,
  environment: Record<string, string> = {},
): Promise<Server> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const out = openSync(join(data, 'bench.log'), 'a');
  const child = spawn(process.execPath, [...flags, script], {
    cwd: join(import.meta.dirname, '..'),
    env: {
      PATH: process.env['PATH'],
      MALLOC_ARENA_MAX: '2',
      PORT: String(port),
      PUBLIC_URL: url,
      DATABASE_URL,
      DATA_DIR: join(data, 'product'),
      ...environment,
    },
    stdio: ['ignore', out, out],
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  const deadline = Date.now() + patience;
  while (!(await fetch(`${url}/api/institution`).catch(() => null))) {
    if (Date.now() > deadline || child.exitCode !== null) {
      await stop();
      throw new Error(`${script} does not answer; see ${data}/bench.log.`);
    }
    await pause(50);
  }
  return { url, pid: child.pid ?? 0, stop };
}
