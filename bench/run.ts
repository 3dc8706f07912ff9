import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fold } from '#server/domain/folding.ts';
import { writeCursor } from '#server/platform/http/cursor.ts';
import type { Institution } from '#contract/institution.ts';
import { countPeople, findFacets } from '#server/features/directory/queries.ts';
import { findPeople } from '#server/features/search/queries.ts';
import { type BenchArchive, openBenchArchive } from './archive.ts';
import { type LoadResult, type LoadRequest, runLoad, computeMedian, readMemoryMb, computeQuantile } from './load.ts';
import { type BenchMember, memberPassword, prepareMembers, createSignInRequests } from './members.ts';
import { createPersonId, createSurname, surnameCount } from './people.ts';
import { createQueries } from './queries.ts';
import { type Server, startServer } from './server.ts';

/*
 * Compares the throughput of the server with the baseline (`floor.ts`), for 10,000, 100,000 and 1,000,000 people. Both run as separate
 * processes on the same database. Rounds alternate between them, so that other load on the machine affects both equally. The absolute
 * numbers depend on the machine; the ratio does not.
 *
 *   npm run bench -- [--people 10000,100000] [--data FOLDER] [--out FILE] [--only ROUTE]
 *
 * FOLDER keeps the filled databases for the next run. `--only` measures only routes whose name starts with ROUTE.
 */

const { values: options } = parseArgs({
  options: {
    people: { type: 'string', default: '10000,100000,1000000' },
    data: { type: 'string' },
    out: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    only: { type: 'string' },
  },
});

const connections = 16;
const rounds = Number(options.rounds);
const roundSeconds = Number(options.seconds);
/** Number of members who sign in, and who save. */
const signingInMembers = 400;
const savingMembers = connections;

const folder = options.data ?? mkdtempSync(join(tmpdir(), 'archive-bench-'));
const cleanUpSteps: (() => unknown)[] = [];
if (options.data === undefined) cleanUpSteps.push(() => rmSync(folder, { recursive: true, force: true }));

let cleanUpDone: Promise<void> | undefined;
function cleanUp(): Promise<void> {
  cleanUpDone ??= (async () => {
    for (const step of cleanUpSteps.splice(0).toReversed()) await step();
  })();
  return cleanUpDone;
}
// npm forwards Ctrl-C, so the signal arrives twice. The second one waits for the same clean-up.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => void cleanUp().then(() => process.exit(1)));

const isSelected = (route: string) => route.startsWith(options.only ?? '');

/** Results of one route for the server and the baseline: requests per second, milliseconds, and CPU milliseconds per request. */
interface RouteResult {
  readonly route: string;
  readonly people: number;
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpu: number;
  readonly floor: { readonly rate: number; readonly p99: number } | null;
}

async function measureSize(people: number): Promise<{ measured: RouteResult[]; memory: number; found: string }> {
  const data = join(folder, String(people));
  mkdirSync(data, { recursive: true });
  const archive = await openBenchArchive(data, people);
  cleanUpSteps.push(() => archive.stop());
  const count = cleanUpSteps.length;
  const start = async (script: string, environment: Record<string, string>) => {
    const server = await startServer(script, archive, data, environment);
    cleanUpSteps.push(() => server.stop());
    return server;
  };
  const floor = await start('bench/floor.ts', { SCHOOL_LABEL: archive.institution.abbreviation });
  const product = await start('server/main.ts', {
    TRUST_PROXY: '127.0.0.1',
    LOG_LEVEL: 'warn',
    // All requests come from one member and one address.
    BROWSE_PROFILES_PER_HOUR: '1000000000',
    SAVES_PER_HOUR: '1000000000',
    BROWSE_PAGES_PER_HOUR: '1000000000',
  });
  const members = await prepareMembers(archive, product, signingInMembers);
  const queries = createQueries(archive.institution, people);
  const measured: RouteResult[] = [];
  const run = async (route: string, ours: () => LoadRequest, theirs: (() => LoadRequest) | null) => {
    if (!isSelected(route)) return;
    const mine: LoadResult[] = [];
    const floors: LoadResult[] = [];
    await runLoad(ours, 1, connections, product.pid);
    if (theirs) await runLoad(theirs, 1, connections, floor.pid);
    for (let round = 0; round < rounds; round++) {
      const runs = [
        async () => mine.push(await runLoad(ours, roundSeconds, connections, product.pid)),
        async () => theirs && floors.push(await runLoad(theirs, roundSeconds, connections, floor.pid)),
      ];
      // Alternates the order in each round.
      for (const run of round % 2 === 0 ? runs : runs.toReversed()) await run();
    }
    const medianOf = (results: readonly LoadResult[], pick: (result: LoadResult) => number) =>
      computeMedian(results.map(pick));
    const result: RouteResult = {
      route,
      people,
      rate: medianOf(mine, ({ requestsPerSecond }) => requestsPerSecond),
      p50: medianOf(mine, ({ durationsMs }) => computeQuantile(durationsMs, 0.5)),
      p99: medianOf(mine, ({ durationsMs }) => computeQuantile(durationsMs, 0.99)),
      cpu: medianOf(mine, ({ cpuMsPerRequest }) => cpuMsPerRequest),
      floor: theirs && {
        rate: medianOf(floors, ({ requestsPerSecond }) => requestsPerSecond),
        p99: medianOf(floors, ({ durationsMs }) => computeQuantile(durationsMs, 0.99)),
      },
    };
    measured.push(result);
    console.log(formatRow(result));
  };

  const [member] = members;
  if (!member) throw new Error('There are no members.');
  const cookie = member.headers;
  let turn = 0;
  const next = () => turn++;
  const id = () => createPersonId((next() * 7_919) % people);
  const query = () => encodeURIComponent(queries[next() % queries.length]?.text ?? '');
  const { url: ours } = product;
  const { url: theirs } = floor;

  console.log(
    `\n${people.toLocaleString('en')} people, ${connections} connections, ${rounds} alternating rounds of ${roundSeconds} s`,
  );
  console.log(headings);
  await run(
    'list, member',
    () => ({ url: `${ours}/api/users`, headers: cookie }),
    () => ({ url: `${theirs}/members` }),
  );
  const cursor = () =>
    writeCursor([fold(createSurname((next() * 7_919) % surnameCount)), createPersonId(next() % people)]);
  await run(
    'list, member, anywhere',
    () => ({ url: `${ours}/api/users?after=${cursor()}`, headers: cookie }),
    () => ({ url: `${theirs}/members?after=${cursor()}` }),
  );
  await run(
    'list, guest',
    () => ({ url: `${ours}/api/users` }),
    () => ({ url: `${theirs}/guests` }),
  );
  await run(
    'list, guest (constant body)',
    () => ({ url: `${ours}/api/users` }),
    () => ({ url: `${theirs}/constant` }),
  );
  await run(
    'profile',
    () => ({ url: `${ours}/api/users/${id()}`, headers: cookie }),
    () => ({ url: `${theirs}/profile?id=${id()}` }),
  );
  await run(
    'search',
    () => ({ url: `${ours}/api/search?q=${query()}`, headers: cookie }),
    () => ({ url: `${theirs}/search?q=${query()}` }),
  );
  await run(
    'count',
    () => ({ url: `${ours}/api/users/count`, headers: cookie }),
    () => ({ url: `${theirs}/count` }),
  );
  await run('facets', () => ({ url: `${ours}/api/users/facets`, headers: cookie }), null);
  const filters = createFilters(archive.institution);
  const chosen = () => {
    const { department, graduatedFrom, graduatedTo } = filters(next());
    return new URLSearchParams({
      department,
      graduatedFrom: String(graduatedFrom),
      graduatedTo: String(graduatedTo),
    }).toString();
  };
  await run('count, filtered', () => ({ url: `${ours}/api/users/count?${chosen()}`, headers: cookie }), null);
  await run('facets, filtered', () => ({ url: `${ours}/api/users/facets?${chosen()}`, headers: cookie }), null);
  await run(
    'save',
    () => {
      const { headers, uid, document } = members[next() % savingMembers] ?? member;
      const body = JSON.stringify({ ...document, bio: `Saved as number ${next()}` });
      return { url: `${ours}/api/users/${uid}`, method: 'PUT', headers: { ...headers, origin: ours }, body };
    },
    () => ({
      url: `${theirs}/save`,
      method: 'POST',
      body: JSON.stringify({ id: createPersonId(next() % savingMembers), bio: `Number ${next()}` }),
    }),
  );
  const signIn = createSignInRequests(ours, members, next);
  const signInBare = (): LoadRequest => ({
    url: `${theirs}/sign-in`,
    method: 'POST',
    body: JSON.stringify({ email: `person.${next() % signingInMembers}@alumni.example`, password: memberPassword }),
  });
  await run('sign-in', signIn, signInBare);
  if (isSelected('list while 8 sign in'))
    await measureListDuringSignIns(measured, people, { product, floor, cookie, signIn, signInBare });

  const memory = readMemoryMb(product.pid);
  console.log(`Memory of the server process: ${memory.toFixed(0)} MB`);
  const found = await measureSequentialQueries(archive, queries, filters);
  console.log(found);
  for (const step of cleanUpSteps.splice(count).toReversed()) await step();
  cleanUpSteps.pop();
  await archive.stop();
  return { measured, memory, found };
}

/** Measures the list while eight clients sign in concurrently. */
async function measureListDuringSignIns(
  measured: RouteResult[],
  people: number,
  {
    product,
    floor,
    cookie,
    signIn,
    signInBare,
  }: {
    product: Server;
    floor: Server;
    cookie: BenchMember['headers'];
    signIn: () => LoadRequest;
    signInBare: () => LoadRequest;
  },
): Promise<void> {
  const pairs: [LoadResult, LoadResult][] = [];
  for (let round = 0; round < rounds; round++) {
    const runBoth = async (list: () => LoadRequest, signIns: () => LoadRequest, pid: number) => {
      const [result] = await Promise.all([
        runLoad(list, roundSeconds, connections, pid),
        runLoad(signIns, roundSeconds, 8, pid),
      ]);
      return result;
    };
    const theirs = await runBoth(() => ({ url: `${floor.url}/members` }), signInBare, floor.pid);
    pairs.push([
      await runBoth(() => ({ url: `${product.url}/api/users`, headers: cookie }), signIn, product.pid),
      theirs,
    ]);
  }
  const medianOf = (pick: (pair: [LoadResult, LoadResult]) => number) => computeMedian(pairs.map(pick));
  const result: RouteResult = {
    route: 'list while 8 sign in',
    people,
    rate: medianOf(([mine]) => mine.requestsPerSecond),
    p50: medianOf(([mine]) => computeQuantile(mine.durationsMs, 0.5)),
    p99: medianOf(([mine]) => computeQuantile(mine.durationsMs, 0.99)),
    cpu: medianOf(([mine]) => mine.cpuMsPerRequest),
    floor: {
      rate: medianOf(([, theirs]) => theirs.requestsPerSecond),
      p99: medianOf(([, theirs]) => computeQuantile(theirs.durationsMs, 0.99)),
    },
  };
  measured.push(result);
  console.log(formatRow(result));
}

/** Returns a function that creates thousands of different filters, which no cache contains. */
function createFilters({ colleges }: Institution) {
  const departments = colleges.flatMap((college) => college.departments);
  return (number: number) => {
    const graduatedFrom = 1970 + (number % 50);
    const graduatedTo = graduatedFrom + (Math.floor(number / 50) % 50);
    return { department: departments[number % departments.length] ?? '', graduatedFrom, graduatedTo };
  };
}

/**
 * Measures database queries one after another, without concurrency. Reports how many of the 300 search queries find the expected person
 * among the first five, and the durations of searches, uncached counts and uncached facets.
 */
async function measureSequentialQueries(
  { database: { db } }: BenchArchive,
  queries: ReturnType<typeof createQueries>,
  filters: ReturnType<typeof createFilters>,
): Promise<string> {
  const measure = async (times: number[], work: () => Promise<unknown>) => {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  };
  const [searchMs, countMs, facetMs]: [number[], number[], number[]] = [[], [], []];
  let hits = 0;
  // This round also warms up the caches.
  for (const { text, expected } of queries) {
    const found = await findPeople(db, 'members', text, {});
    if (found.hits.slice(0, 5).some(({ account_id: id }) => id === expected)) hits++;
  }
  for (let round = 0; round < 3; round++) {
    for (const [number, { text }] of queries.entries()) {
      await measure(searchMs, () => findPeople(db, 'members', text, {}));
      await measure(countMs, () => countPeople(db, 'members', filters(number)));
      await measure(facetMs, () => findFacets(db, 'members', filters(number)));
    }
  }
  const format = (times: number[]) =>
    `p50 ${computeMedian(times).toFixed(1)} ms, p99 ${computeQuantile(times, 0.99).toFixed(1)} ms`;
  return `Sequential: ${hits} of ${queries.length} search queries find their person among the first five, ${format(searchMs)}; filtered count ${format(countMs)}; filtered facets ${format(facetMs)}`;
}

const headings = `${'route'.padEnd(30)} ${['req/s', 'floor', 'ratio', 'p50', 'p99', 'floor p99', 'CPU/req'].map((text) => text.padStart(10)).join('')}`;

function formatRow({ route, rate, floor, p50, p99, cpu }: RouteResult): string {
  const cells = [
    rate.toFixed(0),
    floor ? floor.rate.toFixed(0) : '-',
    floor ? (rate / floor.rate).toFixed(2) : '-',
    p50.toFixed(1),
    p99.toFixed(1),
    floor ? floor.p99.toFixed(1) : '-',
    cpu.toFixed(2),
  ];
  return `${route.padEnd(30)} ${cells.map((text) => text.padStart(10)).join('')}`;
}

try {
  const results = [];
  for (const people of options.people.split(',').map(Number)) results.push(await measureSize(people));
  if (options.out) writeFileSync(options.out, JSON.stringify(results, null, 2));
} finally {
  await cleanUp();
}
