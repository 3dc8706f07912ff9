import type { FastifyInstance } from 'fastify';
import { type Media, isPublicPicture } from './media.ts';

/**
 * Serves pictures. Names are random and never reused, so browsers cache pictures for a year. Shared caches may store
 * only public pictures.
 */
export function mediaRoutes(app: FastifyInstance, media: Media): void {
  app.get('/media/*', { schema: { hide: true } }, async (request, reply) => {
    const [name = '', file = '', ...rest] = (request.params as { '*': string })['*'].split('/');
    const content = rest.length > 0 ? null : await media.readServed(name, file);
    if (!content) return reply.callNotFound();
    const scope = isPublicPicture(name) ? 'public' : 'private';
    return reply.header('cache-control', `${scope}, max-age=31536000, immutable`).type('image/webp').send(content);
  });
}
