import type { FastifyInstance } from 'fastify';
import type { Endpoint, EndpointName, EventOf } from '#contract/endpoint.ts';
import { type Endpoints, endpoints } from '#contract/endpoints.ts';
import type { Exchange } from './mount.ts';
import { ProblemError, pickRetrySeconds } from './problem.ts';

type StreamName = {
  [Name in keyof Endpoints]: Endpoints[Name] extends { events: unknown } ? Name : never;
}[keyof Endpoints] &
  EndpointName;

/** One browser that listens. */
export interface EventStream<Event> {
  readonly send: (event: Event) => void;
  readonly end: () => void;
}

/** Milliseconds between signs of life: proxies and phone networks close what is silent for a minute. */
const heartbeatIntervalMs = 25_000;

/** Browsers that listen to one process: each costs memory and a connection, and without news the pages are whole. */
const defaultMaxStreams = 1_000;

/** What may wait for a browser that does not read, in bytes. */
const maxBufferedBytes = 64_000;

/** Milliseconds for the last bytes of a stream to get across. */
const closeTimeoutMs = 5_000;

/**
 * Mounts a call that answers with server-sent events (HTML standard, section 9.2) until the browser goes, or the server.
 * @param shutdown ends the streams when it is aborted: browsers connect again, to another server or to this one's next start
 * @param open decides who may listen, and starts sending; what it throws becomes an ordinary answer. @returns how to stop
 */
export function mountEvents<Name extends StreamName>(
  app: FastifyInstance,
  shutdown: AbortSignal,
  name: Name,
  open: (exchange: Exchange) => Promise<(stream: EventStream<EventOf<Endpoints[Name]>>) => () => void>,
  maxStreams = defaultMaxStreams,
): void {
  const { summary, problems }: Endpoint = endpoints[name];
  const url = name.slice(name.indexOf(' ') + 1);
  const openStreams = new Set<() => void>();
  // A graceful shutdown waits for all answers to end.
  shutdown.addEventListener('abort', () => openStreams.forEach((end) => end()));

  app.route({
    method: 'GET',
    url,
    config: { load: 'call', isStream: true },
    schema: {
      summary,
      description: `Server-sent events. Fails with ${problems?.join(', ')}.`,
      tags: [url.split('/')[2] ?? ''],
    },
    handler: async (request, reply) => {
      if (openStreams.size >= maxStreams) throw new ProblemError('unavailable', { retryAfter: 60 });
      const start = await open({ request, reply });
      if (shutdown.aborted) throw new ProblemError('unavailable', { retryAfter: pickRetrySeconds() });
      reply.headers({
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        // nginx keeps answers back otherwise.
        'x-accel-buffering': 'no',
      });
      // A head has an end.
      if (request.method === 'HEAD') {
        await reply.send();
        return;
      }
      reply.hijack();
      const { raw } = reply;
      raw.writeHead(200, reply.getHeaders() as Record<string, string>);
      const write = (text: string) => {
        if (raw.writableEnded || raw.destroyed) return;
        // Somebody who does not read any more is let go; a browser comes back by itself.
        if (raw.writableLength > maxBufferedBytes) raw.destroy();
        else raw.write(text);
      };
      const end = () => {
        raw.end();
        // Whoever does not read any more would keep the connection for ever.
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
      // Somebody may have gone while it was found out who they are.
      if (raw.destroyed) cleanUp();
      else raw.once('close', cleanUp);
    },
  });
}
