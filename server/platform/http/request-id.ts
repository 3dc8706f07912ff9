import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';
import { redactSecrets } from '../log/log.ts';

const letters = 'abcdefghijklmnopqrstuvwxyz234567';

/** Ten letters by chance, fifty bits: short enough to be read out on the telephone. */
const generateId = (): string => Array.from(randomBytes(10), (byte) => letters[byte % 32]).join('');

/**
 * Names each request: every line of the log about it, its answer, and what a visitor reads of a fault carry the name. A
 * proxy that is trusted may have named it already; a name that the log would black out, or that could break a line, is not
 * taken over.
 */
export function createRequestIdGenerator(trustProxy: readonly string[]): (request: IncomingMessage) => string {
  const isTrustedAddress = proxyAddr.compile([...trustProxy]);
  // A page's calls to our own API, in process, go by the name of the page's request.
  const isTrusted = ({ socket }: IncomingMessage) =>
    !(socket instanceof Socket) || isTrustedAddress(socket.remoteAddress ?? '', 0);
  return (request) => {
    const { 'x-request-id': given } = request.headers;
    const isHarmless = typeof given === 'string' && /^[\w-]{1,64}$/u.test(given) && redactSecrets(given) === given;
    return isHarmless && isTrusted(request) ? given : generateId();
  };
}
