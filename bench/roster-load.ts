import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RosterImport } from '#contract/roster.ts';
import { openBenchArchive } from './archive.ts';
import { computeQuantile, sendRequest } from './load.ts';
import { type BenchMember, prepareMembers } from './members.ts';
import { createMixedLoad } from './mixed-load.ts';
import { offerLoad } from './offered-load.ts';
import { writeRoster } from './roster-file.ts';
import { type Server, loadTestSettings, startServer } from './server.ts';

/*
 * Measures how an import of a roster slows down the list of members: requests at a constant rate, without and during
 * the import, and the worst delay of the server's event loop. Usage: node bench/roster-load.ts [ROWS] [csv|xlsx]
 */

const rows = Number(process.argv[2] ?? 500_000);
const people = 20_000;
const requestsPerSecond = 25;
const quietSeconds = 20;
const signedInMembers = 20;

const folder = mkdtempSync(join(tmpdir(), 'bench-roster-load-'));
const delayFile = join(folder, 'delays');
const archive = await openBenchArchive(folder, people, () => undefined);
/** Sends requests for the list until the work ends, and prints how long they took. @returns the p99 in milliseconds */
async function measure(
  server: Server,
  label: string,
  members: readonly BenchMember[],
  work: () => Promise<unknown>,
): Promise<number> {
  const next = createMixedLoad(archive, server.url, members);
  const nextList = () => {
    for (;;) {
      const request = next();
      if (request.url.includes('/api/users?after=')) return request;
    }
  };
  writeFileSync(delayFile, '');
  const durationsMs: number[] = [];
  const progress = { isDone: false };
  const done = work().finally(() => {
    progress.isDone = true;
  });
  const start = performance.now();
  do {
    const { responses, errorCounts } = await offerLoad(nextList, requestsPerSecond, 1);
    const failed = responses.find(({ status }) => status !== 200);
    if (failed || errorCounts.size > 0)
      throw new Error(`A request failed: ${failed?.status ?? [...errorCounts].join()}`);
    durationsMs.push(...responses.map(({ durationMs }) => durationMs));
  } while (!progress.isDone);
  await done;
  const seconds = (performance.now() - start) / 1000;
  const p99 = computeQuantile(durationsMs, 0.99);
  const lines = readFileSync(delayFile, 'utf8').trim().split('\n');
  const times = (at: number) => lines.map((line) => Number(line.split(' ')[at]));
  const [delays, cpu] = [times(0), times(1)];
  const ms = (value: number) => `${value.toFixed(0)} ms`;
  console.log(
    `${label}: ${seconds.toFixed(0)} s, ${durationsMs.length} requests, p50 ${computeQuantile(durationsMs, 0.5).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms. Event loop: worst delay ${ms(Math.max(...delays))} (median of the seconds ${ms(computeQuantile(delays, 0.5))}), longest computing ${ms(Math.max(...cpu))} (${ms(computeQuantile(cpu, 0.5))})`,
  );
  return p99;
}

const server = await startServer('server/main.ts', archive, folder, {
  ...loadTestSettings,
  LOG_LEVEL: 'warn',
  NODE_OPTIONS: `--import=${join(import.meta.dirname, 'event-loop-delay.ts')}`,
  EVENT_LOOP_DELAY_FILE: delayFile,
});

try {
  const members = await prepareMembers(archive, server, signedInMembers);
  const staff = members[0];
  if (!staff) throw new Error('No member is signed in');
  await archive.database.pool.query(`insert into staff_roles (account_id, role) values ($1, 'registrar')`, [staff.uid]);
  await archive.database.pool.query(
    `insert into authenticators (account_id, secret, confirmed_at) values ($1, '\\x00', now())`,
    [staff.uid],
  );
  const path = join(folder, 'roster');
  await writeRoster(path, archive.institution, rows);
  const headers = { ...staff.headers, origin: server.url };
  const call = async (method: string, path: string, body?: object) => {
    const url = `${server.url}/api/staff/roster/imports${path}`;
    const answer = await sendRequest({ url, method, headers, ...(body && { body: JSON.stringify(body) }) });
    return (answer.body.length > 0 ? JSON.parse(answer.body.toString()) : null) as RosterImport;
  };
  const waitFor = async (id: number, isDone: (one: RosterImport) => boolean) => {
    for (;;) {
      const one = await call('GET', `/${id}`);
      if (one.failure !== '') throw new Error(one.failure);
      if (isDone(one)) return one;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const quiet = await measure(
    server,
    'quiet',
    members,
    () => new Promise((resolve) => setTimeout(resolve, quietSeconds * 1000)),
  );
  let id = 0;
  const steps: [string, () => Promise<unknown>][] = [
    [
      'upload',
      async () => {
        const response = await fetch(`${server.url}/api/staff/roster/imports?name=roster`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/octet-stream' },
          body: new Uint8Array(readFileSync(path)),
        });
        ({ id } = (await response.json()) as RosterImport);
        return waitFor(id, ({ file }) => file !== null);
      },
    ],
    [
      'check',
      async () => {
        await call('POST', `/${id}/check`);
        return waitFor(id, ({ state }) => state === 'checked');
      },
    ],
    [
      'apply',
      async () => {
        const { checkedAt, warnings } = await call('GET', `/${id}`);
        await call('POST', `/${id}/apply`, { checkedAt, confirmed: warnings.map(({ kind }) => kind) });
        return waitFor(id, ({ state }) => state === 'applied');
      },
    ],
    [
      'undo',
      async () => {
        await call('POST', `/${id}/undo`);
        return waitFor(id, ({ state }) => state === 'undone');
      },
    ],
  ];
  for (const [label, work] of steps) {
    const p99 = await measure(server, label, members, work);
    console.log(`  p99 ${(p99 / quiet).toFixed(1)} times that without an import`);
  }
  await measure(server, 'quiet', members, () => new Promise((resolve) => setTimeout(resolve, quietSeconds * 1000)));
} finally {
  await server.stop();
  await archive.stop();
  rmSync(folder, { recursive: true, force: true });
}
