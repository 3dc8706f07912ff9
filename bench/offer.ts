import { Agent, type IncomingMessage, request } from 'node:http';
import type { Shot } from './load.ts';

/** How one request of an offered load ended. */
export interface Answered {
  readonly status: number;
  /** Seconds, as the answer's `Retry-After` says; null without one. */
  readonly retryAfter: number | null;
  /** Milliseconds. */
  readonly time: number;
}

/** What became of an offered load. */
export interface Offered {
  readonly sent: number;
  readonly answered: readonly Answered[];
  /** What became of the others, and how often: connections that broke, answers that did not come. */
  readonly broken: ReadonlyMap<string, number>;
  /** Of what was planned by the clock, the share that the sender had the time to send. */
  readonly share: number;
}

/** Milliseconds between two looks at the clock. */
const step = 5;

/**
 * Sends by the clock, so many requests a second, whether or not the earlier ones have been answered: as people come, who do
 * not wait for each other.
 * @param patience milliseconds after which nobody waits for an answer any more
 */
export async function offer(next: () => Shot, perSecond: number, seconds: number, patience = 20_000): Promise<Offered> {
  const agent = new Agent({ keepAlive: true });
  const answered: Answered[] = [];
  const broken = new Map<string, number>();
  let sent = 0;
  let open = 0;
  const fire = () => {
    sent++;
    open++;
    const began = performance.now();
    void ask(next(), agent, patience)
      .then(({ status, retryAfter }) => answered.push({ status, retryAfter, time: performance.now() - began }))
      .catch((error: unknown) => {
        const { code, message } = error as NodeJS.ErrnoException;
        broken.set(code ?? message, (broken.get(code ?? message) ?? 0) + 1);
      })
      .finally(() => open--);
  };
  const start = performance.now();
  const planned = Math.floor(perSecond * seconds);
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const passed = performance.now() - start;
      const due = Math.min(planned, Math.floor((perSecond * passed) / 1000));
      // A sender that is late sends a little more at once, but never a flood that nobody has sent.
      const missing = Math.min(due - sent, Math.ceil(perSecond / 10));
      for (let shot = 0; shot < missing; shot++) fire();
      if (passed >= seconds * 1000) {
        clearInterval(timer);
        resolve();
      }
    }, step);
  });
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (open > 0) return;
      clearInterval(timer);
      resolve();
    }, step);
  });
  agent.destroy();
  return { sent, answered, broken, share: sent / planned };
}

/** Makes one request. @throws Error when the connection breaks, or nothing has come for `patience` milliseconds */
export const ask = (
  { url, method = 'GET', headers = {}, body }: Shot,
  agent: Agent,
  patience: number,
): Promise<{ status: number; retryAfter: number | null; response: IncomingMessage }> =>
  new Promise((resolve, reject) => {
    const length: Record<string, string> =
      body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
    const asked = request(url, { agent, method, headers: { ...headers, ...length } }, (response) => {
      response.on('error', reject).on('end', () => {
        const after = response.headers['retry-after'];
        resolve({
          status: response.statusCode ?? 0,
          retryAfter: after === undefined ? null : Number(after),
          response,
        });
      });
      response.resume();
    })
      .on('error', reject)
      .setTimeout(patience, () => asked.destroy(new Error(`no answer within ${patience / 1000} s`)));
    asked.end(body);
  });
