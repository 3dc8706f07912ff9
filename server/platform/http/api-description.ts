import fastify, { type FastifyInstance, type RouteOptions } from 'fastify';
import { jsonSchemaTransform, validatorCompiler } from 'fastify-type-provider-zod';
import { type Access, accessLevels, describeAccess, listProblems } from '#contract/access.ts';
import type { Endpoint, EndpointName } from '#contract/endpoint.ts';
import { type Endpoints, endpoints } from '#contract/endpoints.ts';
import { commonProblems } from '#contract/problem.ts';

/** Serves the OpenAPI description of the contract at `/api/openapi.json`. Must be called before routes are added. */
export function describeApi(app: FastifyInstance): void {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD') routes.push(route);
  });
  let description: Promise<object> | undefined;
  app.get('/api/openapi.json', { schema: { hide: true } }, async () => (description ??= describeRoutes(routes)));
}

/** Describes the routes with an application of their own, so that @fastify/swagger is only loaded when it is needed. */
async function describeRoutes(routes: readonly RouteOptions[]): Promise<object> {
  const { default: swagger } = await import('@fastify/swagger');
  const app = fastify({ exposeHeadRoutes: false });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(() => JSON.stringify);
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
  for (const { method, url, schema = {}, handler } of routes) app.route({ method, url, schema, handler });
  await app.ready();
  return app.swagger();
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
