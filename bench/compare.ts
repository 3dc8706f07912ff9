import { type LoadRequest, type LoadResult, computeMedian, computeQuantile, runLoad } from './load.ts';
import type { Server } from './server.ts';

/**
 * Median of the rounds of one side: requests per second, milliseconds, and CPU milliseconds of the process per request.
 */
interface SideResult {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpu: number;
}

export interface RouteResult extends SideResult {
  readonly route: string;
  readonly people: number;
  readonly floor: SideResult | null;
}

type CreateRequest = () => LoadRequest;

interface CompareOptions {
  readonly connections?: number;
  /** Load that runs at the same time and is not measured. */
  readonly beside?: { readonly ours: CreateRequest; readonly theirs: CreateRequest; readonly connections: number };
}

/**
 * Measures a route of the server and of the baseline, and prints the result.
 * @param theirs creates requests to the baseline; null if it has no such route
 */
export type Compare = (
  route: string,
  ours: CreateRequest,
  theirs: CreateRequest | null,
  options?: CompareOptions,
) => Promise<void>;

export const defaultConnections = 16;

const warmUpSeconds = 2;

interface Comparison {
  readonly people: number;
  readonly product: Server;
  readonly floor: Server;
  readonly rounds: number;
  readonly roundSeconds: number;
  readonly only: string;
}

export function createCompare({ people, product, floor, rounds, roundSeconds, only }: Comparison): {
  compare: Compare;
  measured: RouteResult[];
} {
  const measured: RouteResult[] = [];
  const compare: Compare = async (route, ours, theirs, { connections = defaultConnections, beside } = {}) => {
    if (!route.startsWith(only)) return;
    const run = async (side: 'ours' | 'theirs', next: CreateRequest, seconds: number) => {
      const { pid } = side === 'ours' ? product : floor;
      const [result] = await Promise.all([
        runLoad(next, seconds, connections, pid),
        beside && runLoad(beside[side], seconds, beside.connections, pid),
      ]);
      return result;
    };
    const mine: LoadResult[] = [];
    const floors: LoadResult[] = [];
    await run('ours', ours, warmUpSeconds);
    if (theirs) await run('theirs', theirs, warmUpSeconds);
    for (let round = 0; round < rounds; round++) {
      const runs = [
        async () => mine.push(await run('ours', ours, roundSeconds)),
        async () => theirs && floors.push(await run('theirs', theirs, roundSeconds)),
      ];
      // Alternates the order in each round.
      for (const runSide of round % 2 === 0 ? runs : runs.toReversed()) await runSide();
    }
    const result = { route, people, ...summarize(mine), floor: theirs && summarize(floors) };
    measured.push(result);
    console.log(formatRow(result));
  };
  return { compare, measured };
}

function summarize(results: readonly LoadResult[]): SideResult {
  const medianOf = (pick: (result: LoadResult) => number) => computeMedian(results.map(pick));
  return {
    rate: medianOf(({ requestsPerSecond }) => requestsPerSecond),
    p50: medianOf(({ durationsMs }) => computeQuantile(durationsMs, 0.5)),
    p99: medianOf(({ durationsMs }) => computeQuantile(durationsMs, 0.99)),
    cpu: medianOf(({ cpuMsPerRequest }) => cpuMsPerRequest),
  };
}

const routeWidth = 38;

/** Headings of the columns of `formatRow`. CPU is in milliseconds per request. */
export const headings = `${'route'.padEnd(routeWidth)} ${['req/s', 'floor', 'ratio', 'CPU', 'floor', 'ratio', 'p50', 'floor', 'p99', 'floor'].map((text) => text.padStart(8)).join('')}`;

function formatRow({ route, rate, floor, p50, p99, cpu }: RouteResult): string {
  const cells = [
    rate.toFixed(0),
    floor?.rate.toFixed(0),
    floor && (rate / floor.rate).toFixed(2),
    cpu.toFixed(3),
    floor?.cpu.toFixed(3),
    floor && (cpu / floor.cpu).toFixed(2),
    p50.toFixed(2),
    floor?.p50.toFixed(2),
    p99.toFixed(2),
    floor?.p99.toFixed(2),
  ];
  return `${route.padEnd(routeWidth)} ${cells.map((text) => (text ?? '-').padStart(8)).join('')}`;
}
