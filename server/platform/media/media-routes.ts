import fastifyStatic from '@fastify/static';
import { basename, dirname } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { type Media, isPublicPicture } from './media.ts';

/**
 * Serves pictures. Names are random and never reused, so browsers cache pictures for a year. Shared caches may store
 * only public pictures.
 */
export async function mediaRoutes(app: FastifyInstance, { folder }: Media): Promise<void> {
  await app.register(fastifyStatic, {
    root: folder,
    prefix: '/media/',
    decorateReply: false,
    index: false,
    cacheControl: false,
    setHeaders: (reply, path) => {
      const scope = isPublicPicture(basename(dirname(path))) ? 'public' : 'private';
      reply.header('cache-control', `${scope}, max-age=31536000, immutable`);
    },
    dotfiles: 'deny',
  });
}
