import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { commonProblems } from '#contract/problem.ts';

/** Describes every call at `/api/openapi.json`, from the contract itself. Belongs before the routes. */
export async function describeApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Campus alumni archive',
        description: `Errors are application/problem+json (RFC 9457) with a stable code; beside its own ones, any call can fail with ${commonProblems.join(', ')}. Writes need the own Origin.`,
        version: '1',
      },
    },
    transform: jsonSchemaTransform,
  });
  app.get('/api/openapi.json', { schema: { hide: true } }, async () => app.swagger());
}
