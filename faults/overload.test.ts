import { Agent } from 'node:http';
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from 'kysely';
import { type BenchArchive, openBenchArchive } from '../bench/archive.ts';
import { runLoad, readMemoryMb, computeQuantile } from '../bench/load.ts';
import { type BenchMember, prepareMembers, createSignInRequests } from '../bench/members.ts';
import { createMixedLoad } from '../bench/mixed-load.ts';
import { type OfferedResponse, requestWithTimeout, offerLoad } from '../bench/offered-load.ts';
import { type Server, loadTestSettings, startServer } from '../bench/server.ts';
import { cleanUp, stopLater, newFolder } from '#server/testing/server-process.ts';

/*
 * Sends twice as many requests as the server can answer, at a constant rate for a minute. The assertions hold on any
 * machine; the measurements are printed.
 */

const people = 10_000;
const durationSeconds = Number(process.env['OVERLOAD_SECONDS'] ?? 60);
const requestTimeoutMs = 20_000;

let archive: BenchArchive;
let server: Server;
let members: BenchMember[];

beforeAll(async () => {
  const data = newFolder('archive-overload-');
  archive = await openBenchArchive(data, people, () => undefined);
  stopLater(() => archive.stop());
  server = await startServer('server/main.ts', archive, data, {
    ...loadTestSettings,
    LOG_LEVEL: 'info',
  });
  stopLater(() => server.stop());
  members = await prepareMembers(archive, server, 200);
}, 600_000);

afterAll(cleanUp);

const isServed = ({ status }: OfferedResponse) => status < 400;

const isValidRefusal = ({ status, retryAfterSeconds }: OfferedResponse) =>
  status === 503 && retryAfterSeconds !== null && retryAfterSeconds >= 1 && retryAfterSeconds <= 60;

const formatDurations = (answers: readonly OfferedResponse[]) => {
  const durationsMs = answers.map(({ durationMs }) => durationMs);
  return [0.5, 0.99].map((share) => `p${share * 100} ${computeQuantile(durationsMs, share).toFixed(0)} ms`).join(', ');
};

const countOpenFiles = () => readdirSync(`/proc/${server.pid}/fd`).length;

async function countConnections(): Promise<{ all: number; working: number }> {
  const { rows } = await sql<{ all: number; working: number }>`
    select count(*)::int as all, count(*) filter (where state <> 'idle')::int as working
    from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`.execute(archive.database.db);
  return rows[0] ?? { all: 0, working: 0 };
}

test(
  'the server completes or rejects every request at twice its capacity, and recovers afterwards',
  { timeout: (durationSeconds + 240) * 1000 },
  async () => {
    const next = createMixedLoad(archive, server.url, members);
    const measureCapacity = async () => (await runLoad(next, 6, 32, server.pid)).requestsPerSecond;
    await runLoad(next, 3, 32, server.pid);
    const before = { rate: await measureCapacity(), files: countOpenFiles(), memory: readMemoryMb(server.pid) };

    const processor = process.cpuUsage();
    const startedAtMs = performance.now();
    const { sent, responses, errorCounts, sentShare } = await offerLoad(
      next,
      before.rate * 2,
      durationSeconds,
      requestTimeoutMs,
    );
    const elapsedMs = performance.now() - startedAtMs;
    const used = process.cpuUsage(processor);
    const during = readMemoryMb(server.pid);

    const served = responses.filter(isServed);
    const shed = responses.filter(({ status }) => status === 503);
    const after = { rate: await measureCapacity(), memory: readMemoryMb(server.pid) };
    const rate = (served.length / elapsedMs) * 1000;
    // The mean of two measurements, because other load on the machine varies.
    const meanRate = (before.rate + after.rate) / 2;
    console.log(
      [
        `Closed loop with 32 connections: ${before.rate.toFixed(0)}/s before, ${after.rate.toFixed(0)}/s after.`,
        `Offered for ${durationSeconds} s: ${sent} requests, ${(sentShare * 100).toFixed(0)} % of the plan; the client used ${(((used.user + used.system) / elapsedMs / 1000) * 100).toFixed(0)} % of a core.`,
        `Served ${served.length}, ${rate.toFixed(0)}/s, ${(rate / meanRate).toFixed(2)} of the closed loop: ${formatDurations(served)}.`,
        `Shed ${shed.length}: ${formatDurations(shed)}. Errors: ${JSON.stringify([...errorCounts])}.`,
        `Memory: ${before.memory.toFixed(0)} MB before, ${during.toFixed(0)} MB at the end of the load, ${after.memory.toFixed(0)} MB after.`,
      ].join('\n'),
    );

    expect(responses.filter((answer) => !isServed(answer) && !isValidRefusal(answer))).toEqual([]);
    expect([...errorCounts]).toEqual([]);
    expect(responses).toHaveLength(sent);
    // The load was really double, and throughput stayed near capacity. In a congestion collapse, it would fall to a
    // quarter.
    expect(sentShare).toBeGreaterThan(0.8);
    expect(rate / meanRate).toBeGreaterThan(0.5);
    expect(after.rate / before.rate).toBeGreaterThan(0.5);
    // If no request was shed, there was no overload, and the test would prove nothing.
    expect(shed.length).toBeGreaterThan(0);

    const agent = new Agent({ keepAlive: true });
    for (let number = 0; number < 100; number++) {
      const { status } = await requestWithTimeout(next(), agent, requestTimeoutMs);
      expect(status).toBe(200);
    }
    agent.destroy();
    await expect.poll(async () => (await countConnections()).working, { timeout: 20_000 }).toBe(0);
    expect((await countConnections()).all).toBeLessThanOrEqual(20);
    await expect.poll(countOpenFiles, { timeout: 90_000 }).toBeLessThanOrEqual(before.files + 5);
    const { rows } = await sql<{ stored: number; counted: number }>`
      select (select coalesce(sum(people), 0)::int from listing_counts where audience = 'members') as stored,
        (select count(*)::int from listings where audience = 'members') as counted`.execute(archive.database.db);
    expect(rows[0]?.stored).toBe(rows[0]?.counted);
    expect(rows[0]?.counted).toBe(people);
  },
);

test('one address with 300 connections does not delay the pages of another guest', { timeout: 120_000 }, async () => {
  const agents = { attacker: new Agent({ keepAlive: true, maxSockets: 300 }), guest: new Agent({ keepAlive: true }) };
  const fetchPage = async (path: string, agent: Agent, headers: Record<string, string>) => {
    const startedAtMs = performance.now();
    const { status } = await requestWithTimeout({ url: server.url + path, headers }, agent, requestTimeoutMs);
    return { status, durationMs: performance.now() - startedAtMs };
  };
  const endsAtMs = performance.now() + 20_000;
  let number = 0;
  const statuses = new Map<number, number>();
  const attacking = Array.from({ length: 300 }, async () => {
    while (performance.now() < endsAtMs) {
      number++;
      const { status } = await fetchPage(`/login?x=${number}&from=/user/${number}`, agents.attacker, {
        'x-forwarded-for': '203.0.113.7',
        cookie: `sid=x; theme=${number}`,
      });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  });
  const answers: Awaited<ReturnType<typeof fetchPage>>[] = [];
  while (performance.now() < endsAtMs)
    answers.push(
      await fetchPage(answers.length % 2 === 0 ? '/' : '/login', agents.guest, {
        'x-forwarded-for': '198.51.100.9',
        'accept-encoding': 'gzip, br',
      }),
    );
  await Promise.all(attacking);
  for (const agent of Object.values(agents)) agent.destroy();
  const durationsMs = answers.map(({ durationMs }) => durationMs);
  console.log(
    `Another guest during 300 connections of one address: ${answers.length} pages, p50 ${computeQuantile(durationsMs, 0.5).toFixed(0)} ms, p99 ${computeQuantile(durationsMs, 0.99).toFixed(0)} ms. Attacker: ${JSON.stringify([...statuses])}.`,
  );
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(computeQuantile(durationsMs, 0.99)).toBeLessThan(500);
});

test('the server limits 200 concurrent sign-ins, rejects those above the limit, and still responds to read requests', async () => {
  await archive.database.pool.query('delete from throttles; delete from long_throttles');
  let turn = 0;
  const nextSignIn = createSignInRequests(server.url, members, () => turn++);
  const agent = new Agent({ keepAlive: true });
  const waiting = new Set<number>();
  const signingIn = Promise.all(
    members.map(async (_, number) => {
      waiting.add(number);
      const { status, retryAfterSeconds } = await requestWithTimeout(nextSignIn(), agent, requestTimeoutMs);
      waiting.delete(number);
      return { status, retryAfterSeconds, durationMs: 0 };
    }),
  );
  // Other requests are answered while sign-ins are queued.
  const fetchListStatus = async () =>
    (await requestWithTimeout({ url: `${server.url}/api/users` }, agent, requestTimeoutMs)).status;
  await expect.poll(fetchListStatus, { timeout: requestTimeoutMs, interval: 20 }).toBe(200);
  expect(waiting.size).toBeGreaterThan(0);
  const answers = await signingIn;
  const signedIn = answers.filter(({ status }) => status === 200).length;
  console.log(`Of ${answers.length} concurrent sign-ins ${signedIn} succeeded, and the others were shed.`);
  expect(answers.filter((answer) => !isServed(answer) && !isValidRefusal(answer))).toEqual([]);
  expect(signedIn).toBeGreaterThanOrEqual(64);
  expect(signedIn).toBeLessThan(answers.length);
  const again = await requestWithTimeout(nextSignIn(), agent, requestTimeoutMs);
  expect(again.status).toBe(200);
  agent.destroy();
});
