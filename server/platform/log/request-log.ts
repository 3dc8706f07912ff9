import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isNetworkRequest } from '../http/network-request.ts';
import { wasShed } from '../limits/load-shedding.ts';

const limits = new WeakMap<FastifyRequest['raw'], string>();

export const setRefusingLimit = ({ raw }: FastifyRequest, limit: string): void => void limits.set(raw, limit);

/** Paths that monitoring requests every few seconds. Successful requests are logged at level debug. */
const probes = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * Paths that end with a code: of a slip, or of a link with which a user asks classmates to vouch. In any case and with
 * further slashes, as people type them: pages are found all the same.
 */
const pathWithCode = /(\/(?:join|vouch|vouch-links)\/).+/iu;

/**
 * Logs one line for each network request, with its path only and without codes: the query may contain codes and search
 * terms.
 */
export function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    // API calls that a page makes in process are covered by the line of the page.
    if (isNetworkRequest(request) && !wasShed(request)) logRequest(request, reply);
    done();
  });
}

function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const [path = ''] = request.url.split('?');
  const level = probes.has(path) && reply.statusCode < 400 ? 'debug' : 'info';
  request.log[level](
    {
      method: request.method,
      path: path.replace(pathWithCode, '$1:code'),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      limit: limits.get(request.raw),
    },
    'request',
  );
}
