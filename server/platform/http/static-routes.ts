import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

export interface StaticFiles {
  /** Path of the folder. Names in its subfolder `assets` include a hash of the content. */
  readonly folder: string;
}

export async function staticRoutes(app: FastifyInstance, { folder }: StaticFiles): Promise<void> {
  // All files share one label in the metrics, because their names change with every build.
  app.register(async (files) => {
    files.addHook('onRoute', (route) => {
      route.config = { ...route.config, countedAs: 'files' };
    });
    await files.register(fastifyStatic, {
      root: folder,
      // One route per file, so that all other paths reach the pages.
      wildcard: false,
      // Requests never name them: `preCompressed` picks one by the header Accept-Encoding.
      globIgnore: ['**/*.{br,gz}'],
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
