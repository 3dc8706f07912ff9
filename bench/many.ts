import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { openDatabase } from '#server/db/client.ts';
import { migrate } from '#server/db/migrate.ts';
import { urlOf } from '#server/db/url.ts';
import { readInstitution } from '#server/domain/read-institution.ts';
import { startEmbedded } from '#server/platform/embedded-postgres/server.ts';
import { openDataFolder } from '#server/platform/storage/data-folder.ts';
import { fillDatabase } from './fill-database.ts';
import { computeMedian, readCpuMs } from './load.ts';
import { type Server, startServer } from './server.ts';
import { openWorkspace } from './workspace.ts';

/*
 * Measures what an idle archive costs: several servers, each with a database of its own on one PostgreSQL. Options:
 * --archives 10, --people 500, --seconds 120, --flags="--max-semi-space-size=4 …".
 */

const { values } = parseArgs({
  options: {
    archives: { type: 'string', default: '10' },
    people: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '120' },
    flags: { type: 'string' },
    data: { type: 'string' },
  },
});
const [count, people, seconds] = [values.archives, values.people, values.seconds].map(Number) as [
  number,
  number,
  number,
];
const { folder, onCleanUp, cleanUp } = openWorkspace('many', values.data);
const { path, postgresUser } = openDataFolder(folder);
const embedded = await startEmbedded({
  dataDir: path,
  user: postgresUser,
  settings: { max_connections: String(20 + 12 * count) },
});
onCleanUp(() => embedded.stop());
const postmaster = Number.parseInt(readFileSync(join(path, 'postgres', 'postmaster.pid'), 'utf8'), 10);

await migrate(embedded.connection);
const template = openDatabase(embedded.connection, () => undefined);
const { rows } = await template.pool.query<{ people: number }>('select count(*)::int as people from profiles');
if (rows[0]?.people === 0)
  await fillDatabase(
    template,
    readInstitution(join(import.meta.dirname, '..', 'institution.json')),
    people,
    () => undefined,
  );
await template.close();

const admin = new pg.Client({ ...embedded.superuser, database: 'postgres' });
await admin.connect();
onCleanUp(() => admin.end());
const servers: (Server & { readonly startMs: number; readonly startCpuMs: number })[] = [];
for (let number = 1; number <= count; number++) {
  const database = `archive_${number}`;
  await admin.query(`drop database if exists ${database} with (force)`);
  await admin.query(
    `create database ${database} template ${embedded.connection.database} owner ${embedded.connection.user}`,
  );
  const data = join(folder, database);
  mkdirSync(data, { recursive: true });
  const start = performance.now();
  const server = await startServer(
    'server/main.ts',
    { url: urlOf({ ...embedded.connection, database }) },
    data,
    { NODE_ENV: 'production', NODE_COMPILE_CACHE: join(folder, 'compile-cache') },
    values.flags?.split(' '),
  );
  onCleanUp(() => server.stop());
  servers.push({ ...server, startMs: performance.now() - start, startCpuMs: readCpuMs(server.pid) });
}

const processesOf = (pid: number): number[] => [
  pid,
  ...readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
];
const readMegabytes = (pid: number, name: string) =>
  Number(new RegExp(`^${name}: +(\\d+) kB`, 'mu').exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1024;
const readPrivate = (pid: number) => readMegabytes(pid, 'Private_Clean') + readMegabytes(pid, 'Private_Dirty');
const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);
const format = (about: string, numbers: number[], unit: string, digits = 0) =>
  console.log(
    `${about}: median ${computeMedian(numbers).toFixed(digits)}, at most ${Math.max(...numbers).toFixed(digits)} ${unit}`,
  );

// The first archive fills the compile cache.
const [, ...later] = servers;
format(
  'Start, wall',
  later.map(({ startMs }) => startMs),
  'ms',
);
format(
  'Start, CPU',
  later.map(({ startCpuMs }) => startCpuMs),
  'ms',
);
await delay(20_000);
const readIdle = () => ({
  servers: servers.map(({ pid }) => readCpuMs(pid)),
  database: sum(processesOf(postmaster).map(readCpuMs)),
});
const before = readIdle();
await delay(seconds * 1000);
const after = readIdle();
format(
  'CPU, idle',
  servers.map((_, at) => ((after.servers[at] ?? 0) - (before.servers[at] ?? 0)) / (10 * seconds)),
  '%',
  2,
);
console.log(
  `CPU of PostgreSQL per archive: ${((after.database - before.database) / (10 * seconds * count)).toFixed(2)} %`,
);
for (const [about, read] of [
  ['RSS', (pid: number) => readMegabytes(pid, 'Rss')],
  ['PSS', (pid: number) => readMegabytes(pid, 'Pss')],
  ['Private', readPrivate],
] as const)
  format(
    about,
    servers.map(({ pid }) => read(pid)),
    'MB',
  );
const backends = processesOf(postmaster);
console.log(
  `PostgreSQL per archive: PSS ${(sum(backends.map((pid) => readMegabytes(pid, 'Pss'))) / count).toFixed(0)} MB, ${((backends.length - 1) / count).toFixed(1)} processes`,
);
await cleanUp();
