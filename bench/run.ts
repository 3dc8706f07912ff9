import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openBenchArchive } from './archive.ts';
import { measurePages } from './pages.ts';
import { type RouteResult, createCompare, defaultConnections, headings } from './compare.ts';
import { readMemoryMb } from './load.ts';
import { prepareMembers } from './members.ts';
import { createQueries } from './queries.ts';
import { compareReads, compareSaves, compareSignIns } from './routes.ts';
import { type TypingResult, measureTyping } from './typing.ts';
import { createFilters, measureSequentialQueries } from './sequential.ts';
import { loadTestSettings, startServer } from './server.ts';

/*
 * Compares the throughput of the server with the baseline (`floor.ts`), for 10,000, 100,000 and 1,000,000 people. Both run as separate
 * processes on the same database. Rounds alternate between them, so that other load on the machine affects both equally. The absolute
 * numbers depend on the machine; the ratios depend on it less. CPU time per request depends least on other load.
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
    only: { type: 'string', default: '' },
  },
});

const rounds = Number(options.rounds);
const roundSeconds = Number(options.seconds);
/** Number of members who sign in. */
const signingInMembers = 400;

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

async function measureSize(
  people: number,
): Promise<{ measured: RouteResult[]; typing: TypingResult[]; memory: number; found: string }> {
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
  const product = await start('server/main.ts', { ...loadTestSettings, LOG_LEVEL: 'warn' });
  const members = await prepareMembers(archive, product, signingInMembers);
  const queries = createQueries(archive.institution, people);
  const filters = createFilters(archive.institution);
  const input = { archive, product, floor, members, queries, filters };
  console.log(
    `\n${people.toLocaleString('en')} people, ${defaultConnections} connections, ${rounds} alternating rounds of ${roundSeconds} s`,
  );
  console.log(headings);
  const { compare, measured } = createCompare({ people, product, floor, rounds, roundSeconds, only: options.only });
  await compareReads(compare, input);
  const typing = 'search, keystrokes'.startsWith(options.only) ? await measureTyping(compare, input) : [];
  measured.push(...(await measurePages(input, { rounds, roundSeconds, only: options.only }, data)));
  await compareSaves(compare, input);
  await compareSignIns(compare, input);

  const memory = readMemoryMb(product.pid);
  console.log(`Memory of the server process: ${memory.toFixed(0)} MB`);
  const found = await measureSequentialQueries(archive, queries, filters);
  console.log(found);
  for (const step of cleanUpSteps.splice(count).toReversed()) await step();
  cleanUpSteps.pop();
  await archive.stop();
  return { measured, typing, memory, found };
}

try {
  const results = [];
  for (const people of options.people.split(',').map(Number)) results.push(await measureSize(people));
  if (options.out) writeFileSync(options.out, JSON.stringify(results, null, 2));
} finally {
  await cleanUp();
}
