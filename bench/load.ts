import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';

/** One request of a load. */
export interface Shot {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What one round of a load gave. */
export interface Round {
  /** Requests a second. */
  readonly rate: number;
  /** Milliseconds of each request. */
  readonly times: number[];
  /** Milliseconds of processor time of the server for each request. */
  readonly cpu: number;
}

/**
 * Keeps every connection busy for a while.
 * @param next makes the next request
 * @param pid the server's, for its processor time
 * @throws Error for an answer that is no success
 */
export async function load(next: () => Shot, seconds: number, connections: number, pid: number): Promise<Round> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const times: number[] = [];
  const cpu = processorTime(pid);
  const start = performance.now();
  const end = start + seconds * 1000;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < end) {
        const began = performance.now();
        await send(next(), agent);
        times.push(performance.now() - began);
      }
    }),
  );
  const passed = performance.now() - start;
  const used = processorTime(pid) - cpu;
  agent.destroy();
  return { rate: (times.length / passed) * 1000, times, cpu: used / times.length };
}

/** @returns the answer's headers and body */
export const send = (
  { url, method = 'GET', headers = {}, body }: Shot,
  agent?: Agent,
): Promise<{ cookies: string[]; body: string }> =>
  new Promise((resolve, reject) => {
    const length: Record<string, string> =
      body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
    request(url, { agent, method, headers: { ...headers, ...length } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('error', reject).on('end', () => {
        const { statusCode = 0 } = response;
        if (statusCode < 200 || statusCode > 299) reject(new Error(`${method} ${url} answered ${statusCode}: ${text}`));
        else resolve({ cookies: response.headers['set-cookie'] ?? [], body: text });
      });
    })
      .on('error', reject)
      .end(body);
  });

/** Milliseconds that a process has spent on a processor (Linux: ticks of 10 ms). */
function processorTime(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Megabytes of memory that a process has in use. */
export const memoryOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
