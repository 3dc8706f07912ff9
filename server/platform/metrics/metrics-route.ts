import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../config/config.ts';
import { readAllMetrics } from './cluster-metrics.ts';
import type { Metrics } from './metrics.ts';
import { isLoopbackRequest } from '../http/loopback-request.ts';
import { hashToken } from '../crypto/tokens.ts';

/**
 * Serves `/metrics` to requests from this machine and to requests with the token `METRICS_TOKEN`. All other requests
 * get the same 404 as unknown paths. Therefore `/metrics` is a hook that runs before routing, and not a route.
 */
export function metricsRoute(app: FastifyInstance, { metricsToken }: Pick<Config, 'metricsToken'>, metrics: Metrics) {
  app.addHook('onRequest', (request, reply, done) => {
    const isMetrics = request.method === 'GET' && /^\/metrics(?:\?|$)/u.test(request.url);
    if (!isMetrics || (!hasToken(request, metricsToken) && !isLoopbackRequest(request))) return done();
    reply
      .header('cache-control', 'no-store')
      .header('x-content-type-options', 'nosniff')
      .type('text/plain; version=0.0.4; charset=utf-8')
      .serializer(String);
    readAllMetrics(metrics).then((text) => reply.send(text), done);
  });
}

/** Compares hashes of equal length in constant time. */
function hasToken({ headers }: FastifyRequest, token: string | null): boolean {
  const [, sent] = /^Bearer (.+)$/iu.exec(headers.authorization ?? '') ?? [];
  return token !== null && sent !== undefined && timingSafeEqual(hashToken(sent), hashToken(token));
}
