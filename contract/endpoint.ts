import type * as z from 'zod/mini';
import type { AccessRule } from './access.ts';
import type { ProblemCode } from './problem.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export type EndpointName = `${Method} /api/${string}`;

type Schema = z.ZodMiniType;

export interface Endpoint extends AccessRule {
  readonly summary: string;
  readonly params?: Schema;
  readonly query?: Schema;
  readonly body?: Schema;
  readonly maxBodyBytes?: number;
  /** The body of a 200 response. Endpoints without this schema respond with 204. */
  readonly response?: Schema;
  /** The data of each server-sent event. An endpoint with events has no other response. */
  readonly events?: Schema;
  /**
   * The media type of an uploaded file, which is the request body. The handler receives it as a stream of up to
   * `maxBodyBytes`.
   */
  readonly upload?: string;
  readonly file?: string;
  /**
   * Problem codes of this endpoint, in addition to those of its access and `commonProblems`: see `listProblems`
   * (`contract/access.ts`).
   */
  readonly problems?: readonly ProblemCode[];
}

/**
 * Returns the endpoints of a feature unchanged. Preserves the type of each schema, which a type annotation would widen.
 */
export function defineEndpoints<const E extends Record<EndpointName, Endpoint>>(endpoints: E): E {
  return endpoints;
}

type InputOf<E, Part extends 'params' | 'query' | 'body'> =
  E extends Record<Part, infer S extends Schema> ? { [P in Part]: z.input<S> } : unknown;

export type CallInput<E> = InputOf<E, 'params'> & InputOf<E, 'query'> & InputOf<E, 'body'>;

type ParsedOf<E, Part extends 'params' | 'query' | 'body'> =
  E extends Record<Part, infer S extends Schema> ? { [P in Part]: z.output<S> } : unknown;

export type HandlerInput<E> = ParsedOf<E, 'params'> & ParsedOf<E, 'query'> & ParsedOf<E, 'body'>;

export type EventOf<E> = E extends { events: infer S extends Schema } ? z.output<S> : never;

export type CallResult<E> = E extends { response: infer S extends Schema } ? z.output<S> : void;

/** What a handler returns: the response body before it is encoded, with times as `Date`. */
export type HandlerResult<E> = E extends { response: infer S extends Schema } ? z.input<S> : void;
