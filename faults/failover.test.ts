import { randomBytes } from 'node:crypto';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { Browser } from '#server/testing/browser.ts';
import { startCrowd } from '#server/testing/crowd.ts';
import { openInbox } from '#server/testing/inbox.ts';
import { cleanUp, end, newFolder, run, stopLater } from '#server/testing/server-process.ts';
import { type Cluster, type Node, startCluster } from './support/patroni.ts';

/* Two servers on a PostgreSQL cluster that fails over while members write (docs/failover.md). */

const pollOptions = { timeout: 120_000, interval: 50 };

afterEach(cleanUp);

type Fault = 'kill' | 'pause' | 'switch over' | 'kill Patroni' | 'kill etcd';

const faults: readonly Fault[] = [
  ...(['kill', 'pause', 'switch over', 'kill Patroni', 'kill etcd'] as const),
  ...(['kill', 'pause', 'switch over', 'kill Patroni', 'kill'] as const),
];

test('a failover loses no acknowledged write, session or rate-limit count, and sends no mail twice', async () => {
  const cluster = await startCluster();
  stopLater(() => cluster.stop());
  const inbox = await openInbox();
  stopLater(() => inbox.close());
  const connectionString = await createDatabase(cluster);
  const dataDir = newFolder('archive-failover-');
  const media = join(dataDir, 'media');
  mkdirSync(media);
  const key = () => randomBytes(32).toString('base64');
  const environment = {
    PUBLIC_URL: cluster.webOrigin,
    DATABASE_URL: connectionString,
    SMTP_URL: inbox.url,
    TRUST_PROXY: '127.0.0.1',
    SAVES_PER_HOUR: '1000000',
    INSTALLATION_KEY: key(),
    SECOND_FACTOR_KEY: key(),
    MEMBERSHIP_CODES_KEY: key(),
  };
  const servers = [];
  for (const port of cluster.serverPorts) {
    const folder = newFolder('archive-failover-');
    symlinkSync(media, join(folder, 'media'));
    const server = await run({ ...environment, PORT: String(port), DATA_DIR: folder });
    expect(server.ready, server.output).toBe(true);
    servers.push(server);
  }
  const crowd = await startCrowd({ origin: cluster.webOrigin, inbox }, 4);
  const readers = cluster.serverPorts.map((port) => startReader(`http://127.0.0.1:${port}`));
  const guesser = new Browser(cluster.webOrigin, '10.8.0.1');
  const guess = async () => {
    const body = { email: 'writer0@mail.example', password: 'not the password' };
    return (await guesser.ask('POST /api/identity/sign-in', { body })).status;
  };
  for (let tries = 0; tries < 5; tries++) expect(await guess()).toBe(401);

  for (const fault of faults) {
    const startedAt = performance.now();
    const primary = await cluster.findPrimary();
    if (!primary) throw new Error('There is no primary.');
    const repair = await faultInjections[fault](cluster, primary);
    const before = crowd.acknowledged;
    await expect.poll(() => crowd.acknowledged - before, pollOptions).toBeGreaterThan(20);
    const written = seconds(performance.now() - startedAt);
    await repair();
    await cluster.waitForPair();
    const outages = readers.map((reader) => seconds(reader.takeLongestOutageMs()));
    console.log(`${fault}: 20 writes after ${written} s, reads failed for ${outages.join(' and ')} s`);
    // Reads can still fail, if the primary kept writing for a while after the fault.
    let guessed = 503;
    await expect.poll(async () => (guessed = await guess()), pollOptions).not.toBe(503);
    expect(guessed).toBe(429);
  }

  const before = crowd.acknowledged;
  await expect.poll(() => crowd.acknowledged - before, pollOptions).toBeGreaterThan(20);
  await crowd.stop();
  await Promise.all(readers.map((reader) => reader.stop()));
  console.log('Responses', Object.fromEntries(crowd.statuses), 'acknowledged', crowd.acknowledged);
  expect([...crowd.statuses.keys()].filter((status) => ![0, 200, 503].includes(status))).toEqual([]);
  // Reads and writes as the members of the crowd, whose sessions began before the first failover.
  await crowd.verify({ connectionString }, dataDir);
  // Each new account gets one mail, also if the database failed while it was sent.
  await expect.poll(() => countWaitingMails(connectionString), pollOptions).toBe(0);
  const mails = inbox.all().map(({ to, subject, messageId }) => `${to} ${subject} ${messageId}`);
  expect(mails.filter((mail, index) => mails.indexOf(mail) < index)).toEqual([]);
  for (const { child } of servers) {
    await end(child, 'SIGTERM');
    expect(child.exitCode).toBe(0);
  }
});

const seconds = (ms: number) => (ms / 1000).toFixed(1);

async function createDatabase({ databaseUrl }: Cluster): Promise<string> {
  const client = new pg.Client({ connectionString: `${databaseUrl}postgres` });
  await client.connect();
  await client.query(`create role archive login password 'loopback'`);
  await client.query('create database archive owner archive');
  await client.end();
  const url = new URL(databaseUrl);
  url.username = 'archive';
  url.pathname = '/archive';
  return url.href;
}

async function countWaitingMails(connectionString: string): Promise<number> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<{ mails: number }>(
    `select count(*)::int as mails from pgboss.job where name = 'mail' and state < 'completed'`,
  );
  await client.end();
  return rows[0]?.mails ?? 0;
}

/** Inject a fault. Each returns a function that repairs the cluster. */
const faultInjections: Record<Fault, (cluster: Cluster, primary: Node) => Promise<() => Promise<void>>> = {
  kill: async (_, primary) => {
    primary.signal('all', 'SIGKILL');
    return () => primary.start();
  },
  pause: async (_, primary) => {
    primary.signal('all', 'SIGSTOP');
    return async () => primary.signal('all', 'SIGCONT');
  },
  'switch over': async (cluster) => {
    await cluster.switchOver();
    return async () => undefined;
  },
  'kill Patroni': async (_, primary) => {
    primary.signal('patroni', 'SIGKILL');
    return () => primary.start();
  },
  'kill etcd': async (cluster) => {
    await cluster.stopEtcd();
    // Longer than the cluster waits for etcd.
    await delay(15_000);
    return () => cluster.startEtcd();
  },
};

/** Reads a list every 100 ms, as a visitor who reloads. */
function startReader(origin: string) {
  const browser = new Browser(origin, '10.8.0.2');
  const stopController = new AbortController();
  let lastAnswerAt = performance.now();
  let longestMs = 0;
  const reading = (async () => {
    while (!stopController.signal.aborted) {
      const { status } = await browser.ask('GET /api/users', { query: {} });
      longestMs = Math.max(longestMs, performance.now() - lastAnswerAt);
      if (status === 200) lastAnswerAt = performance.now();
      await delay(100);
    }
  })();
  return {
    takeLongestOutageMs: () => {
      const taken = longestMs;
      longestMs = 0;
      return taken;
    },
    stop: async () => {
      stopController.abort();
      await reading;
    },
  };
}
