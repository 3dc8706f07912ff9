import type { FastifyInstance } from 'fastify';

/** Allows the public pages, and profiles if the institution allows indexing. Each profile page decides for itself. */
export function robotsRoutes(app: FastifyInstance, { allowsIndexing }: { allowsIndexing: boolean }): void {
  const allowed = ['/home$', '/terms-and-conditions$', '/privacy-policy$', ...(allowsIndexing ? ['/user/'] : [])];
  const text = [
    '# People agreed to be found by their university, not by search engines.',
    'User-agent: *',
    ...allowed.map((path) => `Allow: ${path}`),
    'Disallow: /',
    '',
  ].join('\n');
  app.get('/robots.txt', { schema: { hide: true } }, async (_, reply) => reply.type('text/plain').send(text));
}
