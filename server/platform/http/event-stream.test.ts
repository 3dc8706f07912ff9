import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { type EventStream, mountStream } from './event-stream.ts';
import { setUpHttp } from './set-up-http.ts';
import { createMetrics } from '../metrics/metrics.ts';

describe('mountStream', () => {
  test('drops events that are sent after the stream has ended or the client has disconnected', async () => {
    const app = fastify();
    const opened = Promise.withResolvers<EventStream<{ unread: number }>>();
    let stopped = 0;
    mountStream(app, new AbortController().signal, 'GET /api/notifications/stream', async () => (stream) => {
      opened.resolve(stream);
      return () => void stopped++;
    });
    const address = await app.listen({ port: 0, host: '127.0.0.1' });
    const [response] = (await once(get(`${address}/api/notifications/stream`), 'response')) as [IncomingMessage];
    const { send, end } = await opened.promise;
    send({ unread: 1 });
    end();
    // Without an error listener, the second write after the end would crash the process.
    for (let time = 0; time < 3; time++) send({ unread: 2 });
    const text = (await response.setEncoding('utf8').toArray()).join('');
    expect(text).toBe(': hello\n\ndata: {"unread":1}\n\n');
    for (let time = 0; time < 3; time++) send({ unread: 3 });
    await app.close();
    expect(stopped).toBe(1);
  });

  test('responds to HEAD without opening a stream', async () => {
    const app = fastify();
    let started = 0;
    mountStream(app, new AbortController().signal, 'GET /api/notifications/stream', async () => () => {
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

  test('refuses streams above the limit with 503, and ends all streams on shutdown', async () => {
    const app = fastify();
    setUpHttp(app, { publicUrl: 'http://localhost' }, createMetrics());
    const ending = new AbortController();
    mountStream(app, ending.signal, 'GET /api/notifications/stream', async () => () => () => undefined, 2);
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
    for (const response of listening)
      expect((await response.setEncoding('utf8').toArray()).join('')).toBe(': hello\n\n');
    expect((await open()).statusCode).toBe(503);
    await app.close();
  });
});
