import type { CallInput, CallResult, EndpointName } from './endpoint.ts';
import type { Endpoints } from './endpoints.ts';

type Query = Record<string, string | number | boolean | undefined>;

export interface CallParts {
  params?: Record<string, string>;
  query?: Query;
  body?: unknown;
}

interface WireRequest {
  method: string;
  /** Path and query on our own origin. */
  url: string;
  body?: unknown;
}

/**
 * Calls an endpoint of the contract by its name. Needs only the types of the contract, so the browser does not download
 * the schemas. The server validates requests and responses.
 */
export type Call = <Name extends keyof Endpoints & EndpointName>(
  name: Name,
  ...input: unknown extends CallInput<Endpoints[Name]> ? [] : [input: CallInput<Endpoints[Name]>]
) => Promise<CallResult<Endpoints[Name]>>;

/** Empty and undefined query values are omitted. */
export function toWireRequest(name: EndpointName, input: CallParts = {}): WireRequest {
  const [method, template] = name.split(' ') as [string, string];
  const path = template.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(input.params?.[key] ?? ''));
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined && value !== '') query.set(key, String(value));
  }
  // `URLSearchParams.size` needs Chrome 113 or Safari 17.
  const search = String(query);
  return {
    method,
    url: search === '' ? path : `${path}?${search}`,
    ...(input.body === undefined ? {} : { body: input.body }),
  };
}
