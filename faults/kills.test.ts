import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createRandom } from '#server/seed/random.ts';
import { startCrowd } from '#server/testing/crowd.ts';
import { begin, childrenOf, cleanUp, connectionOf, databasePid, end, prepare, run } from '#server/testing/product.ts';

/*
 * Kills without a warning, in the middle of writes, again and again on the same data. One round of each is in `npm test`.
 * KILL_ROUNDS says how many; KILL_SEED repeats a run.
 */

const rounds = Number(process.env['KILL_ROUNDS'] ?? 20);
const seed = Number(process.env['KILL_SEED'] ?? Date.now() % 1_000_000);
const soon = { timeout: 60_000, interval: 20 };

afterEach(cleanUp);

test(`${rounds} kills of the server, of the database, and of both at once: everything acknowledged is there, whole`, async () => {
  console.log(`KILL_SEED=${seed}`);
  const random = createRandom(seed);
  const { environment, dataDir, inbox, origin } = await prepare();
  let product = await run(environment);
  expect(product.ready, product.output).toBe(true);
  const crowd = await startCrowd({ origin, inbox }, 4);
  const kills = { server: 0, database: 0, both: 0 };
  for (let round = 0; round < rounds; round++) {
    const before = crowd.acknowledged;
    const some = random.whole(3, 25);
    await expect.poll(() => crowd.acknowledged - before, soon).toBeGreaterThan(some);
    const what = random.pick(['server', 'database', 'both'] as const);
    kills[what]++;
    if (what !== 'server') process.kill(databasePid(dataDir), 'SIGKILL');
    if (what !== 'database') {
      await end(product.child, 'SIGKILL');
      product = await run(environment);
      expect(product.ready, product.output).toBe(true);
    }
  }
  const before = crowd.acknowledged;
  await expect.poll(() => crowd.acknowledged - before, soon).toBeGreaterThan(20);
  await crowd.stop();
  console.log('Kills', kills, 'answers', Object.fromEntries(crowd.statuses), 'acknowledged', crowd.acknowledged);
  expect([...crowd.statuses.keys()].filter((status) => ![0, 200, 503].includes(status))).toEqual([]);
  expect(crowd.impolite).toBe(0);
  await crowd.verify(await connectionOf(dataDir), dataDir);
  await end(product.child, 'SIGTERM');
  expect(product.child.exitCode).toBe(0);
});

test('a database that hangs is given up in half a minute, and works again when it does', async () => {
  const { environment, dataDir, inbox, origin } = await prepare();
  const product = await run(environment);
  const crowd = await startCrowd({ origin, inbox }, 3);
  const postmaster = databasePid(dataDir);
  // First the one that starts the others, then those: each is a group of its own.
  process.kill(postmaster, 'SIGSTOP');
  const children = childrenOf(postmaster);
  for (const child of children) process.kill(child, 'SIGSTOP');
  try {
    await expect.poll(() => crowd.statuses.get(503) ?? 0, { timeout: 60_000, interval: 100 }).toBeGreaterThan(2);
  } finally {
    for (const stopped of [...children, postmaster]) process.kill(stopped, 'SIGCONT');
  }
  const before = crowd.acknowledged;
  await expect.poll(() => crowd.acknowledged - before, soon).toBeGreaterThan(20);
  await crowd.stop();
  expect([...crowd.statuses.keys()].filter((status) => ![200, 503].includes(status))).toEqual([]);
  await crowd.verify(await connectionOf(dataDir), dataDir);
  await end(product.child, 'SIGTERM');
  expect(product.child.exitCode).toBe(0);
});

test('waits for a database that needs longer for crash recovery than the start timeout', async () => {
  const { environment, dataDir, inbox, origin } = await prepare();
  const first = await run(environment);
  const crowd = await startCrowd({ origin, inbox }, 2);
  await crowd.stop();
  await end(first.child, 'SIGTERM');
  // It looks for an archived log, and is kept waiting as long as the gate is there.
  const cluster = join(dataDir, 'postgres');
  const gate = join(cluster, 'gate');
  writeFileSync(gate, '');
  writeFileSync(join(cluster, 'recovery.signal'), '');
  appendFileSync(
    join(cluster, 'postgresql.auto.conf'),
    `restore_command = 'while [ -e "${gate}" ]; do sleep 0.1; done; false'\nhot_standby = off\nrecovery_target_timeline = current\n`,
  );
  const began = performance.now();
  const { child, outcome } = begin(environment);
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  // A start gives up after twenty seconds of a database that says nothing.
  await expect.poll(() => performance.now() - began > 25_000, { timeout: 60_000, interval: 500 }).toBe(true);
  expect(child.exitCode).toBe(null);
  expect(output).toContain('PostgreSQL is recovering after a crash');
  rmSync(gate);
  expect((await outcome).ready).toBe(true);
  await crowd.verify(await connectionOf(dataDir), dataDir);
});
