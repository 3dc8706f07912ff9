import { once } from 'node:events';
import { connect } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, describe, expect, test } from 'vitest';
import { waitUncounted } from './in-flight-requests.ts';
import { registerLoadShedding } from './load-shedding.ts';
import { createWorkQueue } from './work-queue.ts';

let app: FastifyInstance;
afterEach(() => app.close());

async function openServer() {
  const gates: (() => void)[] = [];
  const gate = () => new Promise<void>((open) => gates.push(open));
  const queue = createWorkQueue({ maxConcurrent: 1, maxWaiting: 64 });
  let hashing: (() => void) | undefined;
  app = fastify();
  registerLoadShedding(app, {
    isLikelySignedIn: ({ headers }) => headers.cookie === 'sid=anything',
    headers: { 'x-content-type-options': 'nosniff' },
    maxInFlight: 4,
  });
  const call = { config: { load: 'call' as const } };
  const work = async () => {
    await gate();
    return { done: true };
  };
  app.get('/call', call, work);
  app.post('/call', call, work);
  app.get('/page', { config: { load: 'page' } }, async (_, reply) => {
    // Like pages, makes several calls in process. Each of them alone would exceed the limit.
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => app.inject('/call')));
    return reply.type('text/html').send(answers.map(({ statusCode }) => statusCode).join(' '));
  });
  app.post('/hash', call, async () =>
    queue(async () => {
      await new Promise<void>((open) => {
        hashing = open;
      });
      return { done: true };
    }),
  );
  app.get('/delay', call, async () => {
    await waitUncounted(gate());
    return { done: true };
  });
  app.get('/healthz', async () => 'ok');
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return {
    url,
    gates,
    hash: () => hashing?.(),
    get: (path: string, headers: Record<string, string> = {}) => fetch(url + path, { headers }),
    post: (path: string, body = '{}') =>
      fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body }),
    open: () => {
      for (const open of gates.splice(0)) open();
    },
  };
}

const known = { cookie: 'sid=anything' };

describe('registerLoadShedding', () => {
  test(
    'refuses requests above the limit with 503 and Retry-After, and finishes the accepted ones',
    { tags: ['asvs-15.2.2'] },
    async () => {
      const { get, open, gates } = await openServer();
      const admitted = [1, 2, 3, 4].map(() => get('/call', known));
      await expect.poll(() => gates.length).toBe(4);
      const refused = await get('/call', known);
      expect(refused.status).toBe(503);
      expect(refused.headers.get('content-type')).toBe('application/problem+json');
      expect(refused.headers.get('x-content-type-options')).toBe('nosniff');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await refused.json()).toMatchObject({
        code: 'unavailable',
        title: 'The server is overloaded or unavailable. Try again in a moment',
        detail: 'The server is very busy right now.',
        retryAfter: Number(refused.headers.get('retry-after')),
      });
      open();
      expect((await Promise.all(admitted)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      const after = get('/call', known);
      await expect.poll(() => gates.length).toBe(1);
      open();
      expect((await after).status).toBe(200);
    },
  );

  test('refuses GET requests of guests first, and reserves the remaining capacity for signed-in users and writes', async () => {
    const { get, post, open, gates } = await openServer();
    const three = [1, 2, 3].map(() => get('/call'));
    await expect.poll(() => gates.length).toBe(3);
    expect((await get('/call')).status).toBe(503);
    const fourth = post('/call');
    await expect.poll(() => gates.length).toBe(4);
    expect((await post('/call')).status).toBe(503);
    expect((await get('/call', known)).status).toBe(503);
    open();
    expect((await Promise.all([...three, fourth])).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  test('serves an accepted page with all its in-process calls, and answers further page requests with an error page that reloads itself', async () => {
    const { get, open, gates } = await openServer();
    const page = get('/page');
    await expect.poll(() => gates.length).toBe(6);
    const others = [1, 2, 3].map(() => get('/call', known));
    await expect.poll(() => gates.length).toBe(9);
    const refused = await get('/page', known);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(refused.headers.get('refresh')).toBe(refused.headers.get('retry-after'));
    const text = await refused.text();
    expect(text).toContain('<h1>One moment, please</h1>');
    expect(text).not.toMatch(/<script|<style|src=/u);
    expect(text.length).toBeLessThan(500);
    open();
    expect(await (await page).text()).toBe('200 200 200 200 200 200');
    await Promise.all(others);
  });

  test('never refuses health checks', async () => {
    const { get, open, gates } = await openServer();
    const admitted = [1, 2, 3, 4].map(() => get('/call', known));
    await expect.poll(() => gates.length).toBe(4);
    expect((await get('/healthz')).status).toBe(200);
    open();
    await Promise.all(admitted);
  });

  test('does not count requests that wait in the hashing queue or for a delay', async () => {
    const { get, post, open, gates, hash } = await openServer();
    const signingIn = Array.from({ length: 20 }, () => post('/hash'));
    const delayed = Array.from({ length: 20 }, () => get('/delay', known));
    await expect.poll(() => gates.length).toBe(20);
    const looking = get('/call');
    await expect.poll(() => gates.length).toBe(21);
    open();
    expect((await looking).status).toBe(200);
    for (const answer of await Promise.all(delayed)) expect(answer.status).toBe(200);
    const all = Promise.all(signingIn);
    const timer = setInterval(hash, 1);
    for (const answer of await all) expect(answer.status).toBe(200);
    clearInterval(timer);
  });

  test(
    'ignores requests whose body never arrives, and counts disconnected clients until their work is done',
    { tags: ['asvs-15.2.2'] },
    async () => {
      const { url, get, open, gates } = await openServer();
      const head =
        'POST /call HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 60\r\nExpect: 100-continue\r\n\r\n';
      const sockets = Array.from({ length: 10 }, () => connect(Number(new URL(url).port), '127.0.0.1'));
      await Promise.all(
        sockets.map(async (socket) => {
          socket.on('error', () => undefined).write(head);
          await once(socket, 'data');
        }),
      );
      // Work counts until it is done, even after the client has disconnected.
      const leaving = new AbortController();
      const left = [1, 2, 3, 4].map(() => fetch(`${url}/call`, { signal: leaving.signal, headers: known }));
      await expect.poll(() => gates.length).toBe(4);
      leaving.abort();
      await Promise.allSettled(left);
      expect((await get('/call', known)).status).toBe(503);
      open();
      const more = get('/call', known);
      await expect.poll(() => gates.length).toBe(1);
      open();
      expect((await more).status).toBe(200);
      for (const socket of sockets) socket.destroy();
    },
  );
});
