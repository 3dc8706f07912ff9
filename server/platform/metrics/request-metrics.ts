import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isNetworkRequest } from '../http/network-request.ts';
import type { Metrics } from './metrics.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    countedAs?: string;
    /** Whether the response stays open until the client disconnects. Its duration is not measured. */
    isStream?: boolean;
  }
}

const countedMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE']);

/** The URL itself contains ids of people, and would create unbounded labels. */
const routeOf = ({ routeOptions }: FastifyRequest): string =>
  routeOptions.config.countedAs ?? routeOptions.url ?? 'none';

export function measureRequests(app: FastifyInstance, metrics: Metrics): void {
  const answered = metrics.counter('archive_http_requests_total', 'Completed requests, by route and status class.', [
    'method',
    'route',
    'status',
  ]);
  const durations = metrics.histogram(
    'archive_http_request_seconds',
    'Time from receiving the request headers to sending the response.',
    ['route'],
  );
  const inFlight = metrics.gauge('archive_http_requests_in_flight', 'Requests in flight.', []);
  const streams = metrics.gauge('archive_event_streams_open', 'Open server-sent event streams.', []);

  app.addHook('onRequest', (request, reply, done) => {
    if (isNetworkRequest(request)) {
      const gauge = request.routeOptions.config.isStream ? streams : inFlight;
      gauge.inc();
      // This event also fires when the client disconnects early.
      reply.raw.once('close', () => gauge.dec());
    }
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    if (isNetworkRequest(request)) {
      const route = routeOf(request);
      answered.inc({
        method: countedMethods.has(request.method) ? request.method : 'other',
        route,
        status: `${Math.floor(reply.statusCode / 100)}xx`,
      });
      if (!request.routeOptions.config.isStream) durations.observe({ route }, reply.elapsedTime / 1000);
    }
    done();
  });
}

export const createRefusalCounter = (metrics: Metrics) =>
  metrics.counter('archive_refused_total', 'Requests refused by a limit or a budget, by its name.', ['limit']);

export const createSheddingCounter = (metrics: Metrics) =>
  metrics.counter('archive_http_requests_shed_total', 'Requests refused by load shedding.', ['reason']);
