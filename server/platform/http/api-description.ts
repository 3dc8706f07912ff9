import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { commonProblems } from '#contract/problem.ts';

/** Serves the OpenAPI description of the contract at `/api/openapi.json`. Must be called before routes are added. */
export async function describeApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Campus alumni archive',
        description: `Errors are application/problem+json (RFC 9457) with a stable code. In addition to its own codes, any call can fail with ${commonProblems.join(', ')}. Writes must send the header Origin with the origin of this server.`,
        version: '1',
      },
    },
    transform: jsonSchemaTransform,
  });
  app.get('/api/openapi.json', { schema: { hide: true } }, async () => app.swagger());
}
