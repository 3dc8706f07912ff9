import type { FastifyRequest } from 'fastify';

const isLoopbackAddress = (address: string | undefined): boolean =>
  address !== undefined && /^(?:127\.|::1$|::ffff:127\.)/u.test(address);

/** What proxies, tunnels and content networks say of whom they speak for. */
const forwardingHeader =
  /^(?:forwarded|via|client-ip|true-client-ip|x-forwarded(?:-.*)?|x-real-ip|x-.*client-ip|cf-.*|fastly-.*)$/u;

/**
 * Whether a program on this machine asks, with nothing in between: behind a proxy on the same machine, every visitor comes
 * from it.
 */
export const isLoopbackRequest = ({ raw, headers }: FastifyRequest): boolean =>
  isLoopbackAddress(raw.socket.remoteAddress) && !Object.keys(headers).some((name) => forwardingHeader.test(name));
