import type { FastifyInstance } from 'fastify';

export interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly maxLength?: number;
  readonly format?: string;
}

export interface Route {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly params: readonly string[];
  readonly query: Readonly<Record<string, Schema>>;
  readonly body: Schema | null;
}

interface Description {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: Schema }[];
            readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
          }
        >
      >
    >
  >;
}

export const others: Readonly<Record<string, readonly string[]>> = {
  '/': ['college', 'department', 'program', 'graduatedFrom', 'graduatedTo', 'after', 'view', 'toast'],
  '/home': ['toast'],
  '/login': ['from', 'toast'],
  '/signup': ['from'],
  '/send-verification-email': ['from'],
  '/verify-email-address': ['actionCode'],
  '/reset-password': ['email'],
  '/new-password': ['actionCode'],
  '/recover-email': ['actionCode'],
  '/campus': [],
  '/report': ['code'],
  '/report/confirm': ['code'],
  '/report/photo/{id}': [],
  '/confirm': [],
  '/join': [],
  '/join/{code}': [],
  '/vouch/{code}': [],
  '/not-you': ['code'],
  '/staff': [],
  '/auth/verify': ['oobCode', 'mode'],
  '/auth/action': ['oobCode', 'mode'],
  '/auth/campus': ['from', 'again'],
  '/onboarding': ['step'],
  '/search': ['q', 'college', 'department', 'program', 'graduatedFrom', 'graduatedTo'],
  '/gallery': ['album'],
  '/careers': [
    'department',
    'graduatedFrom',
    'graduatedTo',
    'employer',
    'field',
    'area',
    'country',
    'help',
    'name',
    'after',
  ],
  '/settings': ['section'],
  '/account': [],
  '/myprofile': ['as'],
  '/notification': [],
  '/notifications': [],
  '/messages': [],
  '/staff/{page}': [],
  '/staff/{page}/{id}': [],
  '/terms-and-conditions': [],
  '/privacy-policy': [],
  '/user/{id}': [],
  '/media/{picture}/192.webp': [],
  '/media/{photo}/480.webp': [],
  '/dev/mail': [],
  '/metrics': [],
  '/healthz': [],
  '/readyz': [],
  '/robots.txt': [],
  '/.well-known/jwks.json': [],
  '/api/openapi.json': [],
  '/{nowhere}': ['q'],
  '/api/{nowhere}': ['q'],
};

export async function readRoutes(app: FastifyInstance): Promise<Route[]> {
  const { paths } = (await app.inject('/api/openapi.json')).json<Description>();
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      params: paramsIn(path),
      query: Object.fromEntries(
        parameters.filter((one) => one.in === 'query').map(({ name, schema }) => [name, schema]),
      ),
      body: requestBody?.content['application/json'].schema ?? null,
    })),
  );
  const rest = Object.entries(others).map(([path, query]) => ({
    name: `GET ${path}`,
    method: 'GET',
    path,
    params: paramsIn(path),
    query: Object.fromEntries(query.map((name) => [name, { type: 'string' }])),
    body: null,
  }));
  return [...calls, ...rest];
}

const paramsIn = (path: string) => [...path.matchAll(/\{(\w+)\}/gu)].map(([, name = '']) => name);
