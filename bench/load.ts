import { readFileSync, readdirSync } from 'node:fs';
import { Agent, request } from 'node:http';

export interface LoadRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly durationsMs: number[];
  /** CPU time of the server per request, in milliseconds. */
  readonly cpuMsPerRequest: number;
}

/**
 * Sends requests over a number of connections, each as fast as the server responds (closed loop).
 * @param next creates the next request
 * @param pid process ID of the server, to measure its CPU time
 * @throws Error for a response status other than 2xx
 */
export async function runLoad(
  next: () => LoadRequest,
  seconds: number,
  connections: number,
  pid: number,
): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const durationsMs: number[] = [];
  const cpuBeforeMs = readCpuMs(pid);
  const start = performance.now();
  const end = start + seconds * 1000;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < end) {
        const startedAtMs = performance.now();
        await sendRequest(next(), agent);
        durationsMs.push(performance.now() - startedAtMs);
      }
    }),
  );
  const elapsedMs = performance.now() - start;
  const cpuMs = readCpuMs(pid) - cpuBeforeMs;
  agent.destroy();
  return {
    requestsPerSecond: (durationsMs.length / elapsedMs) * 1000,
    durationsMs,
    cpuMsPerRequest: cpuMs / durationsMs.length,
  };
}

export const sendRequest = (
  { url, method = 'GET', headers = {}, body }: LoadRequest,
  agent?: Agent,
): Promise<{ cookies: string[]; body: Buffer }> =>
  new Promise((resolve, reject) => {
    const length: Record<string, string> =
      body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
    request(url, { agent, method, headers: { ...headers, ...length } }, (response) => {
      // Not decoded: decoding a compressed body as text takes longer than the server needs for the request.
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => void parts.push(part));
      response.on('error', reject).on('end', () => {
        const { statusCode = 0 } = response;
        const body = Buffer.concat(parts);
        if (statusCode < 200 || statusCode > 299)
          reject(new Error(`${method} ${url} returned ${statusCode}: ${body.toString()}`));
        else resolve({ cookies: response.headers['set-cookie'] ?? [], body });
      });
    })
      .on('error', reject)
      .end(body);
  });

/** Returns milliseconds (Linux, in ticks of 10 ms). */
export function readCpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Returns the CPU time of each process of the embedded PostgreSQL in milliseconds. */
export function readDatabaseCpu(postmasterPid: number): Map<number, number> {
  const times = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/u.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      if (parent === postmasterPid) times.set(Number(name), readCpuMs(Number(name)));
    } catch {
      // The process has exited since the directory was read.
    }
  }
  return times;
}

/** Returns the CPU time since an earlier reading in milliseconds, without processes that have exited since. */
export const sumSince = (before: ReadonlyMap<number, number>, now: ReadonlyMap<number, number>): number =>
  [...now].reduce((sum, [pid, time]) => sum + time - (before.get(pid) ?? 0), 0);

/** Returns the resident memory of a process in megabytes. */
export const readMemoryMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

export const computeMedian = (values: readonly number[]): number => computeQuantile(values, 0.5);

export function computeQuantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
