import { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { wasShed } from '../limits/load-shedding.ts';

const limits = new WeakMap<FastifyRequest['raw'], string>();

/** Lets the request's line name the limit that refused it. */
export const setRefusingLimit = ({ raw }: FastifyRequest, limit: string): void => void limits.set(raw, limit);

/** What machines ask every few seconds: written down when it is not well. */
const probes = new Set(['/healthz', '/readyz', '/metrics']);

/** One line for each request that came over the network and was worked on. Only the path: codes and searches stand in the query. */
export function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    // The calls that pages make to our own API in process are part of the page's line.
    if (!(request.raw.socket instanceof Socket) || wasShed(request)) return;
    const [path = ''] = request.url.split('?');
    const level = probes.has(path) && reply.statusCode < 400 ? 'debug' : 'info';
    request.log[level](
      {
        method: request.method,
        path,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        limit: limits.get(request.raw),
      },
      'request',
    );
  });
}
