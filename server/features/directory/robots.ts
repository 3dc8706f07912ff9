import type { FastifyInstance } from 'fastify';

/** What search engines may look at: what is said to everybody, and profiles where the institution allows it; each of those decides for itself. */
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
