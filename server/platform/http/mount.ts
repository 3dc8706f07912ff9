import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { hasZodFastifySchemaValidationErrors, validatorCompiler } from 'fastify-type-provider-zod';
import { type CallParts, toWireRequest } from '#contract/call.ts';
import type { HandlerResult, Endpoint, EndpointName, HandlerInput } from '#contract/endpoint.ts';
import { type Endpoints, endpoints } from '#contract/endpoints.ts';
import type { FieldProblem } from '#contract/problem.ts';
import { isDiskError, logDiskError } from '../storage/disk-reserve.ts';
import type { ResponseCache } from './response-cache.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { ProblemError } from './problem.ts';
import { compileEncoder } from './response-encoder.ts';
import { setRefusingLimit } from '../log/request-log.ts';
import { createRefusalCounter } from '../metrics/request-metrics.ts';

/** Request and reply of a call, for handlers that set cookies or read the IP address. */
export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

type Handle<E> = (input: HandlerInput<E>, exchange: Exchange) => Promise<HandlerResult<E>>;

/** Checks headers and IP address before a large body is read. Throws to refuse the request. */
export type AllowBody = (exchange: Exchange) => Promise<void>;

/** Default size limit of request bodies, enough for a few paragraphs of text. */
const defaultBodyLimitBytes = 64_000;

/**
 * Adds the route of one call. The contract's schemas parse the input and encode the output field by field, so columns that the
 * contract does not name cannot leak. Calls that set `maxBodyBytes` must pass `allowBody`.
 */
export function mount<Name extends keyof Endpoints & EndpointName>(
  app: FastifyInstance,
  name: Name,
  handle: Handle<Endpoints[Name]>,
  ...[allowBody]: Endpoints[Name] extends { maxBodyBytes: number } ? [allowBody: AllowBody] : []
): void {
  const { response }: Endpoint = endpoints[name];
  route(app, name, allowBody, async (input, exchange) => {
    const result = await handle(input as HandlerInput<Endpoints[Name]>, exchange);
    const { reply } = exchange;
    return response ? reply.send(result) : reply.code(204).send();
  });
  if (name.startsWith('GET ') && response) {
    let encode: ReturnType<typeof compileEncoder> | undefined;
    app.reads.set(name, async ({ input, exchange }) => {
      encode ??= compileEncoder(response);
      return encode(await handle(input as HandlerInput<Endpoints[Name]>, exchange));
    });
  }
}

/** Options of `mountCached`. */
export interface CachedCall<Audience extends string> {
  readonly cache: ResponseCache;
  /** Returns the audience that a request belongs to. */
  readonly audienceOf: (exchange: Exchange) => Promise<Audience>;
  /** Counts each request against a limit, even when its response is cached. Throws a ProblemError above the limit. */
  readonly countRequest?: (exchange: Exchange, query: { limit: number }) => Promise<void>;
  /** Returns whether a response is cached. Default: all are. Responses that few people request would only fill the memory. */
  readonly isCached?: (query: { after?: string }) => boolean;
}

/**
 * Adds the route of a call whose response depends only on the URL and the audience of the request. Each response is created and encoded
 * once per second for all requests of that audience.
 */
export function mountCached<Name extends keyof Endpoints & EndpointName, Audience extends string>(
  app: FastifyInstance,
  name: Name,
  { cache, audienceOf, countRequest, isCached }: CachedCall<Audience>,
  handle: (input: HandlerInput<Endpoints[Name]>, audience: Audience) => Promise<HandlerResult<Endpoints[Name]>>,
): void {
  const { response: schema }: Endpoint = endpoints[name];
  const encode = compileEncoder(schema ?? z.unknown());
  const answer = async ({ url, input, exchange }: Read) => {
    await countRequest?.(exchange, (input as { query: { limit: number } }).query);
    const audience = await audienceOf(exchange);
    const create = async () => encode(await handle(input as HandlerInput<Endpoints[Name]>, audience));
    if (isCached?.((input as { query: { after?: string } }).query) === false) return create();
    return cache.getOrCreate(`${audience} ${url}`, create);
  };
  route(app, name, undefined, async (input, exchange) => {
    const response = await answer({ url: exchange.request.url, input, exchange });
    return exchange.reply.type('application/json; charset=utf-8').serializer(String).send(response);
  });
  app.reads.set(name, answer);
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The GET calls of the API, for pages. */
    reads: Map<EndpointName, (read: Read) => Promise<string>>;
    /** Converts any error of a request to a problem. Logs it, and counts the refusals of limits. */
    toProblem: (error: unknown, request: FastifyRequest) => ProblemError;
  }
  interface FastifyContextConfig {
    /** Whether the body of a request is a file, which can take minutes to arrive while the handler runs. */
    readonly isUpload?: boolean;
    /** Whether writes may come from anywhere, because a code in the URL is the only credential and cookies are ignored. */
    readonly acceptsAnyOrigin?: boolean;
  }
}

/** A GET call that a page makes in process. */
interface Read {
  readonly url: string;
  readonly input: object;
  readonly exchange: Exchange;
}

/**
 * Makes a GET call in process as part of another request, with the same validation, authentication, limits and encoding as over HTTP.
 * The request is authenticated once for all its calls.
 * @returns the body of the response
 * @throws ProblemError
 */
export async function read(
  app: FastifyInstance,
  name: keyof Endpoints & EndpointName,
  input: CallParts,
  exchange: Exchange,
): Promise<unknown> {
  const answer = app.reads.get(name);
  if (!answer) throw new ProblemError('not-found');
  const { url } = toWireRequest(name, input);
  const { params, query }: Endpoint = endpoints[name];
  const parsed = {
    params: params && z.safeParse(params, input.params),
    query: query && z.safeParse(query, Object.fromEntries(new URLSearchParams(url.split('?')[1]))),
  };
  if (parsed.params?.success === false || parsed.query?.success === false) throw new ProblemError('malformed-request');
  const text = await answer({ url, input: { params: parsed.params?.data, query: parsed.query?.data }, exchange });
  return JSON.parse(text) as unknown;
}

/** A file that is sent as a download, while it is being created. */
export interface Download {
  /** The suggested file name. Characters other than letters, digits, `_`, `.` and `-` are replaced. */
  readonly name: string;
  readonly content: Readable;
}

type DownloadName = {
  [Name in keyof Endpoints]: Endpoints[Name] extends { file: string } ? Name : never;
}[keyof Endpoints] &
  EndpointName;

/** Adds the route of a call that responds with a download. If `content` fails while it is sent, the connection is closed. */
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

type UploadName = {
  [Name in keyof Endpoints]: Endpoints[Name] extends { upload: string } ? Name : never;
}[keyof Endpoints] &
  EndpointName;

/**
 * Adds the route of a call whose body is a file. The handler reads the stream and limits its length to `maxBodyBytes`.
 * @param allowBody checks the sender before the file is read
 */
export function mountUpload<Name extends UploadName>(
  app: FastifyInstance,
  name: Name,
  handle: (
    input: HandlerInput<Endpoints[Name]>,
    exchange: Exchange,
    content: Readable,
  ) => Promise<HandlerResult<Endpoints[Name]>>,
  allowBody: AllowBody,
): void {
  const { upload, maxBodyBytes } = endpoints[name];
  // A scope of its own, so that other routes refuse this media type.
  void app.register((scope, _, done) => {
    scope.addContentTypeParser(upload, (_, payload, parsed) => parsed(null, payload));
    route(scope, name, allowBody, async (input, exchange) => {
      const { body } = exchange.request;
      if (!(body instanceof Readable))
        throw new ProblemError('unsupported-media-type', { detail: `Send the file as ${upload}.` });
      if (Number(exchange.request.headers['content-length']) > maxBodyBytes)
        throw new ProblemError('payload-too-large');
      const content = Readable.from(
        limitBytes(body, maxBodyBytes, () => {
          exchange.reply.header('connection', 'close');
        }),
      );
      return exchange.reply.send(await handle(input as HandlerInput<Endpoints[Name]>, exchange, content));
    });
    done();
  });
}

/**
 * Passes on the chunks of a body, whose length may be unknown.
 * @throws ProblemError payload-too-large. Leaves the connection open, so that the client receives the response.
 */
async function* limitBytes(body: Readable, maxBytes: number, onTooLarge: () => void): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      onTooLarge();
      throw new ProblemError('payload-too-large');
    }
    yield chunk;
  }
}

function route(
  app: FastifyInstance,
  name: keyof Endpoints & EndpointName,
  allowBody: AllowBody | undefined,
  respond: (input: object, exchange: Exchange) => Promise<FastifyReply>,
): void {
  const endpoint: Endpoint = endpoints[name];
  const [method, path] = name.split(' ') as [string, string];
  app.route({
    method,
    config: { load: 'call', isUpload: endpoint.upload !== undefined },
    url: path.replaceAll(/\{(\w+)\}/gu, ':$1'),
    ...(endpoint.body && { bodyLimit: endpoint.maxBodyBytes ?? defaultBodyLimitBytes }),
    ...(allowBody && {
      onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
        await allowBody({ request, reply }).catch((error: unknown) => {
          // Closes the connection instead of waiting for the rest of the request body.
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
      // Responses depend on the user and the time, so they must not be cached.
      reply.header('cache-control', 'no-store');
      return respond({ params, query, body }, { request, reply });
    },
  });
}

/** Sets up schema validation, the origin check, and error responses (RFC 9457). */
export function setUpHttp(app: FastifyInstance, { publicUrl }: { publicUrl: string }, metrics: Metrics): void {
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler<z.ZodMiniType>(({ schema }) => compileEncoder(schema));
  app.decorate('reads', new Map());
  app.addHook('onRequest', (request, _, done) => {
    requireOwnOrigin(request, publicUrl);
    done();
  });

  const refused = createRefusalCounter(metrics);
  app.decorate('toProblem', (error, request) => {
    const problem = problemFor(error, request);
    if (problem.limit !== undefined) {
      refused.inc({ limit: problem.limit });
      setRefusingLimit(request, problem.limit);
    }
    return problem;
  });
  app.setErrorHandler((error, request, reply) => sendProblem(reply, app.toProblem(error, request)));
}

/** Converts any error to a problem. Unexpected errors are logged; the response contains only the request id as a reference. */
export function problemFor(error: unknown, { id, log }: Pick<FastifyRequest, 'id' | 'log'>): ProblemError {
  const problem = toProblem(error);
  if (problem.code === 'internal') {
    log.error({ err: error }, 'unexpected error');
    return new ProblemError('internal', { reference: id });
  }
  if (problem.code === 'unavailable') log.warn({ err: error }, 'Service unavailable');
  if (problem.code === 'insufficient-storage' || isDiskError(problem.cause)) logDiskError(log, problem.cause);
  return problem;
}

/** Sends a problem as application/problem+json. */
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
 * Protects writes against CSRF: the headers `Sec-Fetch-Site` or `Origin` must name our own origin. Cookies with SameSite=Lax already
 * stop cross-site writes. This check also covers sibling sites of the same domain and old browsers.
 */
function requireOwnOrigin(request: FastifyRequest, publicUrl: string): void {
  if (request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS') return;
  if (request.routeOptions.config.acceptsAnyOrigin) return;
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site === 'same-origin' || origin === publicUrl) return;
  throw new ProblemError('origin-refused', {
    detail:
      site === undefined && origin === undefined
        ? `Send the header "Origin: ${publicUrl}" with every request that changes something.`
        : `This server accepts writes from ${publicUrl} only. To use another address, set PUBLIC_URL.`,
  });
}

/**
 * Error codes of PostgreSQL and the network for a database that is temporarily unavailable: unreachable, starting, stopping,
 * overloaded, or a read-only replica during a failover.
 */
const unavailableCodes = new Set(
  'ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN 57P01 57P02 57P03 57014 53300 08000 08001 08003 08006 25006 40001 40P01 55P03'.split(
    ' ',
  ),
);

/** Matches driver errors without a code that also mean that the database is temporarily unavailable. */
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
  // A full disk is a temporary condition: the operator can free space.
  if (isDiskError(error)) return new ProblemError('unavailable', { retryAfter: 30, cause: error });
  // The client disconnected before the body was complete, which is not an outage.
  if (code === 'ECONNRESET' && message === 'aborted') return new ProblemError('malformed-request', { cause: error });
  // The socket of the embedded database is missing. Any other missing file is a bug.
  const isSocketGone = code === 'ENOENT' && syscall === 'connect';
  if (isSocketGone || unavailableCodes.has(code ?? '') || unavailableMessages.test(message ?? ''))
    return new ProblemError('unavailable', { retryAfter: 2, cause: error });
  // Text that PostgreSQL cannot store, such as a NUL character in a query string.
  if (code === '22021') return new ProblemError('malformed-request', { cause: error });
  if (statusCode === 413) return new ProblemError('payload-too-large');
  if (statusCode === 415)
    return new ProblemError('unsupported-media-type', { detail: 'Send the body as application/json.' });
  if (statusCode === 404) return new ProblemError('not-found');
  if (statusCode !== undefined && statusCode < 500) {
    return new ProblemError('malformed-request', message === undefined ? {} : { detail: message });
  }
  return new ProblemError('internal', { cause: error });
}
