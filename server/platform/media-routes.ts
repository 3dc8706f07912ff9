import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import type { Media } from './media.ts';

/** Pictures. A name is chance, so it cannot be guessed, and never means another picture. */
export async function mediaRoutes(app: FastifyInstance, { folder }: Media): Promise<void> {
  await app.register(fastifyStatic, {
    root: folder,
    prefix: '/media/',
    decorateReply: false,
    index: false,
    immutable: true,
    maxAge: '365d',
    dotfiles: 'deny',
  });
}
