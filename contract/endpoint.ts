import type * as z from 'zod/mini';
import type { ProblemCode } from './problem.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** How a call is named everywhere: its method and its path, with parameters in braces, e.g. `GET /api/users/{id}`. */
export type EndpointName = `${Method} /api/${string}`;

type Schema = z.ZodMiniType;

/** What one HTTP call accepts and answers. The server mounts it, the browser calls it by its name. */
export interface Endpoint {
  readonly summary: string;
  readonly params?: Schema;
  readonly query?: Schema;
  readonly body?: Schema;
  /** Bytes that its body may have, where a few lines of text are not enough. The server then has to say who may send one. */
  readonly maxBodyBytes?: number;
  /** The body of a 200 answer; an endpoint without one answers 204. */
  readonly response?: Schema;
  /** The data of each event of an endless answer (server-sent events); a call with them has no other answer. */
  readonly events?: Schema;
  /** The media type of the file that it answers with, for saving; a call with one has no other answer. */
  readonly file?: string;
  /** The codes this call can fail with, beside `commonProblems` (`contract/problem.ts`). */
  readonly problems?: readonly ProblemCode[];
}

/** A feature's calls by their names. Writing them through this function keeps every schema's own type. */
export function defineEndpoints<const E extends Record<EndpointName, Endpoint>>(endpoints: E): E {
  return endpoints;
}

type InputOf<E, Part extends 'params' | 'query' | 'body'> =
  E extends Record<Part, infer S extends Schema> ? { [P in Part]: z.input<S> } : unknown;

/** What a caller hands over: `params`, `query` and `body`, those that the endpoint declares. */
export type CallInput<E> = InputOf<E, 'params'> & InputOf<E, 'query'> & InputOf<E, 'body'>;

type ParsedOf<E, Part extends 'params' | 'query' | 'body'> =
  E extends Record<Part, infer S extends Schema> ? { [P in Part]: z.output<S> } : unknown;

/** What a handler receives: the same, parsed. */
export type HandlerInput<E> = ParsedOf<E, 'params'> & ParsedOf<E, 'query'> & ParsedOf<E, 'body'>;

/** What each event of a call carries. */
export type EventOf<E> = E extends { events: infer S extends Schema } ? z.output<S> : never;

/** What the call answers. */
export type CallResult<E> = E extends { response: infer S extends Schema } ? z.output<S> : void;
