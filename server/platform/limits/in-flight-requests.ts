import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyRequest } from 'fastify';

const current = new AsyncLocalStorage<{ readonly stopCounting: () => void; readonly startCounting: () => void }>();

/** The requests that this process is working on. Requests that wait in a queue do not count. */
export class InFlightRequests {
  readonly #started = new WeakSet<FastifyRequest>();
  readonly #working = new Set<FastifyRequest>();

  get count(): number {
    return this.#working.size;
  }

  async run<Result>(request: FastifyRequest, work: () => Promise<Result>): Promise<Result> {
    const stopCounting = () => void this.#working.delete(request);
    const startCounting = () => void (this.#started.has(request) && this.#working.add(request));
    this.#started.add(request);
    startCounting();
    try {
      return await current.run({ stopCounting: stopCounting, startCounting: startCounting }, work);
    } finally {
      this.end(request);
    }
  }

  end(request: FastifyRequest): void {
    this.#started.delete(request);
    this.#working.delete(request);
  }
}

/** Waits without counting the current request as in flight, for waits that use no resources, such as in a queue. */
export async function waitUncounted(wait: Promise<unknown>): Promise<void> {
  const request = current.getStore();
  request?.stopCounting();
  try {
    await wait;
  } finally {
    request?.startCounting();
  }
}
