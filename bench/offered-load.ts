import { Agent, request } from 'node:http';
import type { LoadRequest } from './load.ts';

export interface OfferedResponse {
  readonly status: number;
  /** Value of the `Retry-After` header in seconds; null without one. */
  readonly retryAfterSeconds: number | null;
  readonly durationMs: number;
}

export interface OfferResult {
  readonly sent: number;
  readonly responses: readonly OfferedResponse[];
  readonly errorCounts: ReadonlyMap<string, number>;
  /** Share of the planned requests that the client managed to send, from 0 to 1. */
  readonly sentShare: number;
}

const tickMs = 5;

/**
 * Sends requests at a constant rate, whether or not earlier requests have been answered (open loop). Independent
 * visitors behave like this.
 * @param timeoutMs timeout of each request
 */
export async function offerLoad(
  next: () => LoadRequest,
  perSecond: number,
  seconds: number,
  timeoutMs = 20_000,
): Promise<OfferResult> {
  const agent = new Agent({ keepAlive: true });
  const responses: OfferedResponse[] = [];
  const errorCounts = new Map<string, number>();
  let sent = 0;
  let open = 0;
  const sendNext = () => {
    sent++;
    open++;
    const startedAtMs = performance.now();
    void requestWithTimeout(next(), agent, timeoutMs)
      .then((response) => responses.push({ ...response, durationMs: performance.now() - startedAtMs }))
      .catch((error: unknown) => {
        const { code, message } = error as NodeJS.ErrnoException;
        errorCounts.set(code ?? message, (errorCounts.get(code ?? message) ?? 0) + 1);
      })
      .finally(() => open--);
  };
  const start = performance.now();
  const planned = Math.floor(perSecond * seconds);
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const elapsedMs = performance.now() - start;
      const due = Math.min(planned, Math.floor((perSecond * elapsedMs) / 1000));
      // Limits the catch-up after a delay of this process to requests of a tenth of a second.
      const missing = Math.min(due - sent, Math.ceil(perSecond / 10));
      for (let number = 0; number < missing; number++) sendNext();
      if (elapsedMs >= seconds * 1000) {
        clearInterval(timer);
        resolve();
      }
    }, tickMs);
  });
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (open > 0) return;
      clearInterval(timer);
      resolve();
    }, tickMs);
  });
  agent.destroy();
  return { sent, responses, errorCounts, sentShare: sent / planned };
}

/** @throws Error when the connection breaks, or is idle for `timeoutMs` */
export const requestWithTimeout = (
  { url, method = 'GET', headers = {}, body }: LoadRequest,
  agent: Agent,
  timeoutMs: number,
): Promise<{ status: number; retryAfterSeconds: number | null }> =>
  new Promise((resolve, reject) => {
    const length: Record<string, string> =
      body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
    const sent = request(url, { agent, method, headers: { ...headers, ...length } }, (response) => {
      response.on('error', reject).on('end', () => {
        const after = response.headers['retry-after'];
        resolve({
          status: response.statusCode ?? 0,
          retryAfterSeconds: after === undefined ? null : Number(after),
        });
      });
      response.resume();
    })
      .on('error', reject)
      .setTimeout(timeoutMs, () => sent.destroy(new Error(`no response within ${timeoutMs / 1000} s`)));
    sent.end(body);
  });
