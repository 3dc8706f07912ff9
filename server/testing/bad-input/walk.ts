import * as fc from 'fast-check';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { TestArchive } from '../archive.ts';
import { type Answer, findFault } from './judge.ts';
import { type Recipe, type Rendered, type Wire, recipes, render } from './recipe.ts';
import { type Route, readRoutes } from './routes.ts';
import { type Tally, createTally } from './tally.ts';
import { type World, openWorld } from './world.ts';

/** Maximum response time in milliseconds. A slower request is repeated once, because the machine may have been busy. */
const slowRequestMs = 5_000;

const requestTimeoutMs = 15_000;

export interface SentRequests {
  readonly tally: Tally;
  readonly routes: readonly Route[];
  readonly world: World;
  readonly secrets: ReadonlySet<string>;
}

/**
 * Sends generated requests to all routes, in several concurrent lanes with separate accounts.
 * @param seed repeats the same requests
 * @throws Error with the smallest failing request, to be repeated with FUZZ_RECIPE
 */
export async function sendRequests(
  archive: TestArchive,
  { requests, lanes, seed }: { requests: number; lanes: number; seed: number },
): Promise<SentRequests> {
  const routes = await readRoutes(archive.app);
  const byName = new Map(routes.map((route) => [route.name, route]));
  const tally = createTally();
  const seconds = Number(process.env['FUZZ_SECONDS'] ?? 0);
  // With FUZZ_ALL, the run continues after a fault and lists each kind of fault once.
  const faults = process.env['FUZZ_ALL'] === undefined ? null : new Map<string, string>();
  const worlds: World[] = [];
  for (let lane = 0; lane < lanes; lane++) worlds.push(await openWorld(archive, lane));

  const sendRecipe = async (world: World, recipe: Recipe) => {
    const route = byName.get(recipe.route);
    if (!route) throw new Error(`Unknown route ${recipe.route}.`);
    const rendered = render(recipe, route, await world.prepareInput(route, recipe.caller, recipe.variant));
    let { answer, ms } = await measure(archive.app, rendered.wire).catch((error: unknown) => {
      throw new Error(describeFault(String(error), recipe, rendered.wire, noResponse));
    });
    if (ms > slowRequestMs) ({ answer, ms } = await measure(archive.app, rendered.wire));
    world.recordResponse(route, recipe.caller, answer.status);
    tally.count(route.name, answer.status, ms, rendered.broken, JSON.stringify(recipe.breaks));
    const fault = ms > slowRequestMs ? `It takes ${Math.round(ms)} ms, twice.` : findFaultOf(route, rendered, answer);
    if (fault === null) return;
    const story = describeFault(fault, recipe, rendered.wire, answer);
    if (!faults) throw new Error(story);
    faults.set(`${route.name} ${fault}`, story);
  };

  const replayedRecipe = process.env['FUZZ_RECIPE'];
  if (replayedRecipe !== undefined && worlds[0]) await sendRecipe(worlds[0], JSON.parse(replayedRecipe) as Recipe);
  else {
    const ended = await Promise.allSettled(
      worlds.map((world, lane) =>
        fc.assert(
          fc.asyncProperty(recipes(routes), (recipe) => sendRecipe(world, recipe)),
          {
            seed: seed + lane,
            numRuns: Math.ceil(requests / lanes),
            includeErrorInReport: true,
            ...(seconds > 0 && { interruptAfterTimeLimit: seconds * 1_000 }),
          },
        ),
      ),
    );
    const failed = ended.flatMap((one) => (one.status === 'rejected' ? [(one.reason as Error).message] : []));
    if (failed.length > 0) throw new Error(failed.join('\n\n'));
  }
  const [world] = worlds;
  if (!world) throw new Error('At least one lane is required.');
  if (faults && faults.size > 0) throw new Error([...faults.values()].join('\n\n'));
  return { tally, routes, world, secrets: new Set(worlds.flatMap((world) => [...world.secrets])) };
}

function findFaultOf(route: Route, { wire, broken, isOnRoute }: Rendered, answer: Answer): string | null {
  const isMultipart =
    broken.has('multipart') &&
    wire.headers.some(([name, value]) => name === 'content-type' && /multipart/iu.test(value));
  // The server ignores the body of a request that only reads.
  const isRead = route.method === 'GET' || wire.method === 'GET' || wire.method === 'HEAD';
  if (isMultipart && !isRead && answer.status < 400) return 'It accepts a multipart body.';
  return findFault(wire.path, wire.method, isOnRoute ? route.name : null, answer);
}

async function measure(app: FastifyInstance, wire: Wire): Promise<{ answer: Answer; ms: number }> {
  const before = performance.now();
  const answer = await inject(app, wire);
  return { answer, ms: performance.now() - before };
}

async function inject(app: FastifyInstance, { method, path, query, headers, body }: Wire): Promise<Answer> {
  const grouped: Record<string, string | string[]> = {};
  for (const [name, value] of headers) {
    const before = grouped[name];
    grouped[name] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value];
  }
  const isEndless = path.endsWith('/stream') && method === 'GET';
  const asked = app.inject({
    method: method as 'GET',
    url: path + (query === '' ? '' : `?${query}`),
    remoteAddress: '127.0.0.1',
    headers: grouped,
    ...(body && { payload: body }),
    ...(isEndless && { payloadAsStream: true }),
  });
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`${method} ${path} had no response within ${requestTimeoutMs / 1000} s.`)),
      requestTimeoutMs,
    );
  });
  const response: LightMyRequestResponse = await Promise.race([asked, timeout]).finally(() => clearTimeout(timer));
  const status = response.statusCode;
  if (!isEndless) return { status, headers: response.headers, body: response.body };
  const stream = response.stream();
  if (status === 200) {
    stream.destroy();
    response.raw.res.destroy();
    return { status, headers: response.headers, body: '' };
  }
  const chunks = await stream.toArray();
  return { status, headers: response.headers, body: Buffer.concat(chunks as Buffer[]).toString() };
}

const noResponse: Answer = { status: 0, headers: {}, body: '' };

function describeFault(
  fault: string,
  recipe: Recipe,
  { method, path, query, headers, body }: Wire,
  answer: Answer,
): string {
  const lines = [
    fault,
    `FUZZ_RECIPE='${JSON.stringify(recipe)}'`,
    `${method} ${path}${query === '' ? '' : `?${query}`}`.slice(0, 1_000),
    ...headers.map(([name, value]) => `${name}: ${value}`.slice(0, 200)),
    '',
    (body?.toString('latin1') ?? '').slice(0, 1_500),
    '',
    `→ ${answer.status} ${answer.body.slice(0, 500)}`,
  ];
  return lines.join('\n');
}
