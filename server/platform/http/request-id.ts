import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';
import { redactSecrets } from '../log/log.ts';

const letters = 'abcdefghijklmnopqrstuvwxyz234567';

/** Number of random characters: 50 bits, short enough to read out on the phone. */
const idLength = 10;

/** Random bytes for the next ids. Generating them for many ids at a time takes less CPU time. */
let randomPool = Buffer.alloc(0);

function generateId(): string {
  if (randomPool.length === 0) randomPool = randomBytes(idLength * 256);
  let id = '';
  for (const byte of randomPool.subarray(0, idLength)) id += letters[byte % 32];
  randomPool = randomPool.subarray(idLength);
  return id;
}

/**
 * Returns a function that assigns request ids. Log lines, responses and error pages contain the id. The `X-Request-Id`
 * of a trusted proxy is used if it is safe to log.
 */
export function createRequestIdGenerator(trustProxy: readonly string[]): (request: IncomingMessage) => string {
  const isTrustedAddress = proxyAddr.compile([...trustProxy]);
  // In-process API calls of a page use the id of the page's request.
  const isTrusted = ({ socket }: IncomingMessage) =>
    !(socket instanceof Socket) || isTrustedAddress(socket.remoteAddress ?? '', 0);
  return (request) => {
    const { 'x-request-id': given } = request.headers;
    const isSafe = typeof given === 'string' && /^[\w-]{1,64}$/u.test(given) && redactSecrets(given) === given;
    return isSafe && isTrusted(request) ? given : generateId();
  };
}
