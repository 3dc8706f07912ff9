import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { toWireRequest } from '#contract/call.ts';
import { listProblems } from '#contract/access.ts';
import type { CallInput, CallResult, EndpointName } from '#contract/endpoint.ts';
import { type Endpoints, endpoints } from '#contract/endpoints.ts';
import { type Problem, type ProblemCode, commonProblems } from '#contract/problem.ts';

type Name = keyof Endpoints & EndpointName;
type Input<N extends Name> = unknown extends CallInput<Endpoints[N]> ? [] : [input: CallInput<Endpoints[N]>];

export const testUserAgent = 'Test browser';

function requireDeclared(name: Name, code: ProblemCode): void {
  if (![...listProblems(endpoints[name]), ...commonProblems].includes(code))
    throw new Error(`${name} does not list the problem code ${code} in the contract.`);
}

export class Device {
  readonly #app: FastifyInstance;
  readonly cookies = new Map<string, string>();
  ip: string;
  origin: string | undefined = 'http://localhost:3000';

  constructor(app: FastifyInstance, ip: string) {
    this.#app = app;
    this.ip = ip;
  }

  async ask<N extends Name>(name: N, ...[input]: Input<N>): Promise<LightMyRequestResponse> {
    const { method, url, body } = toWireRequest(name, input as object | undefined);
    const response = await this.fetch(method, url, body);
    if (response.statusCode >= 400) requireDeclared(name, response.json<Problem>().code);
    return response;
  }

  async call<N extends Name>(name: N, ...input: Input<N>): Promise<CallResult<Endpoints[N]>> {
    const response = await this.ask(name, ...input);
    if (response.statusCode >= 400) throw new Error(`${name}: ${response.statusCode} ${response.body}`);
    return (response.statusCode === 204 ? undefined : response.json()) as CallResult<Endpoints[N]>;
  }

  async problem<N extends Name>(name: N, ...input: Input<N>): Promise<Problem> {
    const response = await this.ask(name, ...input);
    if (response.statusCode < 400) throw new Error(`${name} should have failed, but returned ${response.statusCode}`);
    return response.json<Problem>();
  }

  async code<N extends Name>(name: N, ...input: Input<N>): Promise<ProblemCode> {
    return (await this.problem(name, ...input)).code;
  }

  async fetch(
    method: string,
    url: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<LightMyRequestResponse> {
    const response = await this.#app.inject({
      method: method as 'GET',
      url,
      remoteAddress: this.ip,
      headers: {
        'user-agent': testUserAgent,
        ...(this.origin !== undefined && { origin: this.origin }),
        ...(this.cookies.size > 0 && { cookie: [...this.cookies].map((pair) => pair.join('=')).join('; ') }),
        ...headers,
      },
      ...(body !== undefined && { payload: body as object }),
    });
    for (const { name, value, maxAge, expires } of response.cookies as {
      name: string;
      value: string;
      maxAge?: number;
      expires?: Date;
    }[]) {
      const isGone = maxAge === 0 || value === '' || (expires !== undefined && expires.getTime() <= Date.now());
      if (isGone) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }
}
