import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { InFlightRequests } from './in-flight-requests.ts';
import { isNetworkRequest } from '../http/network-request.ts';
import { ProblemError, pickRetrySeconds } from '../http/problem.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Marks routes that load shedding may refuse: API calls with problem+json, pages with an HTML page. */
    readonly load?: 'call' | 'page';
  }
}

/**
 * Maximum number of concurrent requests of one process. With more, all responses become so slow that clients retry,
 * which adds load. Decision 21 has the measurements.
 */
const maxInFlightRequests = 300;

/**
 * The part of the limit that GET requests of guests can use. The rest is reserved for signed-in users and for writes.
 */
const guestShare = 0.75;

/** Limit on open connections, below the usual limit on open files per process. */
const maxConnections = 4_000;

/** Refused requests are logged as one line per interval, because a line per request would add load. */
const logIntervalMs = 10_000;

interface Options {
  /** Returns whether the session of a request was found before. It is not looked up, because a query would add load. */
  readonly isLikelySignedIn: (request: FastifyRequest) => boolean;
  readonly onShed?: (load: 'call' | 'page') => void;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxInFlight?: number;
}

/**
 * Adds load shedding: while too many requests are in flight, refuses new ones with 503 and `Retry-After` before any
 * other work.
 * Static files, pictures and health checks are cheap and never refused. API calls that a page makes in process count as
 * part of the page.
 */
export function registerLoadShedding(
  app: FastifyInstance,
  { isLikelySignedIn, onShed, headers, maxInFlight = maxInFlightRequests }: Options,
): void {
  app.server.maxConnections = maxConnections;
  const inFlight = new InFlightRequests();
  const logShed = createSheddingLog(app);

  // Runs before almost all other hooks and bypasses Fastify, because refusals must cost as little as possible.
  app.addHook('onRequest', (request, reply, done) => {
    const { load } = request.routeOptions.config;
    if (load === undefined || !isNetworkRequest(request)) return done();
    const isGuestLooking = isReadRequest(request) && !isLikelySignedIn(request);
    if (inFlight.count < (isGuestLooking ? maxInFlight * guestShare : maxInFlight)) return done();
    logShed();
    onShed?.(load);
    shedRequests.add(request);
    reply.hijack();
    sendOverloaded(load, reply.raw, headers, isReadRequest(request));
  });
  // Counting starts at the handler: a request whose body arrives slowly, or never, causes no work.
  app.addHook('onRoute', (route) => {
    if (route.config?.load === undefined) return;
    const { handler } = route;
    route.handler = async function counted(request, reply) {
      const work = async () => handler.call(this, request, reply);
      return isNetworkRequest(request) ? inFlight.run(request, work) : work();
    };
  });
  // Counting ends before sending: a response that a slow client downloads causes no work.
  app.addHook('onSend', (request, _, __, done) => {
    inFlight.end(request);
    done();
  });
}

const shedRequests = new WeakSet<FastifyRequest>();

/** Returns whether load shedding refused a request. Such requests are not logged individually. */
export const wasShed = (request: FastifyRequest): boolean => shedRequests.has(request);

const isReadRequest = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD';

function sendOverloaded(
  load: 'call' | 'page',
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  isReadRequest: boolean,
) {
  const seconds = pickRetrySeconds();
  const retryAfter = String(seconds);
  const body = load === 'call' ? problem(seconds) : overloadedPage;
  response.writeHead(503, {
    ...headers,
    'cache-control': 'no-store',
    'retry-after': retryAfter,
    ...(load === 'page' && { refresh: retryAfter }),
    // Closes the connection instead of waiting for the rest of the request body.
    ...(!isReadRequest && { connection: 'close' }),
    'content-type': load === 'call' ? 'application/problem+json' : 'text/html; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
  });
  response.end(body);
}

const overloadedDetail = 'The server is very busy right now.';

const problem = (retryAfter: number): string =>
  JSON.stringify(new ProblemError('unavailable', { detail: overloadedDetail, retryAfter }).body);

/**
 * Page for refused requests. The header `Refresh` reloads the page. The page loads no scripts, styles or other files.
 */
const overloadedPage =
  `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<title>One moment, please</title></head><body><h1>One moment, please</h1>` +
  `<p>${overloadedDetail} This page reloads automatically in a few seconds.</p></body></html>\n`;

function createSheddingLog(app: FastifyInstance): () => void {
  let refused = 0;
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (refused > 0)
      app.log.warn({ refused }, `Overloaded: shed ${refused} ${refused === 1 ? 'request' : 'requests'} with 503`);
    refused = 0;
  };
  app.addHook('onClose', async () => flush());
  return () => {
    refused++;
    timer ??= setTimeout(flush, logIntervalMs).unref();
  };
}
