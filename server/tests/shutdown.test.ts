import { once } from 'node:events';
import { Agent, get, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { termsVersion } from '#contract/terms.ts';
import { freePort } from '#server/testing/free-port.ts';
import { openInbox } from '#server/testing/inbox.ts';
import {
  cleanUp,
  readDatabasePid,
  end,
  isAlive,
  newDataFolder,
  type ServerProcess,
  run,
} from '#server/testing/server-process.ts';

/* The graceful shutdown of a server process: SIGTERM while requests are in flight. */

afterEach(cleanUp);

const password = 'a long enough word';

async function start(
  environment: Record<string, string> = {},
): Promise<ServerProcess & { port: number; origin: string }> {
  const port = await freePort();
  const product = await run({ PORT: String(port), DATA_DIR: await newDataFolder(), ...environment });
  expect(product.ready, product.output).toBe(true);
  return { ...product, port, origin: `http://localhost:${port}` };
}

const createSignUpBody = (email: string) => JSON.stringify({ email, password, terms: termsVersion });

const signUp = (origin: string, email: string) =>
  fetch(`${origin}/api/identity/sign-up`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: createSignUpBody(email),
  });

async function beginSignUp({ port, origin }: { port: number; origin: string }, body: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    `POST /api/identity/sign-up HTTP/1.1\r\nHost: localhost:${port}\r\nOrigin: ${origin}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nExpect: 100-continue\r\n\r\n`,
  );
  const [first] = (await once(socket, 'data')) as [Buffer];
  expect(String(first)).toContain('100 Continue');
  return socket;
}

const getOverAgent = (agent: Agent, url: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      response.resume().once('end', () => resolve(response));
    }).once('error', reject);
  });

const isPortClosed = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(false)).once('error', () => resolve(true));
    socket.once('connect', () => socket.destroy());
  });

describe('a server that receives SIGTERM', () => {
  test(
    'finishes a request whose body is still arriving, and accepts no new connections',
    { tags: ['asvs-16.5.2'] },
    async () => {
      const product = await start();
      const body = createSignUpBody('slow@mail.example');
      const socket = await beginSignUp(product, body);
      socket.write(body.slice(0, 20));
      const ended = end(product.child, 'SIGTERM');
      await expect.poll(() => isPortClosed(product.port)).toBe(true);
      let answer = '';
      socket.on('data', (chunk: Buffer) => (answer += String(chunk)));
      const closed = once(socket, 'close');
      socket.write(body.slice(20));
      await closed;
      expect(answer).toMatch(/^HTTP\/1\.1 200 OK/u);
      expect(answer).toMatch(/connection: close/iu);
      expect(answer).toContain('slow@mail.example');
      await ended;
      expect(product.child.exitCode).toBe(0);
      expect(product.readOutput()).not.toContain('Shutdown timed out');
    },
  );

  test(
    'aborts a request whose body never arrives, exits within ten seconds, and logs the timeout',
    { tags: ['release'] },
    async () => {
      const product = await start();
      const socket = await beginSignUp(product, createSignUpBody('never@mail.example'));
      const began = performance.now();
      await end(product.child, 'SIGTERM');
      expect(performance.now() - began).toBeLessThan(10_000);
      expect(product.child.exitCode).toBe(0);
      expect(product.readOutput()).toContain('Shutdown timed out');
      socket.destroy();
    },
  );

  test('ends event streams without an error', { tags: ['release'] }, async () => {
    const product = await start();
    const { headers } = await signUp(product.origin, 'listener@mail.example');
    const cookie = headers
      .getSetCookie()
      .map((text) => text.slice(0, text.indexOf(';')))
      .join('; ');
    const stream = await fetch(`${product.origin}/api/notifications/stream`, { headers: { cookie } });
    expect(stream.status).toBe(200);
    const ended = end(product.child, 'SIGTERM');
    // An aborted stream would throw an error here.
    expect(await stream.text()).toContain(': hello');
    await ended;
    expect(product.child.exitCode).toBe(0);
    expect(product.readOutput()).not.toContain('Shutdown timed out');
  });

  test(
    'responds to one more request per open connection, and returns 503 at /readyz',
    { tags: ['release'] },
    async () => {
      const product = await start();
      const [first, second, third] = [1, 2, 3].map(() => new Agent({ keepAlive: true, maxSockets: 1 })) as [
        Agent,
        Agent,
        Agent,
      ];
      for (const agent of [first, second, third])
        expect((await getOverAgent(agent, `http://127.0.0.1:${product.port}/healthz`)).headers.connection).toBe(
          'keep-alive',
        );
      // Browsers open connections before they need them.
      const silent = connect(product.port, '127.0.0.1');
      await once(silent, 'connect');
      const body = createSignUpBody('holds@mail.example');
      const holding = await beginSignUp(product, body);
      const ended = end(product.child, 'SIGTERM');
      await expect.poll(() => isPortClosed(product.port)).toBe(true);
      const answers = await Promise.all([
        getOverAgent(first, `http://127.0.0.1:${product.port}/api/institution`),
        getOverAgent(second, `http://127.0.0.1:${product.port}/readyz`),
      ]);
      expect(answers.map(({ statusCode, headers }) => [statusCode, headers.connection])).toEqual([
        [200, 'close'],
        [503, 'close'],
      ]);
      holding.write(body);
      await ended;
      expect(product.child.exitCode).toBe(0);
      expect(product.readOutput()).not.toContain('Shutdown timed out');
      for (const agent of [first, second, third]) agent.destroy();
      silent.destroy();
    },
  );

  test(
    'requeues a mail that waits for the mail server, and exits within ten seconds',
    { tags: ['release'] },
    async () => {
      const DATA_DIR = await newDataFolder();
      const silent = createServer().listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const { port } = silent.address() as AddressInfo;
      const called = once(silent, 'connection');
      const product = await start({ DATA_DIR, SMTP_URL: `smtp://127.0.0.1:${port}` });
      expect((await signUp(product.origin, 'patient@mail.example')).status).toBe(200);
      await called;
      const pid = readDatabasePid(DATA_DIR);
      const began = performance.now();
      await end(product.child, 'SIGTERM');
      expect(performance.now() - began).toBeLessThan(10_000);
      expect(product.child.exitCode, product.readOutput()).toBe(0);
      expect(product.readOutput()).toContain('Job failed; it will be retried');
      await expect.poll(() => isAlive(pid)).toBe(false);
      silent.close();
      const inbox = await openInbox();
      const next = await start({ DATA_DIR, SMTP_URL: inbox.url });
      await inbox.next('patient@mail.example', 'Verify your email address');
      await end(next.child, 'SIGTERM');
      await inbox.close();
    },
  );

  test('responds to requests on connections in the listen backlog', { tags: ['release'] }, async () => {
    const product = await start();
    // The suspended server accepts no connections, and handles the signal first when it continues.
    product.child.kill('SIGSTOP');
    const connected: Promise<unknown>[] = [];
    const sent = Array.from(
      { length: 200 },
      () =>
        new Promise<number | undefined>((resolve, reject) => {
          const asked = request(`http://127.0.0.1:${product.port}/healthz`, { agent: false }, (response) => {
            response.resume().once('end', () => resolve(response.statusCode));
          });
          connected.push(once(asked, 'socket').then(([socket]: Socket[]) => socket && once(socket, 'connect')));
          asked.once('error', reject).end();
        }),
    );
    await Promise.all(connected);
    const ended = end(product.child, 'SIGTERM');
    product.child.kill('SIGCONT');
    expect(new Set(await Promise.all(sent))).toEqual(new Set([200]));
    await ended;
    expect(product.child.exitCode).toBe(0);
  });
});
