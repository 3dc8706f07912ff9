import type { CallInput, CallResult, EndpointName } from './endpoint.ts';
import type { Endpoints } from './endpoints.ts';

type Query = Record<string, string | number | boolean | undefined>;

/** The parts of a call's input, before they are put on the wire. */
interface CallParts {
  params?: Record<string, string>;
  query?: Query;
  body?: unknown;
}

export interface WireRequest {
  method: string;
  /** Path and query, on our own origin. */
  url: string;
  body?: unknown;
}

/**
 * Calls one endpoint of the contract by its name. Only the contract's *types* are involved, so that a page which lists
 * people does not carry the schemas of the whole product to a phone; the server checks what comes in and what leaves.
 */
export type Call = <Name extends keyof Endpoints & EndpointName>(
  name: Name,
  ...input: unknown extends CallInput<Endpoints[Name]> ? [] : [input: CallInput<Endpoints[Name]>]
) => Promise<CallResult<Endpoints[Name]>>;

/** Turns a call into method, URL and body: parameters fill the braces, undefined query values are left out. */
export function toWire(name: EndpointName, input: CallParts = {}): WireRequest {
  const [method, template] = name.split(' ') as [string, string];
  const path = template.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(input.params?.[key] ?? ''));
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined && value !== '') query.set(key, String(value));
  }
  const search = query.size > 0 ? `?${query}` : '';
  return { method, url: path + search, ...(input.body === undefined ? {} : { body: input.body }) };
}
