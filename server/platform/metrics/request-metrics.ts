import { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Metrics } from './metrics.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The name under which requests are counted, where that is not the route's pattern. */
    countedAs?: string;
    /** Whether an answer goes on until the browser leaves: then it says nothing of how fast we are. */
    isStream?: boolean;
  }
}

const countedMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE']);

/** The pattern, never the address: that has people in it, and there is any number of them. */
const routeOf = ({ routeOptions }: FastifyRequest): string =>
  routeOptions.config.countedAs ?? routeOptions.url ?? 'none';

/** Counts what comes over the network, as `logRequests` writes it down. */
export function measureRequests(app: FastifyInstance, metrics: Metrics): void {
  const answered = metrics.counter('archive_http_requests_total', 'Requests answered, by route and class of status.', [
    'method',
    'route',
    'status',
  ]);
  const durations = metrics.histogram('archive_http_request_seconds', 'From a request’s head to its answer’s end.', [
    'route',
  ]);
  const inFlight = metrics.gauge('archive_http_requests_in_flight', 'Requests that are being answered.', []);
  const streams = metrics.gauge('archive_event_streams_open', 'Browsers that listen for news.', []);

  app.addHook('onRequest', async (request, reply) => {
    if (!(request.raw.socket instanceof Socket)) return;
    const gauge = request.routeOptions.config.isStream ? streams : inFlight;
    gauge.inc();
    // Also when somebody leaves in the middle.
    reply.raw.once('close', () => gauge.dec());
  });
  app.addHook('onResponse', async (request, reply) => {
    if (!(request.raw.socket instanceof Socket)) return;
    const route = routeOf(request);
    answered.inc({
      method: countedMethods.has(request.method) ? request.method : 'other',
      route,
      status: `${Math.floor(reply.statusCode / 100)}xx`,
    });
    if (!request.routeOptions.config.isStream) durations.observe({ route }, reply.elapsedTime / 1000);
  });
}

/** Who was sent away, and why: a limit by its name, never whose it was. */
export const createRefusalCounter = (metrics: Metrics) =>
  metrics.counter('archive_refused_total', 'Requests refused by a limit or a budget, by its name.', ['limit']);

/** Requests turned away unread because there are too many: whatever sheds them counts them here. */
export const createSheddingCounter = (metrics: Metrics) =>
  metrics.counter('archive_http_requests_shed_total', 'Requests turned away because the server has too much to do.', [
    'reason',
  ]);
