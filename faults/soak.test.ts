import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent, type ClientRequest, get } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from 'kysely';
import { SMTPServer } from 'smtp-server';
import { termsVersion } from '#contract/terms.ts';
import { createRandom } from '#server/seed/random.ts';
import { smallPicture } from '#server/testing/archive.ts';
import { findChildren, cleanUp, readDatabasePid, stopLater, newFolder } from '#server/testing/server-process.ts';
import { type BenchArchive, openBenchArchive } from '../bench/archive.ts';
import { runLoad, computeMedian, readMemoryMb, type LoadRequest } from '../bench/load.ts';
import { createClientAddress, type BenchMember, prepareMembers, createSignInRequests } from '../bench/members.ts';
import { createMixedLoad } from '../bench/mixed-load.ts';
import { requestWithTimeout, offerLoad } from '../bench/offered-load.ts';
import { type Server, loadTestSettings, startServer } from '../bench/server.ts';

/*
 * Sends a mixed load at half of the server's capacity for SOAK_MINUTES (default 30). Memory, open files and database
 * connections must not grow. SOAK_RATE limits the requests per second on a machine with other load. Needs Linux.
 */

const durationMinutes = Number(process.env['SOAK_MINUTES'] ?? 30);
const maxRequestsPerSecond = Number(process.env['SOAK_RATE'] ?? Infinity);
const sampleIntervalSeconds = 10;
const requestTimeoutMs = 20_000;
const maxOpenStreams = 20;

let archive: BenchArchive;
let server: Server;
let members: BenchMember[];
let data: string;
let mails = 0;

const sink = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData: (stream, _, done) => {
    stream.resume().once('end', () => {
      mails++;
      done();
    });
  },
});

beforeAll(async () => {
  data = newFolder('archive-soak-');
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  sink.on('error', () => undefined);
  stopLater(() => new Promise<void>((resolve) => sink.close(resolve)));
  const { port } = sink.server.address() as { port: number };
  archive = await openBenchArchive(data, 10_000, () => undefined);
  stopLater(() => archive.stop());
  server = await startServer('server/main.ts', archive, data, {
    ...loadTestSettings,
    NODE_OPTIONS: `--import=${join(import.meta.dirname, '..', 'bench', 'write-heap-size.ts')}`,
    HEAP_FILE: join(data, 'heap.json'),
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    LOG_LEVEL: 'warn',
  });
  stopLater(() => server.stop());
  members = await prepareMembers(archive, server, 200);
}, 600_000);

afterAll(cleanUp);

interface Sample {
  readonly rssMb: number;
  readonly heapMb: number;
  readonly files: number;
  readonly connections: number;
  readonly databaseMemoryMb: number;
  readonly databaseFiles: number;
}

/** Allowed growth from the second to the last third of the run: relative plus absolute. */
const allowedGrowth: Record<keyof Sample, readonly [relative: number, absolute: number]> = {
  rssMb: [0.05, 10],
  heapMb: [0.03, 1],
  files: [0, 2],
  connections: [0, 2],
  databaseMemoryMb: [0.05, 10],
  databaseFiles: [0.05, 20],
};

async function takeSample(): Promise<Sample> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity where datname = current_database()`.execute(
    archive.database.db,
  );
  const postmaster = readDatabasePid(data);
  const processes = [postmaster, ...findChildren(postmaster)];
  const sum = (of: (pid: number) => number) => processes.reduce((all, pid) => all + of(pid), 0);
  return {
    rssMb: readMemoryMb(server.pid),
    heapMb: await readHeapMb(),
    files: countOpenFiles(server.pid),
    connections: rows[0]?.count ?? 0,
    databaseMemoryMb: sum(readPrivateMemoryMb),
    databaseFiles: sum(countOpenFiles),
  };
}

function countOpenFiles(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/** Returns private (anonymous) memory; 0 if the process has exited. */
function readPrivateMemoryMb(pid: number): number {
  try {
    return Number(/RssAnon:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Runs a garbage collection first. */
async function readHeapMb(): Promise<number> {
  const file = join(data, 'heap.json');
  rmSync(file, { force: true });
  process.kill(server.pid, 'SIGUSR2');
  await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('}'), { timeout: 30_000 }).toBe(true);
  return (JSON.parse(readFileSync(file, 'utf8')) as { heap: number }).heap / 1024 / 1024;
}

/** Runs each occasional action of members once a second. @returns the number of outcomes, by action and status */
async function runMemberActions(until: AbortSignal): Promise<Map<string, number>> {
  const random = createRandom(21);
  const agent = new Agent({ keepAlive: true });
  const outcomes = new Map<string, number>();
  const pictures = await Promise.all(['#7799bb', '#bb9977', '#99bb77'].map(smallPicture));
  const signIn = createSignInRequests(server.url, members, () => random.integer(0, 60_000));
  const { url } = server;
  let accounts = 0;
  const createHeaders = () => ({ origin: url, 'x-forwarded-for': createClientAddress(random.integer(0, 16_000_000)) });
  const actions: Record<string, () => LoadRequest> = {
    'sign-up': () => ({
      url: `${url}/api/identity/sign-up`,
      method: 'POST',
      headers: createHeaders(),
      body: JSON.stringify({
        email: `new.${accounts++}@mail.example`,
        password: 'a long enough word',
        terms: termsVersion,
      }),
    }),
    'sign-in': signIn,
    picture: () => {
      const { uid, headers, document } = random.pick(members);
      const body = JSON.stringify({ ...document, imgURL: random.pick(pictures) });
      return { url: `${url}/api/users/${uid}`, method: 'PUT', headers: { ...createHeaders(), ...headers }, body };
    },
    message: () => {
      const [{ headers }, other] = [random.pick(members), random.pick(members)];
      const body = JSON.stringify({ text: 'Do you remember the reunion?', shareEmail: false });
      return {
        url: `${url}/api/users/${other.uid}/messages`,
        method: 'POST',
        headers: { ...createHeaders(), ...headers },
        body,
      };
    },
  };
  const open: ClientRequest[] = [];
  while (!until.aborted) {
    const startedAtMs = performance.now();
    for (const [name, createRequest] of Object.entries(actions)) {
      const { status } = await requestWithTimeout(createRequest(), agent, requestTimeoutMs);
      const key = `${name} ${status}`;
      outcomes.set(key, (outcomes.get(key) ?? 0) + 1);
    }
    // One member opens a notification stream, and another closes one.
    const stream = get(`${url}/api/notifications/stream`, { headers: random.pick(members).headers });
    stream.on('error', () => undefined).on('response', (response) => response.on('error', () => undefined).resume());
    open.push(stream);
    if (open.length > maxOpenStreams) open.shift()?.destroy();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 1000 - (performance.now() - startedAtMs))));
  }
  for (const stream of open) stream.destroy();
  agent.destroy();
  return outcomes;
}

test(
  'memory, open files and database connections do not grow at half of the capacity',
  { timeout: (durationMinutes * 60 + 300) * 1000 },
  async () => {
    const next = createMixedLoad(archive, server.url, members);
    await runLoad(next, 3, 32, server.pid);
    const { requestsPerSecond } = await runLoad(next, 6, 32, server.pid);
    const stop = new AbortController();
    const actionsDone = runMemberActions(stop.signal);
    const samples: Sample[] = [];
    const statuses = new Map<number, number>();
    const errors: string[] = [];
    const end = performance.now() + durationMinutes * 60_000;
    while (performance.now() < end) {
      const offered = await offerLoad(
        next,
        Math.min(maxRequestsPerSecond, requestsPerSecond / 2),
        sampleIntervalSeconds,
        requestTimeoutMs,
      );
      for (const { status } of offered.responses) statuses.set(status, (statuses.get(status) ?? 0) + 1);
      errors.push(...offered.errorCounts.keys());
      samples.push(await takeSample());
    }
    stop.abort();
    const outcomes = await actionsDone;

    const names = Object.keys(allowedGrowth) as (keyof Sample)[];
    const third = Math.floor(samples.length / 3);
    const medianOf = (part: readonly Sample[], name: keyof Sample) => computeMedian(part.map((one) => one[name]));
    const rows = names.map((name) => ({
      name,
      first: medianOf(samples.slice(0, third), name),
      second: medianOf(samples.slice(third, 2 * third), name),
      last: medianOf(samples.slice(2 * third), name),
      max: Math.max(...samples.map((one) => one[name])),
    }));
    console.log(
      `${durationMinutes} minutes at ${(requestsPerSecond / 2).toFixed(0)} requests per second, ${samples.length} samples; medians per third of the run`,
    );
    console.log(
      ['value', 'first', 'second', 'last', 'max'].map((text) => text.padStart(16)).join('') +
        rows
          .map(
            (row) =>
              `\n${row.name.padStart(16)}${[row.first, row.second, row.last, row.max].map((value) => value.toFixed(1).padStart(16)).join('')}`,
          )
          .join(''),
    );
    console.log('Responses:', statuses, 'member actions:', outcomes, `${mails} emails.`);

    const failures = readFileSync(join(data, 'bench.log'), 'utf8')
      .split('\n')
      .filter((line) => line.includes('"level":50'));
    console.log(failures.slice(0, 5).join('\n'));
    expect(errors).toEqual([]);
    // Other load on the machine may reduce its capacity during the run.
    expect([...statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(statuses.get(200)).toBeGreaterThan(2 * (statuses.get(503) ?? 0));
    for (const action of ['sign-up 200', 'sign-in 200', 'picture 200', 'message 204'])
      expect([...outcomes.keys()]).toContain(action);
    for (const key of outcomes.keys()) expect(key).toMatch(/ (?:20\d|503)$|^message (?:403|404|429)$|^picture 429$/u);
    expect(mails).toBeGreaterThan(0);
    expect(samples.length).toBeGreaterThan(5);
    for (const { name, second, last } of rows) {
      const [relative, absolute] = allowedGrowth[name];
      expect(last, `${name} in the last third`).toBeLessThanOrEqual(second * (1 + relative) + absolute);
    }
  },
);
