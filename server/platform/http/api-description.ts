import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { type Access, accessLevels, describeAccess, listProblems } from '#contract/access.ts';
import type { Endpoint, EndpointName } from '#contract/endpoint.ts';
import { type Endpoints, endpoints } from '#contract/endpoints.ts';
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
      components: {
        securitySchemes: {
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: '__Host-sid',
            description: `Set by signing in; named sid without TLS. The roles in \`security\`: ${describedLevels}. \`staff:…\`: staff with this right, a second factor and a password of the last 12 hours.`,
          },
        },
      },
    },
    transform: jsonSchemaTransform,
  });
  app.get('/api/openapi.json', { schema: { hide: true } }, async () => app.swagger());
}

const describedLevels = Object.entries(accessLevels)
  .map(([level, description]) => `\`${level}\`: ${description}`)
  .join('; ');

export function describeEndpoint(name: keyof Endpoints & EndpointName) {
  const endpoint: Endpoint = endpoints[name];
  const problems = listProblems(endpoint);
  return {
    summary: endpoint.summary,
    description: [
      ...(endpoint.events ? ['Server-sent events.'] : []),
      `For ${describeAccess(endpoint)}.`,
      ...(problems.length > 0 ? [`Fails with ${problems.join(', ')}.`] : []),
    ].join(' '),
    tags: [name.split('/')[2] ?? ''],
    // One of these is enough; none is needed if there are none.
    security: listRoles(endpoint.access).map((role) => ({ session: [role] })),
  };
}

const listRoles = (access: Access): string[] => {
  if (typeof access === 'object') return [access.staff].flat().map((right) => `staff:${right}`);
  return access === 'everyone' ? [] : [access];
};
