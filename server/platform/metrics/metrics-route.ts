import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../config/config.ts';
import { readAllMetrics } from './cluster-metrics.ts';
import type { Metrics } from './metrics.ts';
import { isLoopbackRequest } from '../http/loopback-request.ts';
import { hashToken } from '../crypto/tokens.ts';

/**
 * `/metrics`, for a program on this machine or whoever knows `METRICS_TOKEN`. For everybody else the address is one of
 * those that lead nowhere, whatever answers these: so it is no route, but looked at before there is one.
 */
export function metricsRoute(app: FastifyInstance, { metricsToken }: Pick<Config, 'metricsToken'>, metrics: Metrics) {
  app.addHook('onRequest', async (request, reply) => {
    const [path] = request.url.split('?');
    if (path !== '/metrics' || request.method !== 'GET') return undefined;
    if (!hasToken(request, metricsToken) && !isLoopbackRequest(request)) return undefined;
    return reply
      .header('cache-control', 'no-store')
      .header('x-content-type-options', 'nosniff')
      .type('text/plain; version=0.0.4; charset=utf-8')
      .serializer(String)
      .send(await readAllMetrics(metrics));
  });
}

/** Digests are of one length, so comparing them takes as long whatever was sent. */
function hasToken({ headers }: FastifyRequest, token: string | null): boolean {
  const [, sent] = /^Bearer (.+)$/iu.exec(headers.authorization ?? '') ?? [];
  return token !== null && sent !== undefined && timingSafeEqual(hashToken(sent), hashToken(token));
}
