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
import { type Round, type Shot, load, median, memoryOf, quantile } from './load.ts';
import { type BenchMember, password, prepareMembers, signInShots } from './members.ts';
import { idOf, surname, surnames } from './people.ts';
import { makeQueries } from './queries.ts';
import { type Server, startServer } from './server.ts';

/*
 * How fast the product answers beside bare node:http (`floor.ts`), with 10,000, 100,000 and 1,000,000 people: both in
 * processes of their own, on the same database, in turns, so that whatever else the machine does meets both. The ratio is what
 * says something; the numbers are this machine's.
 *
 *   npm run bench -- [--people 10000,100000] [--data FOLDER] [--out FILE] [--only ROUTE]
 *
 * In FOLDER the people are kept for the next time. `--only` measures the routes whose name begins so.
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
/** Who signs in, and who saves. */
const signingIn = 400;
const saving = connections;

const folder = options.data ?? mkdtempSync(join(tmpdir(), 'archive-bench-'));
const undo: (() => unknown)[] = [];
if (options.data === undefined) undo.push(() => rmSync(folder, { recursive: true, force: true }));

let cleaning: Promise<void> | undefined;
function cleanUp(): Promise<void> {
  cleaning ??= (async () => {
    for (const step of undo.splice(0).toReversed()) await step();
  })();
  return cleaning;
}
// npm passes Ctrl-C on as well, so it comes twice: the second one waits for the same cleaning.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => void cleanUp().then(() => process.exit(1)));

const isWanted = (route: string) => route.startsWith(options.only ?? '');

/** What one route gave beside its floor. */
interface Measured {
  readonly route: string;
  readonly people: number;
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpu: number;
  readonly floor: { readonly rate: number; readonly p99: number } | null;
}

async function measure(people: number): Promise<{ measured: Measured[]; memory: number; found: string }> {
  const data = join(folder, String(people));
  mkdirSync(data, { recursive: true });
  const archive = await openBenchArchive(data, people);
  undo.push(() => archive.stop());
  const count = undo.length;
  const start = async (script: string, environment: Record<string, string>) => {
    const server = await startServer(script, archive, data, environment);
    undo.push(() => server.stop());
    return server;
  };
  const floor = await start('bench/floor.ts', { SCHOOL_LABEL: archive.institution.abbreviation });
  const product = await start('server/main.ts', {
    TRUST_PROXY: '127.0.0.1',
    LOG_LEVEL: 'warn',
    // One member and one address ask for everything here.
    BROWSE_PROFILES_PER_HOUR: '1000000000',
    SAVES_PER_HOUR: '1000000000',
    BROWSE_PAGES_PER_HOUR: '1000000000',
  });
  const members = await prepareMembers(archive, product, signingIn);
  const queries = makeQueries(archive.institution, people);
  const measured: Measured[] = [];
  const run = async (route: string, ours: () => Shot, theirs: (() => Shot) | null) => {
    if (!isWanted(route)) return;
    const mine: Round[] = [];
    const floors: Round[] = [];
    await load(ours, 1, connections, product.pid);
    if (theirs) await load(theirs, 1, connections, floor.pid);
    for (let round = 0; round < rounds; round++) {
      const takeTurn = [
        async () => mine.push(await load(ours, roundSeconds, connections, product.pid)),
        async () => theirs && floors.push(await load(theirs, roundSeconds, connections, floor.pid)),
      ];
      // Whoever comes first in one round comes last in the next.
      for (const turn of round % 2 === 0 ? takeTurn : takeTurn.toReversed()) await turn();
    }
    const of = (results: readonly Round[], pick: (result: Round) => number) => median(results.map(pick));
    const result: Measured = {
      route,
      people,
      rate: of(mine, ({ rate }) => rate),
      p50: of(mine, ({ times }) => quantile(times, 0.5)),
      p99: of(mine, ({ times }) => quantile(times, 0.99)),
      cpu: of(mine, ({ cpu }) => cpu),
      floor: theirs && {
        rate: of(floors, ({ rate }) => rate),
        p99: of(floors, ({ times }) => quantile(times, 0.99)),
      },
    };
    measured.push(result);
    console.log(row(result));
  };

  const [member] = members;
  if (!member) throw new Error('There is nobody to ask.');
  const cookie = member.headers;
  let turn = 0;
  const next = () => turn++;
  const id = () => idOf((next() * 7_919) % people);
  const query = () => encodeURIComponent(queries[next() % queries.length]?.text ?? '');
  const { url: ours } = product;
  const { url: theirs } = floor;

  console.log(
    `\n${people.toLocaleString('en')} people, ${connections} connections, ${rounds} rounds of ${roundSeconds} s in turns`,
  );
  console.log(headings);
  await run(
    'list, member',
    () => ({ url: `${ours}/api/users`, headers: cookie }),
    () => ({ url: `${theirs}/members` }),
  );
  const cursor = () => writeCursor([fold(surname((next() * 7_919) % surnames)), idOf(next() % people)]);
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
  const filters = makeFilters(archive.institution);
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
      const { headers, uid, document } = members[next() % saving] ?? member;
      const body = JSON.stringify({ ...document, bio: `Wrote this as number ${next()}` });
      return { url: `${ours}/api/users/${uid}`, method: 'PUT', headers: { ...headers, origin: ours }, body };
    },
    () => ({
      url: `${theirs}/save`,
      method: 'POST',
      body: JSON.stringify({ id: idOf(next() % saving), bio: `Number ${next()}` }),
    }),
  );
  const signIn = signInShots(ours, members, next);
  const signInBare = (): Shot => ({
    url: `${theirs}/sign-in`,
    method: 'POST',
    body: JSON.stringify({ email: `person.${next() % signingIn}@alumni.example`, password }),
  });
  await run('sign-in', signIn, signInBare);
  if (isWanted('list while 8 sign in'))
    await whileSigningIn(measured, people, { product, floor, cookie, signIn, signInBare });

  const memory = memoryOf(product.pid);
  console.log(`Memory of the product's process: ${memory.toFixed(0)} MB`);
  const found = await oneAtATime(archive, queries, filters);
  console.log(found);
  for (const step of undo.splice(count).toReversed()) await step();
  undo.pop();
  await archive.stop();
  return { measured, memory, found };
}

/** The list while eight people at a time sign in. */
async function whileSigningIn(
  measured: Measured[],
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
    signIn: () => Shot;
    signInBare: () => Shot;
  },
): Promise<void> {
  const pairs: [Round, Round][] = [];
  for (let round = 0; round < rounds; round++) {
    const both = async (list: () => Shot, shot: () => Shot, pid: number) => {
      const [result] = await Promise.all([
        load(list, roundSeconds, connections, pid),
        load(shot, roundSeconds, 8, pid),
      ]);
      return result;
    };
    const theirs = await both(() => ({ url: `${floor.url}/members` }), signInBare, floor.pid);
    pairs.push([await both(() => ({ url: `${product.url}/api/users`, headers: cookie }), signIn, product.pid), theirs]);
  }
  const of = (pick: (pair: [Round, Round]) => number) => median(pairs.map(pick));
  const result: Measured = {
    route: 'list while 8 sign in',
    people,
    rate: of(([mine]) => mine.rate),
    p50: of(([mine]) => quantile(mine.times, 0.5)),
    p99: of(([mine]) => quantile(mine.times, 0.99)),
    cpu: of(([mine]) => mine.cpu),
    floor: { rate: of(([, theirs]) => theirs.rate), p99: of(([, theirs]) => quantile(theirs.times, 0.99)) },
  };
  measured.push(result);
  console.log(row(result));
}

/** Choices of the filter that nobody has made before: thousands of them. */
function makeFilters({ colleges }: Institution) {
  const departments = colleges.flatMap((college) => college.departments);
  return (number: number) => {
    const graduatedFrom = 1970 + (number % 50);
    const graduatedTo = graduatedFrom + (Math.floor(number / 50) % 50);
    return { department: departments[number % departments.length] ?? '', graduatedFrom, graduatedTo };
  };
}

/**
 * The database's part without a queue before it: how many of the 300 questions find who is meant among the first five, and how
 * long that takes; and counts and facets of which none has been asked before.
 */
async function oneAtATime(
  { database: { db } }: BenchArchive,
  queries: ReturnType<typeof makeQueries>,
  filters: ReturnType<typeof makeFilters>,
): Promise<string> {
  const time = async (times: number[], work: () => Promise<unknown>) => {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  };
  const [searching, counting, faceting]: [number[], number[], number[]] = [[], [], []];
  let hits = 0;
  // The first round warms up.
  for (const { text, expected } of queries) {
    const found = await findPeople(db, 'members', text, {});
    if (found.hits.slice(0, 5).some(({ account_id: id }) => id === expected)) hits++;
  }
  for (let round = 0; round < 3; round++) {
    for (const [number, { text }] of queries.entries()) {
      await time(searching, () => findPeople(db, 'members', text, {}));
      await time(counting, () => countPeople(db, 'members', filters(number)));
      await time(faceting, () => findFacets(db, 'members', filters(number)));
    }
  }
  const of = (times: number[]) => `p50 ${median(times).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`;
  return `One at a time: ${hits} of ${queries.length} questions find their person among the first five, ${of(searching)}; a filtered count ${of(counting)}; its facets ${of(faceting)}`;
}

const headings = `${'route'.padEnd(30)} ${['req/s', 'floor', 'ratio', 'p50', 'p99', 'floor p99', 'CPU/req'].map((text) => text.padStart(10)).join('')}`;

function row({ route, rate, floor, p50, p99, cpu }: Measured): string {
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
  for (const people of options.people.split(',').map(Number)) results.push(await measure(people));
  if (options.out) writeFileSync(options.out, JSON.stringify(results, null, 2));
} finally {
  await cleanUp();
}
