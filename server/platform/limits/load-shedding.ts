import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { InFlightRequests } from './in-flight-requests.ts';
import { ProblemError, pickRetrySeconds } from '../http/problem.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** An answer that is made for whoever asks, and so can be refused: a call with a problem, a page with a page. */
    readonly load?: 'call' | 'page';
  }
}

/**
 * Answers that are made at once, in one process. More at once would make everybody wait, and whoever has waited too long asks
 * again; decision 21 has the figures.
 */
const maxInFlightRequests = 300;

/** Of these, for whoever only looks and is not signed in: the rest is for people who are in the middle of something. */
const guestShare = 0.75;

/** Connections; a process may have some thousands of files open, and has others besides. */
const maxConnections = 4_000;

/** Milliseconds between two lines of the log about what was refused: a line for each would be load as well. */
const logIntervalMs = 10_000;

interface Options {
  /** Whether somebody seems to be signed in. Nothing is looked up for it; whoever pretends has the room of those who are. */
  readonly isLikelySignedIn: (request: FastifyRequest) => boolean;
  /** Is told of each refusal. */
  readonly onShed?: (load: 'call' | 'page') => void;
  /** What every answer says to a browser. */
  readonly headers: Readonly<Record<string, string>>;
  /** Answers that are made at once. */
  readonly maxInFlight?: number;
}

/**
 * Refuses what comes while this process works on as much as it can do in a reasonable time, before any work: 503 with a time to
 * come back. What is admitted is finished. Files, pictures and signs of life cost next to nothing and are never refused; the
 * calls that a page makes in process belong to their page.
 */
export function registerLoadShedding(
  app: FastifyInstance,
  { isLikelySignedIn, onShed, headers, maxInFlight = maxInFlightRequests }: Options,
): void {
  app.server.maxConnections = maxConnections;
  const inFlight = new InFlightRequests();
  const logShed = createSheddingLog(app);

  // Before all other hooks, and by hand: what a refusal costs is taken from those who have been admitted.
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
  // Counted from here: a body that comes slowly, or never, is no work.
  app.addHook('onRoute', (route) => {
    if (route.config?.load === undefined) return;
    const { handler } = route;
    route.handler = async function counted(request, reply) {
      const work = async () => handler.call(this, request, reply);
      return isNetworkRequest(request) ? inFlight.run(request, work) : work();
    };
  });
  // And as long as this: what has been made waits for the phone, not for us.
  app.addHook('onSend', async (request) => inFlight.end(request));
}

const shedRequests = new WeakSet<FastifyRequest>();

/** Whether a request was one too many: those are counted, and not listed one by one. */
export const wasShed = (request: FastifyRequest): boolean => shedRequests.has(request);

/** Not a call that a page of ours makes in process. */
const isNetworkRequest = ({ raw }: FastifyRequest): boolean => raw.socket instanceof Socket;

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
    // What is still on its way is not waited for.
    ...(!isReadRequest && { connection: 'close' }),
    'content-type': load === 'call' ? 'application/problem+json' : 'text/html; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
  });
  response.end(body);
}

const overloadedDetail = 'Very many people are here just now.';

const problem = (retryAfter: number): string =>
  JSON.stringify(new ProblemError('unavailable', { detail: overloadedDetail, retryAfter }).body);

/** It asks again by itself, with the header `Refresh`: no script, no style, nothing to fetch. */
const overloadedPage =
  `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<title>One moment, please</title></head><body><h1>One moment, please</h1>` +
  `<p>${overloadedDetail} This page tries again by itself in a few seconds.</p></body></html>\n`;

/** Logs how many requests were refused, at most every ten seconds. */
function createSheddingLog(app: FastifyInstance): () => void {
  let refused = 0;
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (refused > 0)
      app.log.warn(
        { refused },
        'more was asked for than can be answered at once; so many requests were told to come back',
      );
    refused = 0;
  };
  app.addHook('onClose', async () => flush());
  return () => {
    refused++;
    timer ??= setTimeout(flush, logIntervalMs).unref();
  };
}
