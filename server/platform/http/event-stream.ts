import type { FastifyInstance } from 'fastify';
import type { EndpointName, EventOf } from '#contract/endpoint.ts';
import type { Endpoints } from '#contract/endpoints.ts';
import { describeEndpoint } from './api-description.ts';
import { ProblemError, pickRetrySeconds } from './problem.ts';
import type { Exchange } from './set-up-http.ts';

type StreamName = {
  [Name in keyof Endpoints]: Endpoints[Name] extends { events: unknown } ? Name : never;
}[keyof Endpoints] &
  EndpointName;

export interface EventStream<Event> {
  readonly send: (event: Event) => void;
  readonly end: () => void;
}

/** Interval of heartbeats, because proxies and mobile networks close connections that are idle for a minute. */
const heartbeatIntervalMs = 25_000;

/** Limit on streams per process, because each stream uses memory and a connection. Pages work without streams. */
const defaultMaxStreams = 1_000;

const maxBufferedBytes = 64_000;

const closeTimeoutMs = 5_000;

/**
 * Mounts a call that responds with server-sent events (HTML standard, section 9.2) until the client disconnects.
 * @param shutdown ends all streams when it is aborted; browsers then reconnect
 * @param open authorizes the request, or throws a ProblemError. Returns a function that starts sending and returns how
 * to stop
 */
export function mountStream<Name extends StreamName>(
  app: FastifyInstance,
  shutdown: AbortSignal,
  name: Name,
  open: (exchange: Exchange) => Promise<(stream: EventStream<EventOf<Endpoints[Name]>>) => () => void>,
  maxStreams = defaultMaxStreams,
): void {
  const url = name.slice(name.indexOf(' ') + 1);
  const openStreams = new Set<() => void>();
  // A graceful shutdown waits for all responses, so streams must end.
  shutdown.addEventListener('abort', () => openStreams.forEach((end) => end()));

  app.route({
    method: 'GET',
    url,
    config: { load: 'call', isStream: true },
    schema: describeEndpoint(name),
    handler: async (request, reply) => {
      if (openStreams.size >= maxStreams) throw new ProblemError('unavailable', { retryAfter: 60 });
      const start = await open({ request, reply });
      if (shutdown.aborted) throw new ProblemError('unavailable', { retryAfter: pickRetrySeconds() });
      reply.headers({
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        // Turns off buffering in nginx.
        'x-accel-buffering': 'no',
      });
      // A response to HEAD has no body to keep open.
      if (request.method === 'HEAD') {
        await reply.send();
        return;
      }
      reply.hijack();
      const { raw } = reply;
      raw.writeHead(200, reply.getHeaders() as Record<string, string>);
      const write = (text: string) => {
        if (raw.writableEnded || raw.destroyed) return;
        // Closes connections of clients that have stopped reading. Browsers reconnect automatically.
        if (raw.writableLength > maxBufferedBytes) raw.destroy();
        else raw.write(text);
      };
      const end = () => {
        raw.end();
        // A client that has stopped reading would keep the connection open forever.
        setTimeout(() => raw.destroy(), closeTimeoutMs).unref();
      };
      write(': hello\n\n');
      const heartbeatTimer = setInterval(() => write(':\n\n'), heartbeatIntervalMs).unref();
      openStreams.add(end);
      const stop = start({ send: (event) => write(`data: ${JSON.stringify(event)}\n\n`), end });
      const cleanUp = () => {
        clearInterval(heartbeatTimer);
        openStreams.delete(end);
        stop();
      };
      // The client may have disconnected during `open`.
      if (raw.destroyed) cleanUp();
      else raw.once('close', cleanUp);
    },
  });
}
