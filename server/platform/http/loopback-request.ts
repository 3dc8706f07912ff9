import type { FastifyRequest } from 'fastify';

const isLoopbackAddress = (address: string | undefined): boolean =>
  address !== undefined && /^(?:127\.|::1$|::ffff:127\.)/u.test(address);

const forwardingHeader =
  /^(?:forwarded|via|client-ip|true-client-ip|x-forwarded(?:-.*)?|x-real-ip|x-.*client-ip|cf-.*|fastly-.*)$/u;

/** Returns whether a request comes directly from this machine. Requests that a local proxy forwards do not count. */
export const isLoopbackRequest = ({ raw, headers }: FastifyRequest): boolean =>
  isLoopbackAddress(raw.socket.remoteAddress) && !Object.keys(headers).some((name) => forwardingHeader.test(name));
