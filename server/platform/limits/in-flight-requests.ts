import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyRequest } from 'fastify';

const current = new AsyncLocalStorage<{ readonly pause: () => void; readonly resume: () => void }>();

/** The requests that one process works on. One that only waits for a turn is not among them. */
export class InFlightRequests {
  readonly #started = new WeakSet<FastifyRequest>();
  readonly #working = new Set<FastifyRequest>();

  get count(): number {
    return this.#working.size;
  }

  /** Counts a request while `work` runs, or until `end`. */
  async run<Result>(request: FastifyRequest, work: () => Promise<Result>): Promise<Result> {
    const pause = () => void this.#working.delete(request);
    const resume = () => void (this.#started.has(request) && this.#working.add(request));
    this.#started.add(request);
    resume();
    try {
      return await current.run({ pause, resume }, work);
    } finally {
      this.end(request);
    }
  }

  end(request: FastifyRequest): void {
    this.#started.delete(request);
    this.#working.delete(request);
  }
}

/** Waits for something that takes nothing from others, such as a turn in a queue. Meanwhile the request does not count. */
export async function waitUncounted(wait: Promise<unknown>): Promise<void> {
  const request = current.getStore();
  request?.pause();
  try {
    await wait;
  } finally {
    request?.resume();
  }
}
