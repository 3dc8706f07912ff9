import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent, type ClientRequest, get } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from 'kysely';
import { SMTPServer } from 'smtp-server';
import { termsVersion } from '#contract/terms.ts';
import { createRandom } from '#server/seed/random.ts';
import { smallPicture } from '#server/testing/archive.ts';
import { childrenOf, cleanUp, databasePid, endLater, newFolder } from '#server/testing/product.ts';
import { type BenchArchive, openBenchArchive } from '../bench/archive.ts';
import { load, median, memoryOf, type Shot } from '../bench/load.ts';
import { addressOf, type BenchMember, prepareMembers, signInShots } from '../bench/members.ts';
import { mixedLoad } from '../bench/mix.ts';
import { ask, offer } from '../bench/offer.ts';
import { type Server, forManyPeople, startServer } from '../bench/server.ts';

/*
 * Half of what the server can answer, of everything that people do, for SOAK_MINUTES (30 unless it is set): memory, open files and
 * connections to the database stay as they are. SOAK_RATE is for a machine that has other work as well: so many requests a second
 * at most. Needs Linux.
 */

const minutes = Number(process.env['SOAK_MINUTES'] ?? 30);
const most = Number(process.env['SOAK_RATE'] ?? Infinity);
/** Seconds between two samples. */
const step = 10;
/** Milliseconds after which a person has given up. */
const patience = 20_000;
/** Streams of news that are open together. */
const streams = 20;

let archive: BenchArchive;
let server: Server;
let members: BenchMember[];
let data: string;
let mails = 0;

/** A mail server that takes everything and keeps nothing. */
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
  endLater(() => new Promise<void>((resolve) => sink.close(resolve)));
  const { port } = sink.server.address() as { port: number };
  archive = await openBenchArchive(data, 10_000, () => undefined);
  endLater(() => archive.stop());
  server = await startServer('server/main.ts', archive, data, {
    ...forManyPeople,
    NODE_OPTIONS: `--import=${join(import.meta.dirname, '..', 'bench', 'tell-heap.ts')}`,
    HEAP_FILE: join(data, 'heap.json'),
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    LOG_LEVEL: 'warn',
  });
  endLater(() => server.stop());
  members = await prepareMembers(archive, server, 200);
}, 600_000);

afterAll(cleanUp);

/** What is looked at: megabytes, and numbers. */
interface Sample {
  readonly rss: number;
  readonly heap: number;
  readonly files: number;
  readonly connections: number;
  readonly databaseMemory: number;
  readonly databaseFiles: number;
  readonly unfinished: number;
}

/** How much more than in the second third of the time the last one may have, as a share and beside it. */
const allowed: Record<keyof Sample, readonly [share: number, more: number]> = {
  rss: [0.05, 10],
  heap: [0.03, 1],
  files: [0, 2],
  connections: [0, 2],
  databaseMemory: [0.05, 10],
  databaseFiles: [0.05, 20],
  unfinished: [0, 1],
};

async function sample(): Promise<Sample> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity where datname = current_database()`.execute(
    archive.database.db,
  );
  const postmaster = databasePid(data);
  const processes = [postmaster, ...childrenOf(postmaster)];
  const sum = (of: (pid: number) => number) => processes.reduce((all, pid) => all + of(pid), 0);
  return {
    rss: memoryOf(server.pid),
    heap: await heap(),
    files: filesOf(server.pid),
    connections: rows[0]?.count ?? 0,
    databaseMemory: sum(ownMemoryOf),
    databaseFiles: sum(filesOf),
    unfinished: readdirSync(join(data, 'product', 'media')).filter((name) => name.endsWith('.unfinished')).length,
  };
}

/** A process that has just ended has none. */
function filesOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/** Megabytes that a process shares with nobody. */
function ownMemoryOf(pid: number): number {
  try {
    return Number(/RssAnon:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Megabytes that are held in the server, after everything else has been thrown away. */
async function heap(): Promise<number> {
  const file = join(data, 'heap.json');
  rmSync(file, { force: true });
  process.kill(server.pid, 'SIGUSR2');
  await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('}'), { timeout: 30_000 }).toBe(true);
  return (JSON.parse(readFileSync(file, 'utf8')) as { heap: number }).heap / 1024 / 1024;
}

/** What people do now and then, one of each a second, and how it may end beside a success. */
async function livelyPeople(until: AbortSignal): Promise<Map<string, number>> {
  const random = createRandom(21);
  const agent = new Agent({ keepAlive: true });
  const outcomes = new Map<string, number>();
  const pictures = await Promise.all(['#7799bb', '#bb9977', '#99bb77'].map(smallPicture));
  const signIn = signInShots(server.url, members, () => random.whole(0, 60_000));
  const { url } = server;
  let accounts = 0;
  const from = () => ({ origin: url, 'x-forwarded-for': addressOf(random.whole(0, 16_000_000)) });
  const acts: Record<string, () => Shot> = {
    'sign-up': () => ({
      url: `${url}/api/identity/sign-up`,
      method: 'POST',
      headers: from(),
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
      return { url: `${url}/api/users/${uid}`, method: 'PUT', headers: { ...from(), ...headers }, body };
    },
    message: () => {
      const [{ headers }, other] = [random.pick(members), random.pick(members)];
      const body = JSON.stringify({ text: 'Do you remember the reunion?', shareEmail: false });
      return {
        url: `${url}/api/users/${other.uid}/messages`,
        method: 'POST',
        headers: { ...from(), ...headers },
        body,
      };
    },
  };
  const open: ClientRequest[] = [];
  while (!until.aborted) {
    const began = performance.now();
    for (const [name, shot] of Object.entries(acts)) {
      const { status } = await ask(shot(), agent, patience);
      const key = `${name} ${status}`;
      outcomes.set(key, (outcomes.get(key) ?? 0) + 1);
    }
    // Somebody opens a page, and somebody else leaves theirs.
    const stream = get(`${url}/api/notifications/stream`, { headers: random.pick(members).headers });
    stream.on('error', () => undefined).on('response', (response) => response.on('error', () => undefined).resume());
    open.push(stream);
    if (open.length > streams) open.shift()?.destroy();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 1000 - (performance.now() - began))));
  }
  for (const stream of open) stream.destroy();
  agent.destroy();
  return outcomes;
}

test(
  'half of what can be answered, for long: memory, open files and connections stay as they are',
  { timeout: (minutes * 60 + 300) * 1000 },
  async () => {
    const next = mixedLoad(archive, server.url, members);
    await load(next, 3, 32, server.pid);
    const { rate } = await load(next, 6, 32, server.pid);
    const over = new AbortController();
    const lively = livelyPeople(over.signal);
    const samples: Sample[] = [];
    const statuses = new Map<number, number>();
    const broken: string[] = [];
    const end = performance.now() + minutes * 60_000;
    while (performance.now() < end) {
      const offered = await offer(next, Math.min(most, rate / 2), step, patience);
      for (const { status } of offered.answered) statuses.set(status, (statuses.get(status) ?? 0) + 1);
      broken.push(...offered.broken.keys());
      samples.push(await sample());
    }
    over.abort();
    const outcomes = await lively;

    const names = Object.keys(allowed) as (keyof Sample)[];
    const third = Math.floor(samples.length / 3);
    const medianOf = (part: readonly Sample[], name: keyof Sample) => median(part.map((one) => one[name]));
    const rows = names.map((name) => ({
      what: name,
      first: medianOf(samples.slice(0, third), name),
      second: medianOf(samples.slice(third, 2 * third), name),
      last: medianOf(samples.slice(2 * third), name),
      most: Math.max(...samples.map((one) => one[name])),
    }));
    console.log(
      `${minutes} minutes at ${(rate / 2).toFixed(0)} requests a second, ${samples.length} samples; medians of each third`,
    );
    console.log(
      ['what', 'first', 'second', 'last', 'most'].map((text) => text.padStart(16)).join('') +
        rows
          .map(
            (row) =>
              `\n${row.what.padStart(16)}${[row.first, row.second, row.last, row.most].map((value) => value.toFixed(1).padStart(16)).join('')}`,
          )
          .join(''),
    );
    console.log('Answers:', statuses, 'beside them:', outcomes, `and ${mails} mails.`);

    const failures = readFileSync(join(data, 'bench.log'), 'utf8')
      .split('\n')
      .filter((line) => line.includes('"level":50'));
    console.log(failures.slice(0, 5).join('\n'));
    expect(broken).toEqual([]);
    // A machine that has other work to do as well may be too slow for half of what it could at first.
    expect([...statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(statuses.get(200)).toBeGreaterThan(2 * (statuses.get(503) ?? 0));
    for (const act of ['sign-up 200', 'sign-in 200', 'picture 200', 'message 204'])
      expect([...outcomes.keys()]).toContain(act);
    for (const key of outcomes.keys()) expect(key).toMatch(/ (?:20\d|503)$|^message (?:403|404|429)$|^picture 429$/u);
    expect(mails).toBeGreaterThan(0);
    expect(samples.length).toBeGreaterThan(5);
    for (const { what, second, last } of rows) {
      const [share, more] = allowed[what];
      expect(last, `${what} in the last third`).toBeLessThanOrEqual(second * (1 + share) + more);
    }
  },
);
