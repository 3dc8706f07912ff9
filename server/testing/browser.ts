import { toWireRequest } from '#contract/call.ts';
import type { CallInput, EndpointName } from '#contract/endpoint.ts';
import type { Endpoints } from '#contract/endpoints.ts';

type Name = keyof Endpoints & EndpointName;
type Input<N extends Name> = unknown extends CallInput<Endpoints[N]> ? [] : [input: CallInput<Endpoints[N]>];

/** Status 0 means that no response arrived. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

const noResponse: Answer = { status: 0, headers: new Headers(), body: null };

const requestTimeoutMs = 60_000;

/** Browser for a server in a separate process. Stores cookies, and sees only what the server sends over the network. */
export class Browser {
  readonly #origin: string;
  readonly #ip: string;
  readonly cookies = new Map<string, string>();

  /** @param ip IP address that the server sees if it trusts proxies on this machine */
  constructor(origin: string, ip: string) {
    this.#origin = origin;
    this.#ip = ip;
  }

  async ask<N extends Name>(name: N, ...[input]: Input<N>): Promise<Answer> {
    const { method, url, body } = toWireRequest(name, input as object | undefined);
    return this.fetch(url, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
  }

  async fetch(
    path: string,
    init: { method?: string; body?: string; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    try {
      const response = await fetch(`${this.#origin}${path}`, {
        ...init,
        redirect: 'manual',
        signal: AbortSignal.timeout(requestTimeoutMs),
        headers: {
          ...init.headers,
          origin: this.#origin,
          'user-agent': 'Test browser',
          'x-forwarded-for': this.#ip,
          cookie: [...this.cookies].map((pair) => pair.join('=')).join('; '),
        },
      });
      for (const line of response.headers.getSetCookie()) {
        const [pair = ''] = line.split(';');
        const [name = '', value = ''] = pair.split(/=(.*)/su);
        if (value === '') this.cookies.delete(name);
        else this.cookies.set(name, value);
      }
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json') === true;
      return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
    } catch {
      return noResponse;
    }
  }
}
