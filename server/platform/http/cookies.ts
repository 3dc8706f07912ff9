import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type CookieName, cookieNames } from '#contract/cookies.ts';

/** Reads and writes one cookie. With TLS its name has the prefix `__Host-` (RFC 6265bis, section 4.1.3.2). */
export interface Cookie {
  read(request: FastifyRequest): string | undefined;
  readHeader(request: FastifyRequest): string | undefined;
  removeFromHeader(request: FastifyRequest): void;
  write(reply: FastifyReply, value: string): void;
  clear(reply: FastifyReply): void;
}

/** Creates an HttpOnly, SameSite=Lax cookie. */
export function createCookie(name: CookieName, maxAgeSeconds: number, publicUrl: string): Cookie {
  const secure = publicUrl.startsWith('https:');
  const fullName = secure ? `__Host-${name}` : name;
  const pattern = new RegExp(`(?:^|;) *${fullName}=(?<value>[^;]*)`, 'u');
  const options: CookieSerializeOptions = { httpOnly: true, secure, sameSite: 'lax', path: '/' };
  return {
    read: (request) => request.cookies[fullName],
    readHeader: ({ headers }) =>
      headers.cookie === undefined ? undefined : pattern.exec(headers.cookie)?.groups?.['value'],
    removeFromHeader: ({ raw: { headers } }) => {
      const { cookie = '' } = headers;
      const others = cookie.split(';').filter((one) => !one.trimStart().startsWith(`${fullName}=`));
      headers.cookie = others.length > 0 ? others.join(';').trimStart() : undefined;
    },
    write: (reply, value) => void reply.setCookie(fullName, value, { ...options, maxAge: maxAgeSeconds }),
    clear: (reply) => void reply.clearCookie(fullName, options),
  };
}

/**
 * Removes the cookies of a request that has only cookies of other sites, such as those that a university's web
 * statistics set for all its subdomains. The visitor is a guest like others, and nothing afterwards can read these
 * cookies.
 */
export function ignoreForeignCookies(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw: { headers } }, _, done) => {
    const { cookie } = headers;
    if (cookie !== undefined && !cookieNames.some((name) => cookie.includes(`${name}=`))) headers.cookie = undefined;
    done();
  });
}
