import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createRandom } from '#server/seed/random.ts';
import { startCrowd } from '#server/testing/crowd.ts';
import {
  spawnServer,
  findChildren,
  cleanUp,
  findConnection,
  readDatabasePid,
  end,
  prepareServer,
  run,
} from '#server/testing/server-process.ts';

/*
 * Repeated SIGKILLs during writes, always on the same data. `npm test` runs one round of each kind. KILL_ROUNDS is the
 * number of rounds, and KILL_SEED repeats a run.
 */

const rounds = Number(process.env['KILL_ROUNDS'] ?? 20);
const seed = Number(process.env['KILL_SEED'] ?? Date.now() % 1_000_000);
const pollOptions = { timeout: 60_000, interval: 20 };

afterEach(cleanUp);

test(`acknowledged writes survive ${rounds} kills of the server, the database, or both`, async () => {
  console.log(`KILL_SEED=${seed}`);
  const random = createRandom(seed);
  const { environment, dataDir, inbox, origin } = await prepareServer();
  let product = await run(environment);
  expect(product.ready, product.output).toBe(true);
  const crowd = await startCrowd({ origin, inbox }, 4);
  const kills = { server: 0, database: 0, both: 0 };
  for (let round = 0; round < rounds; round++) {
    const before = crowd.acknowledged;
    const minWrites = random.integer(3, 25);
    await expect.poll(() => crowd.acknowledged - before, pollOptions).toBeGreaterThan(minWrites);
    const target = random.pick(['server', 'database', 'both'] as const);
    kills[target]++;
    if (target !== 'server') process.kill(readDatabasePid(dataDir), 'SIGKILL');
    if (target !== 'database') {
      await end(product.child, 'SIGKILL');
      product = await run(environment);
      expect(product.ready, product.output).toBe(true);
    }
  }
  const before = crowd.acknowledged;
  await expect.poll(() => crowd.acknowledged - before, pollOptions).toBeGreaterThan(20);
  await crowd.stop();
  console.log('Kills', kills, 'responses', Object.fromEntries(crowd.statuses), 'acknowledged', crowd.acknowledged);
  expect([...crowd.statuses.keys()].filter((status) => ![0, 200, 503].includes(status))).toEqual([]);
  expect(crowd.missingRetryAfter).toBe(0);
  await crowd.verify(await findConnection(dataDir), dataDir);
  await end(product.child, 'SIGTERM');
  expect(product.child.exitCode).toBe(0);
});

test('the server returns 503 while the database hangs, and recovers when the database responds again', async () => {
  const { environment, dataDir, inbox, origin } = await prepareServer();
  const product = await run(environment);
  const crowd = await startCrowd({ origin, inbox }, 3);
  const postmaster = readDatabasePid(dataDir);
  // Stop the postmaster first, so that it starts no new children. Each child is a separate process group.
  process.kill(postmaster, 'SIGSTOP');
  const children = findChildren(postmaster);
  for (const child of children) process.kill(child, 'SIGSTOP');
  try {
    await expect.poll(() => crowd.statuses.get(503) ?? 0, { timeout: 60_000, interval: 100 }).toBeGreaterThan(2);
  } finally {
    for (const stopped of [...children, postmaster]) process.kill(stopped, 'SIGCONT');
  }
  const before = crowd.acknowledged;
  await expect.poll(() => crowd.acknowledged - before, pollOptions).toBeGreaterThan(20);
  await crowd.stop();
  expect([...crowd.statuses.keys()].filter((status) => ![200, 503].includes(status))).toEqual([]);
  await crowd.verify(await findConnection(dataDir), dataDir);
  await end(product.child, 'SIGTERM');
  expect(product.child.exitCode).toBe(0);
});

test('the server waits at its start for a long crash recovery of the database', async () => {
  const { environment, dataDir, inbox, origin } = await prepareServer();
  const first = await run(environment);
  const crowd = await startCrowd({ origin, inbox }, 2);
  await crowd.stop();
  await end(first.child, 'SIGTERM');
  // The restore_command blocks recovery as long as the gate file exists.
  const cluster = join(dataDir, 'postgres');
  const gate = join(cluster, 'gate');
  writeFileSync(gate, '');
  writeFileSync(join(cluster, 'recovery.signal'), '');
  appendFileSync(
    join(cluster, 'postgresql.auto.conf'),
    `restore_command = 'while [ -e "${gate}" ]; do sleep 0.1; done; false'\nhot_standby = off\nrecovery_target_timeline = current\n`,
  );
  const startedAtMs = performance.now();
  const { child, outcome } = spawnServer(environment);
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  // Without recovery messages of the database, the start would time out after 20 seconds.
  await expect.poll(() => performance.now() - startedAtMs > 25_000, { timeout: 60_000, interval: 500 }).toBe(true);
  expect(child.exitCode).toBe(null);
  expect(output).toContain('PostgreSQL is recovering after a crash');
  rmSync(gate);
  expect((await outcome).ready).toBe(true);
  await crowd.verify(await findConnection(dataDir), dataDir);
});
