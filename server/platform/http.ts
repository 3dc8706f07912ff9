import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { hasZodFastifySchemaValidationErrors, serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import type { CallResult, Endpoint, EndpointName, HandlerInput } from '#contract/endpoint.ts';
import { type Endpoints, endpoints } from '#contract/endpoints.ts';
import type { FieldProblem } from '#contract/problem.ts';
import type { Log } from './log.ts';
import type { SharedAnswers } from './shared-answers.ts';
import { newToken } from './tokens.ts';
import { ProblemError } from './problem.ts';

/** The HTTP side of one call, for handlers that set cookies or read addresses. */
export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

type Handle<E> = (input: HandlerInput<E>, exchange: Exchange) => Promise<CallResult<E>>;

/** Decides by headers and address alone whether somebody may send a body at all; throws when not. */
export type Admit = (exchange: Exchange) => Promise<void>;

/** Bytes; a few lines of text. */
const usualBodyLimit = 64_000;

/**
 * Mounts one call of the contract. What comes in is parsed by the contract's schemas, what leaves is encoded by them,
 * field by field: a column that the contract does not name cannot leak. A call with a `bodyLimit` of its own needs
 * somebody to `admit` it.
 */
export function mount<Name extends keyof Endpoints & EndpointName>(
  app: FastifyInstance,
  name: Name,
  handle: Handle<Endpoints[Name]>,
  ...[admit]: Endpoints[Name] extends { bodyLimit: number } ? [admit: Admit] : []
): void {
  const { response }: Endpoint = endpoints[name];
  route(app, name, admit, async (input, exchange) => {
    const result = await handle(input as HandlerInput<Endpoints[Name]>, exchange);
    const { reply } = exchange;
    return response ? reply.send(result) : reply.code(204).send();
  });
}

/**
 * Mounts a call whose answer depends on what was asked and on the `audience` of whoever asks, and on nothing else: it is
 * made and encoded once for all who ask within a moment.
 */
export function mountShared<Name extends keyof Endpoints & EndpointName, Audience extends string>(
  app: FastifyInstance,
  name: Name,
  { answers, audienceOf }: { answers: SharedAnswers; audienceOf: (exchange: Exchange) => Promise<Audience> },
  handle: (input: HandlerInput<Endpoints[Name]>, audience: Audience) => Promise<CallResult<Endpoints[Name]>>,
): void {
  const { response: schema }: Endpoint = endpoints[name];
  const encode = serializerCompiler({ schema: schema ?? z.unknown(), method: 'GET', url: name });
  route(app, name, undefined, async (input, exchange) => {
    const { request, reply } = exchange;
    const audience = await audienceOf(exchange);
    const answer = await answers.share(`${audience} ${request.url}`, async () =>
      encode(await handle(input as HandlerInput<Endpoints[Name]>, audience)),
    );
    return reply.type('application/json; charset=utf-8').serializer(String).send(answer);
  });
}

/** A file to be saved, piece by piece as it is made. */
export interface FileAnswer {
  /** Under which a browser saves it: letters, digits, dots and hyphens. */
  readonly name: string;
  readonly content: Readable;
}

type Downloads = {
  [Name in keyof Endpoints]: Endpoints[Name] extends { file: string } ? Name : never;
}[keyof Endpoints] &
  EndpointName;

/** Mounts a call that answers with a file. What `handle` throws is an ordinary answer; a file that breaks off is cut off. */
export function mountFile<Name extends Downloads>(
  app: FastifyInstance,
  name: Name,
  handle: (input: HandlerInput<Endpoints[Name]>, exchange: Exchange) => Promise<FileAnswer>,
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
  admit: Admit | undefined,
  answer: (input: object, exchange: Exchange) => Promise<FastifyReply>,
): void {
  const endpoint: Endpoint = endpoints[name];
  const [method, path] = name.split(' ') as [string, string];
  app.route({
    method,
    url: path.replaceAll(/\{(\w+)\}/gu, ':$1'),
    ...(endpoint.body && { bodyLimit: endpoint.bodyLimit ?? usualBodyLimit }),
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
export function setUpHttp(app: FastifyInstance, { publicUrl }: { publicUrl: string }): void {
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.addHook('onRequest', async (request) => requireOwnOrigin(request, publicUrl));

  app.setErrorHandler((error, request, reply) => sendProblem(reply, problemFor(error, request.log)));
}

/** The one place where errors become answers; what nobody has expected is logged whole and answered with a reference. */
export function problemFor(error: unknown, log: Log): ProblemError {
  const problem = toProblem(error);
  if (problem.code === 'internal') {
    const reference = newToken().token.slice(0, 10);
    log.error({ err: error, reference }, 'unexpected error');
    return new ProblemError('internal', { reference });
  }
  if (problem.code === 'unavailable') log.warn({ err: error }, 'unavailable');
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

/** PostgreSQL's and the network's ways to say "not now": the database is away, starting, stopping, or overloaded. */
const unavailableCodes = new Set(['ECONNREFUSED', 'ECONNRESET', '57P01', '57P02', '57P03', '53300', '57014', '08006']);

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
  // Node's words for a visitor who hangs up before all has been said: no outage, and nobody is there to be answered.
  if (code === 'ECONNRESET' && message === 'aborted') return new ProblemError('malformed-request', { cause: error });
  // The embedded database's socket is gone; any other file that is missing is a fault of ours.
  const isSocketGone = code === 'ENOENT' && syscall === 'connect';
  if (isSocketGone || (code && unavailableCodes.has(code)))
    return new ProblemError('unavailable', { retryAfter: 2, cause: error });
  if (/timeout exceeded when trying to connect|Connection terminated/u.test(message ?? '')) {
    return new ProblemError('unavailable', { retryAfter: 2, cause: error });
  }
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
