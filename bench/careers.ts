import { parseArgs } from 'node:util';
import { helpKinds, workFieldNames } from '#contract/career-values.ts';
import { suggestCities } from '#server/domain/careers/places.ts';
import { toEmployerKey } from '#server/domain/careers/employer-key.ts';
import { createRandom } from '#server/seed/random.ts';
import { openBenchArchive } from './archive.ts';
import { createKeystrokes } from './keystrokes.ts';
import { writeMeasurements } from './measurements.ts';
import { prepareMembers } from './members.ts';
import { loadTestSettings, startServer } from './server.ts';
import { measurePaths } from './staff.ts';
import { createEmployerName } from './synthetic-careers.ts';
import { openWorkspace } from './workspace.ts';

/*
 * Measures lists, counts and look-ups of careers over HTTP as a member, one request after another.
 *
 *   npm run bench -- careers [--people 1000000] [--data FOLDER]
 *
 * FOLDER keeps the filled database.
 */

const { values: options } = parseArgs({
  options: { people: { type: 'string', default: '1000000' }, data: { type: 'string' } },
});
const people = Number(options.people);
const lists = 300;

const random = createRandom(5);
const { folder, onCleanUp, cleanUp } = openWorkspace('careers', options.data);
try {
  const archive = await openBenchArchive(folder, people);
  onCleanUp(() => archive.stop());
  const { institution, database } = archive;
  const server = await startServer('server/main.ts', archive, folder, { ...loadTestSettings, LOG_LEVEL: 'warn' });
  onCleanUp(() => server.stop());
  const [member] = await prepareMembers(archive, server, 1);
  if (!member) throw new Error('The member is missing.');

  const departments = institution.colleges.flatMap((college) => college.departments);
  const areas = [...'labkeis'].flatMap((letter) => suggestCities(letter, 'NG')).map(({ areaId }) => String(areaId));
  const pickYear = () => String(random.integer(institution.firstYear + 5, new Date().getUTCFullYear()));
  const pickClass = () => {
    const year = pickYear();
    return { department: random.pick(departments), graduatedFrom: year, graduatedTo: year };
  };
  const pickFilter: readonly (() => Record<string, string>)[] = [
    () => ({ employer: toEmployerKey(createEmployerName(Math.floor(60_000 ** random.next()))) }),
    () => ({ field: random.pick(workFieldNames) }),
    () => ({ area: random.pick(areas) }),
    () => ({ country: random.pick(['NG', 'GB', 'US', 'GH', 'TG']) }),
    () => ({ help: random.pick(helpKinds) }),
    () => ({ department: random.pick(departments) }),
    pickClass,
    () => ({ graduatedFrom: pickYear() }),
    () => ({ name: random.pick(['a', 'ade', 'oko', 'zz']) }),
  ];
  const toPath = (path: string, query: Record<string, string>) => `${path}?${new URLSearchParams(query).toString()}`;
  const toLists = (filters: number) =>
    Array.from({ length: lists }, () =>
      toPath(
        '/api/careers',
        Object.assign({}, ...Array.from({ length: filters }, () => random.pick(pickFilter)())) as Record<
          string,
          string
        >,
      ),
    );
  const typed = Array.from({ length: lists }, () =>
    createEmployerName(Math.floor(60_000 ** random.next())).slice(0, random.integer(1, 8)),
  );
  const keystrokes = createKeystrokes(institution, people, 60).map(({ text }) => text);
  const overviews = (pick: () => Record<string, string>, requests: number) =>
    Array.from({ length: requests }, () => toPath('/api/careers/overview', pick()));
  const groups: readonly (readonly [string, readonly string[]])[] = [
    ...[0, 1, 2, 3].map((filters) => [`list and count, ${filters} filters`, toLists(filters)] as const),
    ['overview of a class', overviews(pickClass, lists)],
    ['overview of a department', overviews(() => ({ department: random.pick(departments) }), 100)],
    ['overview of everyone', overviews(() => ({}), 100)],
    ['employer look-up', typed.map((q) => toPath('/api/employers', { q }))],
    ['place look-up', keystrokes.map((q) => toPath('/api/places', { q }))],
    ['search for an employer', typed.map((q) => toPath('/api/search/careers', { q }))],
    ['search for a name', keystrokes.map((q) => toPath('/api/search', { q }))],
  ];
  const rows: string[][] = [];
  for (const [title, paths] of groups) rows.push(await measurePaths(title, server, member, paths));
  const { rows: sizes } = await database.pool.query<{ name: string; megabytes: string }>(
    `select indexrelname as name, round(pg_relation_size(indexrelid) / 1e6)::text as megabytes
     from pg_stat_user_indexes where relname = 'listings' order by 1`,
  );
  for (const { name, megabytes } of sizes) console.log(`${name}: ${megabytes} MB`);
  writeMeasurements(`careers-${people}`, ['request', 'p50 ms', 'p99 ms'], rows);
} finally {
  await cleanUp();
}
