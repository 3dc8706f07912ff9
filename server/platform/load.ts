import { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Piece, createBusy } from './busy.ts';
import { sendProblem } from './http.ts';
import { ProblemError, retrySoon } from './problem.ts';

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
const mostAtOnce = 200;

/** Of these, for whoever only looks and is not signed in: the rest is for people who are in the middle of something. */
const shareOfGuests = 0.75;

/** Connections; a process may have some thousands of files open, and has others besides. */
const mostConnections = 4_000;

/** Milliseconds between two lines of the log about what was refused: a line for each would be load as well. */
const pauseOfLog = 10_000;

/** Bytes of a refused body that are rather taken than the connection is cut off for them. */
const smallBody = 64_000;

interface Options {
  /** Whether somebody seems to be signed in. Nothing is looked up for it; whoever pretends has the room of those who are. */
  readonly isKnown: (request: FastifyRequest) => boolean;
  /** Answers that are made at once. */
  readonly most?: number;
}

/**
 * Refuses what comes while this process works on as much as it can do in a reasonable time, before any work: 503 with a time to
 * come back. What is admitted is finished. Files, pictures and signs of life cost next to nothing and are never refused; the
 * calls that a page makes in process belong to their page.
 */
export function shedLoad(app: FastifyInstance, { isKnown, most = mostAtOnce }: Options): void {
  app.server.maxConnections = mostConnections;
  const busy = createBusy();
  const pieces = new WeakMap<FastifyRequest, Piece>();
  const tell = tellOfRefusals(app);

  app.addHook('onRequest', async (request, reply) => {
    const { load } = request.routeOptions.config;
    if (load === undefined || !isFromOutside(request)) return undefined;
    const isGuestLooking = isReading(request) && !isKnown(request);
    if (busy.count < (isGuestLooking ? most * shareOfGuests : most)) return undefined;
    tell();
    return refuse(load, request, reply);
  });
  // Counted from here: a body that comes slowly, or never, is no work.
  app.addHook('onRoute', (route) => {
    if (route.config?.load === undefined) return;
    const { handler } = route;
    route.handler = async function counted(request, reply) {
      if (!isFromOutside(request) || pieces.has(request)) return handler.call(this, request, reply);
      const piece = busy.begin();
      pieces.set(request, piece);
      try {
        return await piece.run(async () => handler.call(this, request, reply));
      } finally {
        piece.end();
      }
    };
  });
  // And as long as this: what has been made waits for the phone, not for us.
  app.addHook('onSend', async (request) => pieces.get(request)?.end());
}

/** Not a call that a page of ours makes in process. */
const isFromOutside = ({ raw }: FastifyRequest): boolean => raw.socket instanceof Socket;

const isReading = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD';

function refuse(load: 'call' | 'page', request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const retryAfter = retrySoon();
  // What is still on its way is not waited for.
  if (!isReading(request) && Number(request.headers['content-length'] ?? Infinity) > smallBody)
    reply.header('connection', 'close');
  if (load === 'call') return sendProblem(reply, new ProblemError('unavailable', { detail: crowded, retryAfter }));
  return reply
    .code(503)
    .header('cache-control', 'no-store')
    .header('retry-after', retryAfter)
    .header('refresh', retryAfter)
    .type('text/html; charset=utf-8')
    .send(crowdedPage);
}

const crowded = 'Very many people are here just now.';

/** It asks again by itself, with the header `Refresh`: no script, no style, nothing to fetch. */
const crowdedPage =
  `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<title>One moment, please</title></head><body><h1>One moment, please</h1>` +
  `<p>${crowded} This page tries again by itself in a few seconds.</p></body></html>\n`;

/** A line of the log now and then about what was refused. */
function tellOfRefusals(app: FastifyInstance): () => void {
  let refused = 0;
  let later: NodeJS.Timeout | undefined;
  const say = () => {
    app.log.warn(
      { refused },
      'more was asked for than can be answered at once; so many requests were told to come back',
    );
    refused = 0;
    later = undefined;
  };
  app.addHook('onClose', async () => {
    clearTimeout(later);
    if (refused > 0) say();
  });
  return () => {
    refused++;
    later ??= setTimeout(say, pauseOfLog).unref();
  };
}
