import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '#server/testing/free-port.ts';
import type { BenchArchive } from './archive.ts';

export interface Server {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const nodeFlags = ['--max-semi-space-size=8', '--max-old-space-size=512'];

/** Settings for load tests from one machine, with rate limits too high to matter. */
export const loadTestSettings = {
  NODE_ENV: 'production',
  TRUST_PROXY: '127.0.0.1',
  BROWSE_PROFILES_PER_HOUR: '1000000000',
  SAVES_PER_HOUR: '1000000000',
  SIGN_UP_MAILS_PER_HOUR: '1000000000',
  BROWSE_PAGES_PER_HOUR: '1000000000',
} as const;

const startTimeoutMs = 60_000;

/**
 * Starts the server or the baseline on the archive's database. Writes the log to the file `bench.log` in `data`,
 * because reading the log in this process would affect the measurement.
 * @throws Error when the server does not answer within a minute
 */
export async function startServer(
  script: string,
  { url: DATABASE_URL }: Pick<BenchArchive, 'url'>,
  data: string,
  environment: Record<string, string> = {},
  flags: readonly string[] = nodeFlags,
): Promise<Server> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const out = openSync(join(data, 'bench.log'), 'a');
  const child = spawn(process.execPath, [...flags, script], {
    cwd: join(import.meta.dirname, '..'),
    env: {
      PATH: process.env['PATH'],
      MALLOC_ARENA_MAX: '2',
      NODE_COMPILE_CACHE: join(data, 'compile-cache'),
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
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  };
  const deadline = Date.now() + startTimeoutMs;
  while (!(await fetch(`${url}/api/institution`).catch(() => null))) {
    if (Date.now() > deadline || child.exitCode !== null) {
      await stop();
      throw new Error(`${script} does not answer. See ${data}/bench.log.`);
    }
    await delay(10);
  }
  return { url, pid: child.pid ?? 0, stop };
}
