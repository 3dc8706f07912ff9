import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Reads and writes one cookie. With TLS its name has the prefix `__Host-` (RFC 6265bis, section 4.1.3.2). */
export interface Cookie {
  read(request: FastifyRequest): string | undefined;
  write(reply: FastifyReply, value: string): void;
  clear(reply: FastifyReply): void;
}

/** Creates an HttpOnly, SameSite=Lax cookie. */
export function createCookie(name: string, maxAgeSeconds: number, publicUrl: string): Cookie {
  const secure = publicUrl.startsWith('https:');
  const fullName = secure ? `__Host-${name}` : name;
  const options: CookieSerializeOptions = { httpOnly: true, secure, sameSite: 'lax', path: '/' };
  return {
    read: (request) => request.cookies[fullName],
    write: (reply, value) => void reply.setCookie(fullName, value, { ...options, maxAge: maxAgeSeconds }),
    clear: (reply) => void reply.clearCookie(fullName, options),
  };
}
