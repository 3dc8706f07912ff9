import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A cookie of our own; `__Host-` binds it to this very host and to TLS (RFC 6265bis, section 4.1.3.2). */
export interface Cookie {
  read(request: FastifyRequest): string | undefined;
  write(reply: FastifyReply, value: string): void;
  clear(reply: FastifyReply): void;
}

/** @param seconds how long a browser keeps it */
export function createCookie(name: string, seconds: number, publicUrl: string): Cookie {
  const secure = publicUrl.startsWith('https:');
  const fullName = secure ? `__Host-${name}` : name;
  const options: CookieSerializeOptions = { httpOnly: true, secure, sameSite: 'lax', path: '/' };
  return {
    read: (request) => request.cookies[fullName],
    write: (reply, value) => void reply.setCookie(fullName, value, { ...options, maxAge: seconds }),
    clear: (reply) => void reply.clearCookie(fullName, options),
  };
}
