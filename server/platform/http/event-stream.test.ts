import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { type EventStream, mountEvents } from './event-stream.ts';
import { setUpHttp } from './mount.ts';
import { createMetrics } from '../metrics/metrics.ts';

test('what is told after the end, or to nobody, is dropped, and the server lives on', async () => {
  const app = fastify();
  const opened = Promise.withResolvers<EventStream<{ unread: number }>>();
  let stopped = 0;
  mountEvents(app, new AbortController().signal, 'GET /api/notifications/stream', async () => (stream) => {
    opened.resolve(stream);
    return () => void stopped++;
  });
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const [response] = (await once(get(`${address}/api/notifications/stream`), 'response')) as [IncomingMessage];
  const { send, end } = await opened.promise;
  send({ unread: 1 });
  end();
  // Node ends the process for the second one of these, if nobody listens for it.
  for (let time = 0; time < 3; time++) send({ unread: 2 });
  const text = (await response.setEncoding('utf8').toArray()).join('');
  expect(text).toBe(': hello\n\ndata: {"unread":1}\n\n');
  for (let time = 0; time < 3; time++) send({ unread: 3 });
  await app.close();
  expect(stopped).toBe(1);
});

test('who asks for the head alone gets it, and nothing is opened for them', async () => {
  const app = fastify();
  let started = 0;
  mountEvents(app, new AbortController().signal, 'GET /api/notifications/stream', async () => () => {
    started++;
    return () => undefined;
  });
  const { statusCode, headers, body } = await app.inject({
    method: 'HEAD',
    url: '/api/notifications/stream',
    signal: AbortSignal.timeout(5_000),
  });
  expect([statusCode, headers['content-type'], body]).toEqual([200, 'text/event-stream; charset=utf-8', '']);
  await app.close();
  expect(started).toBe(0);
});

test('more streams than a process has room for are told to come back; at its end all are ended in order', async () => {
  const app = fastify();
  setUpHttp(app, { publicUrl: 'http://localhost' }, createMetrics());
  const ending = new AbortController();
  mountEvents(app, ending.signal, 'GET /api/notifications/stream', async () => () => () => undefined, 2);
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const open = async () => {
    const [response] = (await once(get(`${address}/api/notifications/stream`), 'response')) as [IncomingMessage];
    return response;
  };
  const listening = [await open(), await open()];
  const third = await open();
  expect(third.statusCode).toBe(503);
  expect(third.headers['retry-after']).toBe('60');
  third.resume();
  ending.abort();
  for (const response of listening) expect((await response.setEncoding('utf8').toArray()).join('')).toBe(': hello\n\n');
  expect((await open()).statusCode).toBe(503);
  await app.close();
});
