import { Agent, type IncomingMessage, request } from 'node:http';
import { afterEach, expect, inject, test } from 'vitest';
import { termsVersion } from '#contract/terms.ts';
import { urlOf } from '#server/db/url.ts';
import { copyDatabase } from '#server/testing/databases.ts';
import { freePort } from '#server/testing/free-port.ts';
import { cleanUp, end, newFolder, type ServerProcess, run } from '#server/testing/server-process.ts';
import { startProxy } from '#server/testing/proxy.ts';
import pg from 'pg';

/* A rolling restart of two servers behind a proxy, on one database, during requests. */

const rounds = 3;
const people = 12;

const cleanUpSteps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await cleanUp();
  for (const step of cleanUpSteps.splice(0).toReversed()) await step();
});

const sendRequest = (agent: Agent, url: string, method: string, headers: Record<string, string>, body?: string) =>
  new Promise<string>((resolve) => {
    request(url, { agent, method, headers }, (response: IncomingMessage) => {
      response
        .once('error', ({ message }) => resolve(`interrupted: ${message}`))
        .once('end', () => resolve(String(response.statusCode)))
        .resume();
    })
      .once('error', ({ message }) => resolve(`failed: ${message}`))
      .end(body);
  });

test('a rolling restart of two servers loses no request', async () => {
  const { connection, drop } = await copyDatabase(inject('databases'));
  cleanUpSteps.push(drop);
  const ports = [await freePort(), await freePort()];
  const proxy = await startProxy(ports.map((port) => `http://127.0.0.1:${port}`));
  cleanUpSteps.push(() => proxy.close());
  const DATA_DIR = newFolder();
  const start = (port: number): Promise<ServerProcess> =>
    run({
      PORT: String(port),
      DATA_DIR,
      PUBLIC_URL: proxy.url,
      DATABASE_URL: urlOf(connection),
      TRUST_PROXY: '127.0.0.1',
      BROWSE_PAGES_PER_HOUR: '1000000',
    });
  const servers = [await start(ports[0] ?? 0), await start(ports[1] ?? 0)];
  for (const { ready, output } of servers) expect(ready, output).toBe(true);

  const stop = new AbortController();
  let signedUp = 0;
  const outcomes = new Map<string, number>();
  const countOutcome = (what: string) => outcomes.set(what, (outcomes.get(what) ?? 0) + 1);
  const clients = Array.from({ length: people }, async (_, person) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const sender = {
      origin: proxy.url,
      'content-type': 'application/json',
      'x-forwarded-for': `10.1.0.${person}`,
    };
    for (let number = 0; !stop.signal.aborted; number++) {
      countOutcome(`GET ${await sendRequest(agent, `${proxy.url}/api/users`, 'GET', sender)}`);
      countOutcome(`GET ${await sendRequest(agent, `${proxy.url}/api/institution`, 'GET', sender)}`);
      const typed = JSON.stringify({ password: 'a long enough word' });
      countOutcome(
        `POST ${await sendRequest(agent, `${proxy.url}/api/identity/password-status`, 'POST', sender, typed)}`,
      );
      if (number % 10 === 0) {
        const account = JSON.stringify({
          email: `person.${person}.${number}@mail.example`,
          password: 'a long enough word',
          terms: termsVersion,
        });
        const from = { ...sender, 'x-forwarded-for': `10.2.${person}.${(number / 10) % 250}` };
        const outcome = await sendRequest(agent, `${proxy.url}/api/identity/sign-up`, 'POST', from, account);
        countOutcome(`POST ${outcome}`);
        if (outcome === '200') signedUp++;
      }
    }
    agent.destroy();
  });
  for (let round = 0; round < rounds; round++) {
    for (const [at, port] of ports.entries()) {
      const { child, readOutput } = servers[at] as ServerProcess;
      await end(child, 'SIGTERM');
      expect(child.exitCode, readOutput()).toBe(0);
      expect(readOutput()).not.toContain('Shutdown timed out');
      const next = await start(port);
      expect(next.ready, next.output).toBe(true);
      servers[at] = next;
    }
  }
  stop.abort();
  await Promise.all(clients);
  const all = [...outcomes.values()].reduce((sum, count) => sum + count, 0);
  console.log(`${all} requests in ${rounds * 2} restarts, ${proxy.retried()} sent to the other server:`, outcomes);
  expect([...outcomes.keys()].toSorted()).toEqual(['GET 200', 'POST 200']);
  const client = new pg.Client(connection);
  await client.connect();
  const { rows } = await client.query<{ count: number }>('select count(*)::int as count from accounts');
  await client.end();
  expect(rows).toEqual([{ count: signedUp }]);
});
