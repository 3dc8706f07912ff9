import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { type CallParts, toWireRequest } from '#contract/call.ts';
import type { HandlerResult, Endpoint, EndpointName, EventOf, HandlerInput } from '#contract/endpoint.ts';
import { type Endpoints, endpoints } from '#contract/endpoints.ts';
import { describeEndpoint } from '#server/platform/http/api-description.ts';
import { type EventStream, mountStream } from '#server/platform/http/event-stream.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { compileEncoder } from '#server/platform/http/response-encoder.ts';
import type { Exchange } from '#server/platform/http/set-up-http.ts';
import type { ListingAudience } from '#server/db/schema.ts';
import type { Context } from '../context.ts';
import { toListingAudience } from '../people/visibility.ts';
import type { Authorize, CallerOf } from './access.ts';

type Name = keyof Endpoints & EndpointName;

type NameOf<Part> = { [N in Name]: Endpoints[N] extends Part ? N : never }[Name];

type Call<N extends Name> = Exchange & CallerOf<Endpoints[N]['access']>;

type Handle<N extends Name, Result = HandlerResult<Endpoints[N]>> = (
  input: HandlerInput<Endpoints[N]>,
  call: Call<N>,
) => Promise<Result>;

const defaultBodyLimitBytes = 64_000;

/**
 * Adds the route of one call. The access rule of the contract is checked before the handler runs. The schemas of the
 * contract parse the input and encode the output field by field, so columns that the contract does not name cannot
 * leak.
 */
export function mount<N extends Name>(app: FastifyInstance, name: N, handle: Handle<N>): void {
  const { response }: Endpoint = endpoints[name];
  route(app, name, async (input, call) => {
    const result = await handle(input as HandlerInput<Endpoints[N]>, call as Call<N>);
    return response ? call.reply.send(result) : call.reply.code(204).send();
  });
  if (name.startsWith('GET ') && response)
    app.reads.set(name, async ({ input, exchange }) => {
      const call = (await authorize(app, name, exchange)) as Call<N>;
      return compileEncoder(response)(await handle(input as HandlerInput<Endpoints[N]>, call));
    });
}

interface CacheOptions {
  /** Default: that of the visitor. */
  readonly audience?: ListingAudience;
  /** Counts each request against a limit, even when its response is cached. Throws a ProblemError above the limit. */
  readonly countRequest?: (exchange: Exchange, query: { limit: number }) => Promise<void>;
  /**
   * Returns whether a response is cached. Default: all are. Responses that few people request would only fill the
   * memory.
   */
  readonly isCached?: (query: { after?: string }) => boolean;
}

/**
 * Adds the route of a call whose response depends only on the URL and the audience of the request. Each response is
 * created and encoded once per second for all requests of that audience.
 */
export function mountCached<N extends NameOf<{ access: 'everyone' }>>(
  app: FastifyInstance,
  { authentication, listCache }: Pick<Context, 'authentication' | 'listCache'>,
  name: N,
  handle: (input: HandlerInput<Endpoints[N]>, audience: ListingAudience) => Promise<HandlerResult<Endpoints[N]>>,
  { audience: fixed, countRequest, isCached }: CacheOptions = {},
): void {
  const { response: schema }: Endpoint = endpoints[name];
  const encode = compileEncoder(schema ?? z.unknown());
  const answer = async ({ url, input, exchange }: Read) => {
    await countRequest?.(exchange, (input as { query: { limit: number } }).query);
    const audience = fixed ?? toListingAudience((await authentication.authenticate(exchange))?.account);
    const create = async () => encode(await handle(input as HandlerInput<Endpoints[N]>, audience));
    if (isCached?.((input as { query: { after?: string } }).query) === false) return create();
    return listCache.getOrCreate(`${audience} ${url}`, create);
  };
  route(app, name, async (input, exchange) => {
    const response = await answer({ url: exchange.request.url, input, exchange });
    return exchange.reply.type('application/json; charset=utf-8').serializer(String).send(response);
  });
  app.reads.set(name, answer);
}

declare module 'fastify' {
  interface FastifyInstance {
    authorize: Authorize;
    reads: Map<EndpointName, (read: Read) => Promise<string>>;
  }
  interface FastifyContextConfig {
    readonly isUpload?: boolean;
  }
}

export function setUpCalls(app: FastifyInstance, authorize: Authorize): void {
  app.decorate('authorize', authorize);
  app.decorate('reads', new Map());
}

interface Read {
  readonly url: string;
  readonly input: object;
  readonly exchange: Exchange;
}

/**
 * Makes a GET call in process as part of another request, with the same validation, authentication, limits and encoding
 * as over HTTP.
 * The request is authenticated once for all its calls.
 * @returns the body of the response
 * @throws ProblemError
 */
export async function read(app: FastifyInstance, name: Name, input: CallParts, exchange: Exchange): Promise<unknown> {
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

export interface Download {
  /** The suggested file name. Characters other than letters, digits, `_`, `.` and `-` are replaced. */
  readonly name: string;
  readonly content: Readable | Buffer;
}

/**
 * Adds the route of a call that responds with a download. If `content` fails while it is sent, the connection is
 * closed.
 */
export function mountDownload<N extends NameOf<{ file: string }>>(
  app: FastifyInstance,
  name: N,
  handle: Handle<N, Download>,
): void {
  const { file } = endpoints[name];
  route(app, name, async (input, call) => {
    // The handler can replace it by a narrower type.
    call.reply.type(file);
    const { name: fileName, content } = await handle(input as HandlerInput<Endpoints[N]>, call as Call<N>);
    return call.reply
      .header('content-disposition', `attachment; filename="${fileName.replaceAll(/[^\w.-]/gu, '-')}"`)
      .send(content);
  });
}

/**
 * Adds the route of a call whose body is a file. The handler reads the stream, which ends with an error after
 * `maxBodyBytes`.
 */
export function mountUpload<N extends NameOf<{ upload: string }>>(
  app: FastifyInstance,
  name: N,
  handle: (input: HandlerInput<Endpoints[N]>, call: Call<N>, content: Readable) => Promise<HandlerResult<Endpoints[N]>>,
): void {
  const { upload, maxBodyBytes } = endpoints[name];
  // A scope of its own, so that other routes refuse this media type.
  void app.register((scope, _, done) => {
    scope.addContentTypeParser(upload, (_, payload, parsed) => parsed(null, payload));
    route(scope, name, async (input, call) => {
      const { body } = call.request;
      if (!(body instanceof Readable))
        throw new ProblemError('unsupported-media-type', { detail: `Send the file as ${upload}.` });
      if (Number(call.request.headers['content-length']) > maxBodyBytes) throw new ProblemError('payload-too-large');
      const content = Readable.from(limitBytes(body, maxBodyBytes));
      const result = await handle(input as HandlerInput<Endpoints[N]>, call as Call<N>, content).catch(
        (error: unknown) => {
          if (!body.readableEnded) closeConnection(call.reply);
          throw error;
        },
      );
      return call.reply.send(result);
    });
    done();
  });
}

/**
 * Passes on the chunks of a body, whose length may be unknown.
 * @throws ProblemError payload-too-large. Leaves the connection open, so that the client receives the response.
 */
async function* limitBytes(body: Readable, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new ProblemError('payload-too-large');
    yield chunk;
  }
}

export function mountEvents<N extends NameOf<{ events: unknown }>>(
  app: FastifyInstance,
  shutdown: AbortSignal,
  name: N,
  open: (call: Call<N>) => Promise<(stream: EventStream<EventOf<Endpoints[N]>>) => () => void>,
): void {
  mountStream(app, shutdown, name, async (exchange) => open((await authorize(app, name, exchange)) as Call<N>));
}

function route(
  app: FastifyInstance,
  name: Name,
  respond: (input: object, call: Exchange) => Promise<FastifyReply>,
): void {
  const endpoint: Endpoint = endpoints[name];
  const [method, path] = name.split(' ') as [string, string];
  app.route({
    method,
    config: { load: 'call', isUpload: endpoint.upload !== undefined },
    url: path.replaceAll(/\{(\w+)\}/gu, ':$1'),
    ...(endpoint.body && { bodyLimit: endpoint.maxBodyBytes ?? defaultBodyLimitBytes }),
    ...(endpoint.maxBodyBytes !== undefined && {
      // Checks the caller of a large body before the body is read, too.
      onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
        await authorize(app, name, { request, reply }).catch((error: unknown) => {
          closeConnection(reply);
          throw error;
        });
      },
    }),
    schema: {
      ...describeEndpoint(name),
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
      return respond({ params, query, body }, await authorize(app, name, { request, reply }));
    },
  });
}

const authorize = async (app: FastifyInstance, name: Name, exchange: Exchange): Promise<Exchange> => ({
  ...exchange,
  ...(await app.authorize(endpoints[name], exchange)),
});

const closeConnection = (reply: FastifyReply) => reply.header('connection', 'close');
