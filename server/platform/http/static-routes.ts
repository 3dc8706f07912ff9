import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/** The built scripts, styles and icons, compressed at build time. */
export interface StaticFiles {
  /** Folder with the subfolder `assets`, whose names carry a digest of their content. */
  readonly folder: string;
}

export async function staticRoutes(app: FastifyInstance, { folder }: StaticFiles): Promise<void> {
  // One name for all files: theirs change with every build.
  app.register(async (files) => {
    files.addHook('onRoute', (route) => {
      route.config = { ...route.config, countedAs: 'files' };
    });
    await files.register(fastifyStatic, {
      root: folder,
      // Named one by one, so that every other address is left to the pages.
      wildcard: false,
      index: false,
      preCompressed: true,
      decorateReply: false,
      setHeaders: (reply, path) => {
        reply.header(
          'cache-control',
          path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
        );
      },
    });
  });
}
