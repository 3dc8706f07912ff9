import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { hasZodFastifySchemaValidationErrors, serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import type { CallResult, Endpoint, EndpointName, HandlerInput } from '#contract/endpoint.ts';
import { type Endpoints, endpoints } from '#contract/endpoints.ts';
import type { FieldProblem } from '#contract/problem.ts';
import { isDiskError, logDiskError } from '../storage/disk-reserve.ts';
import type { ResponseCache } from './response-cache.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { ProblemError } from './problem.ts';
import { setRefusingLimit } from '../log/request-log.ts';
import { createRefusalCounter } from '../metrics/request-metrics.ts';

/** The HTTP side of one call, for handlers that set cookies or read addresses. */
export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

type Handle<E> = (input: HandlerInput<E>, exchange: Exchange) => Promise<CallResult<E>>;

/** Decides by headers and address alone whether somebody may send a body at all; throws when not. */
export type AllowBody = (exchange: Exchange) => Promise<void>;

/** Bytes; a few lines of text. */
const defaultBodyLimitBytes = 64_000;

/**
 * Mounts one call of the contract. What comes in is parsed by the contract's schemas, what leaves is encoded by them,
 * field by field: a column that the contract does not name cannot leak. A call with a `maxBodyBytes` of its own needs
 * somebody to `admit` it.
 */
export function mount<Name extends keyof Endpoints & EndpointName>(
  app: FastifyInstance,
  name: Name,
  handle: Handle<Endpoints[Name]>,
  ...[admit]: Endpoints[Name] extends { maxBodyBytes: number } ? [admit: AllowBody] : []
): void {
  const { response }: Endpoint = endpoints[name];
  route(app, name, admit, async (input, exchange) => {
    const result = await handle(input as HandlerInput<Endpoints[Name]>, exchange);
    const { reply } = exchange;
    return response ? reply.send(result) : reply.code(204).send();
  });
}

/** How `mountCached` shares responses. */
export interface CachedCall<Audience extends string> {
  readonly cache: ResponseCache;
  /** Returns the audience that a request belongs to. */
  readonly audienceOf: (exchange: Exchange) => Promise<Audience>;
  /** Counts each request against a limit, also when its response is cached. Throws a ProblemError above the limit. */
  readonly countRequest?: (exchange: Exchange) => Promise<void>;
}

/**
 * Mounts a call whose response depends only on the URL and on the audience of the request. Each response is created and encoded once, and
 * is shared for a moment by all requests of that audience.
 */
export function mountCached<Name extends keyof Endpoints & EndpointName, Audience extends string>(
  app: FastifyInstance,
  name: Name,
  { cache, audienceOf, countRequest }: CachedCall<Audience>,
  handle: (input: HandlerInput<Endpoints[Name]>, audience: Audience) => Promise<CallResult<Endpoints[Name]>>,
): void {
  const { response: schema }: Endpoint = endpoints[name];
  const encode = serializerCompiler({ schema: schema ?? z.unknown(), method: 'GET', url: name });
  route(app, name, undefined, async (input, exchange) => {
    const { request, reply } = exchange;
    await countRequest?.(exchange);
    const audience = await audienceOf(exchange);
    const answer = await cache.getOrCreate(`${audience} ${request.url}`, async () =>
      encode(await handle(input as HandlerInput<Endpoints[Name]>, audience)),
    );
    return reply.type('application/json; charset=utf-8').serializer(String).send(answer);
  });
}

/** A file to be saved, piece by piece as it is made. */
export interface Download {
  /** Under which a browser saves it: letters, digits, dots and hyphens. */
  readonly name: string;
  readonly content: Readable;
}

type DownloadName = {
  [Name in keyof Endpoints]: Endpoints[Name] extends { file: string } ? Name : never;
}[keyof Endpoints] &
  EndpointName;

/** Mounts a call that answers with a file. What `handle` throws is an ordinary answer; a file that breaks off is cut off. */
export function mountDownload<Name extends DownloadName>(
  app: FastifyInstance,
  name: Name,
  handle: (input: HandlerInput<Endpoints[Name]>, exchange: Exchange) => Promise<Download>,
): void {
  const { file }: Endpoint = endpoints[name];
  route(app, name, undefined, async (input, exchange) => {
    const { name: fileName, content } = await handle(input as HandlerInput<Endpoints[Name]>, exchange);
    return exchange.reply
      .type(file ?? 'application/octet-stream')
      .header('content-disposition', `attachment; filename="${fileName.replaceAll(/[^\w.-]/gu, '-')}"`)
      .send(content);
  });
}

function route(
  app: FastifyInstance,
  name: keyof Endpoints & EndpointName,
  admit: AllowBody | undefined,
  answer: (input: object, exchange: Exchange) => Promise<FastifyReply>,
): void {
  const endpoint: Endpoint = endpoints[name];
  const [method, path] = name.split(' ') as [string, string];
  app.route({
    method,
    config: { load: 'call' },
    url: path.replaceAll(/\{(\w+)\}/gu, ':$1'),
    ...(endpoint.body && { bodyLimit: endpoint.maxBodyBytes ?? defaultBodyLimitBytes }),
    ...(admit && {
      onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
        await admit({ request, reply }).catch((error: unknown) => {
          // What is still on its way is not waited for.
          reply.header('connection', 'close');
          throw error;
        });
      },
    }),
    schema: {
      summary: endpoint.summary,
      ...(endpoint.problems && { description: `Fails with ${endpoint.problems.join(', ')}.` }),
      tags: [path.split('/')[2] ?? ''],
      ...(endpoint.params && { params: endpoint.params }),
      ...(endpoint.query && { querystring: endpoint.query }),
      ...(endpoint.body && { body: endpoint.body }),
      ...(endpoint.response && { response: { 200: endpoint.response } }),
      ...(endpoint.file && {
        response: { 200: { description: 'A file', content: { [endpoint.file]: { schema: z.unknown() } } } },
      }),
    },
    handler: async (request, reply) => {
      const { params, query, body } = request;
      // What a person may see changes with who asks and when: nothing of it stays in a cache.
      reply.header('cache-control', 'no-store');
      return answer({ params, query, body }, { request, reply });
    },
  });
}

/** Parsing, checking, and errors as answers (RFC 9457). */
export function setUpHttp(app: FastifyInstance, { publicUrl }: { publicUrl: string }, metrics: Metrics): void {
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.addHook('onRequest', async (request) => requireOwnOrigin(request, publicUrl));

  const refused = createRefusalCounter(metrics);
  app.setErrorHandler((error, request, reply) => {
    const problem = problemFor(error, request);
    if (problem.limit !== undefined) {
      refused.inc({ limit: problem.limit });
      setRefusingLimit(request, problem.limit);
    }
    return sendProblem(reply, problem);
  });
}

/** The one place where errors become answers; what nobody has expected is logged whole and answered with the request's id. */
export function problemFor(error: unknown, { id, log }: Pick<FastifyRequest, 'id' | 'log'>): ProblemError {
  const problem = toProblem(error);
  if (problem.code === 'internal') {
    log.error({ err: error }, 'unexpected error');
    return new ProblemError('internal', { reference: id });
  }
  if (problem.code === 'unavailable') log.warn({ err: error }, 'unavailable');
  if (problem.code === 'insufficient-storage' || isDiskError(problem.cause)) logDiskError(log, problem.cause);
  return problem;
}

export function sendProblem(reply: FastifyReply, problem: ProblemError): FastifyReply {
  const { retryAfter } = problem.body;
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  return reply
    .code(problem.status)
    .header('cache-control', 'no-store')
    .type('application/problem+json')
    .serializer(JSON.stringify)
    .send(problem.body);
}

/**
 * A browser says where a request comes from; a write must come from our own pages. Cookies of SameSite=Lax already stay
 * at home on cross-site writes; this holds where they do not: sibling sites of the same domain, and old browsers.
 */
function requireOwnOrigin(request: FastifyRequest, publicUrl: string): void {
  if (request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS') return;
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site === 'same-origin' || origin === publicUrl) return;
  throw new ProblemError('origin-refused', {
    detail:
      site === undefined && origin === undefined
        ? `Send the header "Origin: ${publicUrl}" with every request that changes something.`
        : `This server answers for ${publicUrl}. If people should use another address, set PUBLIC_URL to it.`,
  });
}

/**
 * PostgreSQL's and the network's ways to say "not now": the database is away, starting, stopping, overloaded, or a replica
 * that is about to take over and does not write yet.
 */
const unavailableCodes = new Set(
  'ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN 57P01 57P02 57P03 57014 53300 08000 08001 08003 08006 25006 40001 40P01 55P03'.split(
    ' ',
  ),
);

/** The driver's ways to say the same, which have no code. */
const unavailableMessages =
  /timeout exceeded when trying to connect|Connection terminated|Query read timeout|is not queryable|Cannot use a pool after calling end/u;

function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (hasZodFastifySchemaValidationErrors(error)) {
    const inBody = error.validationContext === 'body';
    const errors: FieldProblem[] = error.validation.map(({ instancePath, message }) => ({
      pointer: instancePath,
      message: message ?? '',
    }));
    return new ProblemError(inBody ? 'validation-failed' : 'malformed-request', { errors });
  }
  const { code, syscall, statusCode, message } = error as {
    code?: string;
    syscall?: string;
    statusCode?: number;
    message?: string;
  };
  // Somebody is about to make room.
  if (isDiskError(error)) return new ProblemError('unavailable', { retryAfter: 30, cause: error });
  // Node's words for a visitor who hangs up before all has been said: no outage, and nobody is there to be answered.
  if (code === 'ECONNRESET' && message === 'aborted') return new ProblemError('malformed-request', { cause: error });
  // The embedded database's socket is gone; any other file that is missing is a fault of ours.
  const isSocketGone = code === 'ENOENT' && syscall === 'connect';
  if (isSocketGone || unavailableCodes.has(code ?? '') || unavailableMessages.test(message ?? ''))
    return new ProblemError('unavailable', { retryAfter: 2, cause: error });
  // Text that PostgreSQL cannot hold, such as a NUL in a query string.
  if (code === '22021') return new ProblemError('malformed-request', { cause: error });
  if (statusCode === 413) return new ProblemError('payload-too-large');
  if (statusCode === 415) return new ProblemError('unsupported-media-type', { detail: 'Send application/json.' });
  if (statusCode === 404) return new ProblemError('not-found');
  if (statusCode !== undefined && statusCode < 500) {
    return new ProblemError('malformed-request', message === undefined ? {} : { detail: message });
  }
  return new ProblemError('internal', { cause: error });
}
