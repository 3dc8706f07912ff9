import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, Socket, isIP } from 'node:net';
import { withoutSecrets } from './log.ts';

const letters = 'abcdefghijklmnopqrstuvwxyz234567';

/** Ten letters by chance, fifty bits: short enough to be read out on the telephone. */
const newId = (): string => Array.from(randomBytes(10), (byte) => letters[byte % 32]).join('');

/** Fastify's names for networks that are nobody's on the internet. */
const named: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.1/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/**
 * Names each request: every line of the log about it, its answer, and what a visitor reads of a fault carry the name. A
 * proxy that is trusted may have named it already; a name that the log would black out, or that could break a line, is not
 * taken over.
 */
export function requestIds(trustProxy: readonly string[]): (request: IncomingMessage) => string {
  const trusted = new BlockList();
  for (const network of trustProxy.flatMap((entry) => named[entry] ?? [entry])) {
    const [address = '', prefix] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    trusted.addSubnet(address, Number(prefix ?? (family === 'ipv6' ? 128 : 32)), family);
  }
  const isTrusted = ({ socket }: IncomingMessage) => {
    // A page's calls to our own API, in process, go by the name of the page's request.
    if (!(socket instanceof Socket)) return true;
    const address = socket.remoteAddress ?? '';
    return isIP(address) > 0 && trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  };
  return (request) => {
    const { 'x-request-id': given } = request.headers;
    const isHarmless = typeof given === 'string' && /^[\w-]{1,64}$/u.test(given) && withoutSecrets(given) === given;
    return isHarmless && isTrusted(request) ? given : newId();
  };
}
