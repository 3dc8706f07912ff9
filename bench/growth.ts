import { parseArgs } from 'node:util';
import { writeCursor } from '#server/platform/http/cursor.ts';
import { fold } from '#server/domain/search/folding.ts';
import { openBenchArchive } from './archive.ts';
import { createKeystrokes } from './keystrokes.ts';
import { type LoadRequest, computeMedian, readCpuMs, readDatabaseCpu, sendRequest, sumSince } from './load.ts';
import { prepareMembers } from './members.ts';
import { createPerson, createPersonId, createSurname, surnameCount } from './people.ts';
import { createFilters } from './sequential.ts';
import { loadTestSettings, startServer } from './server.ts';
import { openWorkspace } from './workspace.ts';

/*
 * Measures what a request costs the server and the database, one request after another, so that two sizes of an archive
 * can be compared on a machine with other work.
 *
 *   npm run bench -- growth --people 1000000 --data FOLDER
 *
 * FOLDER keeps the filled database.
 */

const { values: options } = parseArgs({
  options: { people: { type: 'string', default: '1000000' }, data: { type: 'string' } },
});
const people = Number(options.people);
const rounds = 3;
const requestsPerRound = 200;
const crowdedSearchesPerRound = 30;
/** Searches of words that begin no name, or that begin tens of thousands. */
const crowdedSearches = [
  'computer',
  'computer science',
  'education',
  'mathematics',
  'cosit',
  'ola ade',
  'ade ola',
  'chi oka',
  'adebayo computer',
];

const workspace = openWorkspace('growth', options.data);
try {
  const archive = await openBenchArchive(workspace.folder, people);
  workspace.onCleanUp(() => archive.stop());
  const product = await startServer('server/main.ts', archive, workspace.folder, {
    ...loadTestSettings,
    LOG_LEVEL: 'warn',
  });
  workspace.onCleanUp(() => product.stop());
  const members = await prepareMembers(archive, product, requestsPerRound);
  const { institution } = archive;
  const departments = institution.colleges.flatMap((college) => college.departments);
  const keystrokes = createKeystrokes(institution, people, 400);
  const filters = createFilters(institution);
  const headers = members[0]?.headers ?? {};

  const get = (path: string, query: Record<string, string> = {}): LoadRequest => ({
    url: `${product.url}${path}?${new URLSearchParams(query)}`,
    headers,
  });
  const surname = (n: number) => fold(createSurname((n * 7_919) % surnameCount));
  const department = (n: number) => departments[n % departments.length] ?? '';
  const year = (n: number) => String(1995 + (n % 30));
  const id = (n: number) => createPersonId((n * 7_919) % people);
  const after = (n: number) => writeCursor([surname(n), createPersonId(n)]);
  const save = (n: number, changes: object): LoadRequest => {
    const { uid, headers: own = {}, document = { name: {} } } = members[n % members.length] ?? {};
    return {
      url: `${product.url}/api/users/${uid}`,
      method: 'PUT',
      headers: { ...own, origin: product.url },
      body: JSON.stringify({ ...document, ...changes }),
    };
  };
  const name = (n: number) => members[n % members.length]?.document.name;

  const routes: Record<string, (n: number) => LoadRequest> = {
    list: (n) => get('/api/users', { after: after(n) }),
    'list of a department': (n) => get('/api/users', { department: department(n), after: after(n) }),
    'list of a class': (n) =>
      get('/api/users', {
        department: department(n),
        graduatedFrom: year(n),
        graduatedTo: year(n),
        after: after(n),
      }),
    'list by class': (n) =>
      get('/api/users', { sort: 'class', after: writeCursor([Number(year(n)), surname(n), createPersonId(n)]) }),
    profile: (n) => get(`/api/users/${id(n)}`),
    'search, keystroke': (n) => get('/api/search', { q: keystrokes[(n * 7_919) % keystrokes.length]?.text ?? '' }),
    count: (n) => get('/api/users/count', filterQuery(n)),
    facets: (n) => get('/api/users/facets', filterQuery(n)),
    save: (n) => save(n, { bio: `Saved as number ${n}` }),
    'save, listed field': (n) => save(n, { name: { ...name(n), first: createPerson(institution, n).firstName } }),
    'page /user/{id}': (n) => get(`/user/${id(n)}`),
    'page /': () => get('/'),
  };
  const crowded: typeof routes = Object.fromEntries(
    crowdedSearches.map((q) => [`search, ${q}`, () => get('/api/search', { q })]),
  );
  function filterQuery(n: number): Record<string, string> {
    const { department: chosen, graduatedFrom, graduatedTo } = filters(n);
    return { department: chosen, graduatedFrom: String(graduatedFrom), graduatedTo: String(graduatedTo) };
  }

  console.log(`${people.toLocaleString('en')} people, medians of ${rounds} rounds`);
  console.log(`${'CPU ms per request'.padEnd(32)}  server  database`);
  let at = 0;
  for (const [route, toRequest] of Object.entries({ ...routes, ...crowded })) {
    const requests = route in crowded ? crowdedSearchesPerRound : requestsPerRound;
    const server: number[] = [];
    const database: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      const before = { server: readCpuMs(product.pid), database: readDatabaseCpu(archive.postmasterPid) };
      for (let request = 0; request < requests; request++) await sendRequest(toRequest(at++));
      // The first round warms up the caches.
      if (round === 0) continue;
      server.push((readCpuMs(product.pid) - before.server) / requests);
      database.push(sumSince(before.database, readDatabaseCpu(archive.postmasterPid)) / requests);
    }
    const cells = [server, database].map((values) => computeMedian(values).toFixed(2).padStart(8));
    console.log(`${route.padEnd(32)}${cells.join('')}`);
  }
  for (const [n] of members.entries()) await sendRequest(save(n, {}));
} finally {
  await workspace.cleanUp();
}
