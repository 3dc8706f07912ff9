import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '#server/db/client.ts';
import { createContext } from '#server/main.ts';
import { readConfig } from '#server/platform/config.ts';
import { readInstitution } from '#server/platform/institution.ts';
import { seedCampus } from '#server/seed/campus.ts';
import { copyDatabase, prepareDatabases, urlOf } from '#server/testing/databases.ts';
import { freePort } from '#server/testing/free-port.ts';
import { buildIfStale } from './build-pages.ts';

/*
 * How many requests a second the product answers beside a bare node:http with pg that does the same query (`bench-bare.ts`):
 * both in processes of their own, on the same database of 2,000 people, in turns, so that whatever else the machine does
 * meets both. The ratio is what says something; the numbers are this machine's.
 */

const connections = 16;
const rounds = 5;
const roundSeconds = 3;
const warmUpSeconds = 2;
const people = 2_000;

const root = join(import.meta.dirname, '..');
const dataDir = mkdtempSync(join(tmpdir(), 'archive-bench-'));
const undo: (() => unknown)[] = [() => rmSync(dataDir, { recursive: true, force: true })];
// npm passes Ctrl-C on as well, so it comes twice: the second one waits for the same cleaning.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => void cleanUp().then(() => process.exit(1)));

let cleaning: Promise<void> | undefined;
function cleanUp(): Promise<void> {
  cleaning ??= (async () => {
    for (const step of undo.toReversed()) await step();
  })();
  return cleaning;
}

async function measure(): Promise<void> {
  const config = readConfig({ DATA_DIR: dataDir });
  const institution = readInstitution(config.institutionFile);
  const { end, ...databases } = await prepareDatabases(async (connection) => {
    const database = openDatabase(connection, () => undefined);
    const context = createContext(config, institution, database);
    await seedCampus(context, { people, portraits: 40, say: console.log });
    await database.pool.query('analyze');
    await database.close();
  });
  undo.push(end);
  const { connection, drop } = await copyDatabase(databases);
  undo.push(drop);

  const [productPort, barePort] = [await freePort(), await freePort()];
  const DATABASE_URL = urlOf(connection);
  const product = `http://127.0.0.1:${productPort}`;
  const bare = `http://127.0.0.1:${barePort}/`;
  startProcess('server/main.ts', { PORT: String(productPort), DATABASE_URL, DATA_DIR: dataDir });
  startProcess('scripts/bench-bare.ts', {
    PORT: String(barePort),
    DATABASE_URL,
    SCHOOL_LABEL: institution.abbreviation,
  });
  const targets = { product: `${product}/api/users?limit=24`, bare, page: `${product}/` };
  for (const url of Object.values(targets)) await waitFor(url);
  if (!isDeepStrictEqual(await readJson(targets.product), await readJson(targets.bare)))
    throw new Error('The two do not answer the same, so there is nothing to compare.');

  console.log(`\n${connections} connections, ${rounds} rounds of ${roundSeconds} s each, in turns; requests a second`);
  const results: Record<keyof typeof targets, number[]> = { product: [], bare: [], page: [] };
  const names = Object.keys(targets) as (keyof typeof targets)[];
  for (const name of names) await load(targets[name], warmUpSeconds);
  for (let round = 0; round < rounds; round++) {
    // Whoever comes first in one round comes last in the next.
    for (const name of round % 2 === 0 ? names : names.toReversed())
      results[name].push(await load(targets[name], roundSeconds));
  }
  const show = (name: keyof typeof targets, what: string) =>
    console.log(
      `${what.padEnd(40)} ${median(results[name]).toFixed(0).padStart(6)}   (${results[name].map((rate) => rate.toFixed(0)).join(', ')})`,
    );
  show('product', 'product: GET /api/users?limit=24, guest');
  show('bare', 'bare node:http + pg, the same cards');
  console.log(
    `${'product / bare'.padEnd(40)} ${(median(results.product) / median(results.bare)).toFixed(2).padStart(6)}`,
  );
  show('page', 'product: HTML of /, for information');
}

/** Its log goes into a file, as an operator's would: reading it here would cost what is measured. */
function startProcess(script: string, environment: Record<string, string>): void {
  const out = openSync(join(dataDir, 'bench.log'), 'a');
  const child = spawn(process.execPath, [script], {
    cwd: root,
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', out, out],
  });
  undo.push(() => stop(child));
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

async function waitFor(url: string): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const response = await fetch(url).catch(() => null);
    await response?.text();
    if (response?.ok) return;
    if (Date.now() > deadline) throw new Error(`Nobody answers at ${url}.`);
    await pause(50);
  }
}

const readJson = async (url: string): Promise<unknown> => (await fetch(url)).json();

/** Keeps every connection busy. @returns requests a second @throws Error for an answer that is not 200 */
async function load(url: string, seconds: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const start = performance.now();
  const end = start + seconds * 1000;
  let answered = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < end) {
        await get(url, agent);
        answered++;
      }
    }),
  );
  agent.destroy();
  return (answered / (performance.now() - start)) * 1000;
}

const get = (url: string, agent: Agent): Promise<void> =>
  new Promise((resolve, reject) => {
    request(url, { agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}.`));
      response.on('end', resolve).on('error', reject).resume();
    })
      .on('error', reject)
      .end();
  });

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

try {
  await buildIfStale(console.log);
  await measure();
} finally {
  await cleanUp();
}
