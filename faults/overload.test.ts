import { Agent } from 'node:http';
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from 'kysely';
import { type BenchArchive, openBenchArchive } from '../bench/archive.ts';
import { load, memoryOf, quantile } from '../bench/load.ts';
import { type BenchMember, prepareMembers, signInShots } from '../bench/members.ts';
import { mixedLoad } from '../bench/mix.ts';
import { type Answered, ask, offer } from '../bench/offer.ts';
import { type Server, forManyPeople, startServer } from '../bench/server.ts';
import { cleanUp, endLater, newFolder } from '#server/testing/product.ts';

/*
 * Twice as many requests as the server can answer, by the clock, for a minute. What is asserted holds on any machine; the figures
 * are printed.
 */

const people = 10_000;
const seconds = Number(process.env['OVERLOAD_SECONDS'] ?? 60);
/** Milliseconds after which a person has given up. */
const patience = 20_000;

let archive: BenchArchive;
let server: Server;
let members: BenchMember[];

beforeAll(async () => {
  const data = newFolder('archive-overload-');
  archive = await openBenchArchive(data, people, () => undefined);
  endLater(() => archive.stop());
  server = await startServer('server/main.ts', archive, data, {
    ...forManyPeople,
    LOG_LEVEL: 'info',
  });
  endLater(() => server.stop());
  members = await prepareMembers(archive, server, 200);
}, 600_000);

afterAll(cleanUp);

const isServed = ({ status }: Answered) => status < 400;

/** A refusal that says when to come back, in a time that somebody waits. */
const isHonest = ({ status, retryAfter }: Answered) =>
  status === 503 && retryAfter !== null && retryAfter >= 1 && retryAfter <= 60;

const timesOf = (answers: readonly Answered[]) => {
  const times = answers.map(({ time }) => time);
  return [0.5, 0.99].map((share) => `p${share * 100} ${quantile(times, share).toFixed(0)} ms`).join(', ');
};

const openFiles = () => readdirSync(`/proc/${server.pid}/fd`).length;

/** What the server's connections to the database are doing, beside ours. */
async function connections(): Promise<{ all: number; working: number }> {
  const { rows } = await sql<{ all: number; working: number }>`
    select count(*)::int as all, count(*) filter (where state <> 'idle')::int as working
    from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`.execute(archive.database.db);
  return rows[0] ?? { all: 0, working: 0 };
}

test(
  'twice as much as can be answered: all is answered or refused with a time to come back, and afterwards all is as before',
  { timeout: (seconds + 240) * 1000 },
  async () => {
    const next = mixedLoad(archive, server.url, members);
    const capacity = async () => (await load(next, 6, 32, server.pid)).rate;
    await load(next, 3, 32, server.pid);
    const before = { rate: await capacity(), files: openFiles(), memory: memoryOf(server.pid) };

    const processor = process.cpuUsage();
    const began = performance.now();
    const { sent, answered, broken, share } = await offer(next, before.rate * 2, seconds, patience);
    const passed = performance.now() - began;
    const used = process.cpuUsage(processor);
    const during = memoryOf(server.pid);

    const served = answered.filter(isServed);
    const refused = answered.filter(({ status }) => status === 503);
    const after = { rate: await capacity(), memory: memoryOf(server.pid) };
    const rate = (served.length / passed) * 1000;
    // Other work on the machine comes and goes.
    const usual = (before.rate + after.rate) / 2;
    console.log(
      [
        `Closed loop, 32 connections: ${before.rate.toFixed(0)}/s before, ${after.rate.toFixed(0)}/s afterwards.`,
        `Offered for ${seconds} s: ${sent} requests, ${(share * 100).toFixed(0)} % of what was planned; the sender took ${(((used.user + used.system) / passed / 1000) * 100).toFixed(0)} % of a core.`,
        `Served ${served.length}, ${rate.toFixed(0)}/s, ${(rate / usual).toFixed(2)} of what the closed loop gave: ${timesOf(served)}.`,
        `Refused ${refused.length}: ${timesOf(refused)}. Broken: ${JSON.stringify([...broken])}.`,
        `Memory: ${before.memory.toFixed(0)} MB before, ${during.toFixed(0)} MB at the end of the load, ${after.memory.toFixed(0)} MB afterwards.`,
      ].join('\n'),
    );

    expect(answered.filter((answer) => !isServed(answer) && !isHonest(answer))).toEqual([]);
    expect([...broken]).toEqual([]);
    expect(answered).toHaveLength(sent);
    // It was twice as much, and what could be answered before was answered still: a collapse leaves a quarter of it.
    expect(share).toBeGreaterThan(0.8);
    expect(rate / usual).toBeGreaterThan(0.5);
    expect(after.rate / before.rate).toBeGreaterThan(0.5);
    // Otherwise it was no overload, and this has shown nothing.
    expect(refused.length).toBeGreaterThan(0);

    const agent = new Agent({ keepAlive: true });
    for (let number = 0; number < 100; number++) {
      const { status } = await ask(next(), agent, patience);
      expect(status).toBe(200);
    }
    agent.destroy();
    await expect.poll(async () => (await connections()).working, { timeout: 20_000 }).toBe(0);
    expect((await connections()).all).toBeLessThanOrEqual(20);
    await expect.poll(openFiles, { timeout: 90_000 }).toBeLessThanOrEqual(before.files + 5);
    const { rows } = await sql<{ said: number; counted: number }>`
      select (select coalesce(sum(people), 0)::int from listing_counts where audience = 'members') as said,
        (select count(*)::int from listings where audience = 'members') as counted`.execute(archive.database.db);
    expect(rows[0]?.said).toBe(rows[0]?.counted);
    expect(rows[0]?.counted).toBe(people);
  },
);

test('two hundred people who sign in at once: as many as may wait are let in, the others are told when to come back, and reading goes on', async () => {
  await archive.database.pool.query('delete from throttles');
  let turn = 0;
  const shot = signInShots(server.url, members, () => turn++);
  const agent = new Agent({ keepAlive: true });
  const waiting = new Set<number>();
  const signingIn = Promise.all(
    members.map(async (_, number) => {
      waiting.add(number);
      const { status, retryAfter } = await ask(shot(), agent, patience);
      waiting.delete(number);
      return { status, retryAfter, time: 0 };
    }),
  );
  // While they wait for their turn, everybody else is served.
  const statusOfReading = async () => (await ask({ url: `${server.url}/api/users` }, agent, patience)).status;
  await expect.poll(statusOfReading, { timeout: patience, interval: 20 }).toBe(200);
  expect(waiting.size).toBeGreaterThan(0);
  const answers = await signingIn;
  const signedIn = answers.filter(({ status }) => status === 200).length;
  console.log(`Of ${answers.length} who sign in at once ${signedIn} are in, the others are told to come back.`);
  expect(answers.filter((answer) => !isServed(answer) && !isHonest(answer))).toEqual([]);
  expect(signedIn).toBeGreaterThanOrEqual(64);
  expect(signedIn).toBeLessThan(answers.length);
  const again = await ask(shot(), agent, patience);
  expect(again.status).toBe(200);
  agent.destroy();
});
