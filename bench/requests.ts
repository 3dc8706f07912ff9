import { writeFileSync } from 'node:fs';
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
import { type Workspace, openWorkspace } from './workspace.ts';

/*
 * Compares the throughput of the server with the baseline (`floor.ts`), for 10,000, 100,000 and 1,000,000 people. Both
 * run as separate processes on the same database. Rounds alternate between them, so that other load on the machine
 * affects both equally. The absolute numbers depend on the machine; the ratios depend on it less. CPU time per request
 * depends least on other load.
 *
 *   npm run bench -- requests [--people 10000,100000] [--data FOLDER] [--out FILE] [--only ROUTE]
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
const signingInMembers = 400;

async function measureSize(
  people: number,
  { folder, onCleanUp }: Workspace,
): Promise<{ measured: RouteResult[]; typing: TypingResult[]; memory: number; found: string }> {
  const archive = await openBenchArchive(folder, people);
  onCleanUp(() => archive.stop());
  const start = async (script: string, environment: Record<string, string>) => {
    const server = await startServer(script, archive, folder, environment);
    onCleanUp(() => server.stop());
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
  measured.push(...(await measurePages(input, { rounds, roundSeconds, only: options.only }, folder)));
  await compareSaves(compare, input);
  await compareSignIns(compare, input);

  const memory = readMemoryMb(product.pid);
  console.log(`Memory of the server process: ${memory.toFixed(0)} MB`);
  const found = await measureSequentialQueries(archive, queries, filters);
  console.log(found);
  return { measured, typing, memory, found };
}

const results = [];
for (const people of options.people.split(',')) {
  const workspace = openWorkspace('bench', options.data && join(options.data, people));
  try {
    results.push(await measureSize(Number(people), workspace));
  } finally {
    await workspace.cleanUp();
  }
}
if (options.out) writeFileSync(options.out, JSON.stringify(results, null, 2));
