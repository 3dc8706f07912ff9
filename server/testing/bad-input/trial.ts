import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { TestArchive } from '../archive.ts';
import { findLogFaults, findServiceFaults, findStoreFaults } from './aftermath.ts';
import { allKinds } from './recipe.ts';
import { shapes, sendRawRequests } from './sockets.ts';
import { hasSucceeded, isRefusedEarly } from './tally.ts';
import { sendRequests } from './walk.ts';

interface TrialOptions {
  readonly requests: number;
  readonly connections: number;
  readonly lanes: number;
  readonly seed: number;
}

const unknownPaths = new Set(['GET /{nowhere}', 'GET /api/{nowhere}']);

/**
 * Routes that need not succeed: writes of staff, and routes that need a roster, claims, reports, campus sign-on or the
 * mode `confirmed`.
 */
const mayNeverSucceed =
  /^(?!GET )\S+ \/api\/staff\/|\/api\/staff\/(?:.*\{|tracer|classes|invitations)|\/api\/(?:membership|reports\/)|\/(?:campus|join|join\/\{code\}|not-you)$/u;

const maxGrowthBytes = 250_000_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function measureHeapBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/**
 * Sends invalid requests to all routes, and checks log, database, memory and service afterwards.
 * @returns a report to print, and a sentence per fault
 * @throws Error with the first failing request, minimized
 */
export async function tryBadInput(
  archive: TestArchive,
  extent: TrialOptions,
): Promise<{ report: string; faults: string[] }> {
  const { requests, connections, lanes, seed } = extent;
  const before = measureHeapBytes();
  const { tally, routes, world, secrets } = await sendRequests(archive, {
    requests: requests - connections,
    lanes,
    seed,
  });
  await sendRawRequests(archive.app, world, routes, tally, { connections, seed });
  await archive.runJobs();

  const isReplay = process.env['FUZZ_RECIPE'] !== undefined;
  const untested = isReplay
    ? []
    : [
        ...[...allKinds, ...Object.keys(shapes).map((shape) => `raw: ${shape}`)]
          // Each header is a kind of its own.
          .filter((kind) => !tally.kinds.has(kind) && !(kind === 'absurd header' && tally.kinds.has('header accept')))
          .map((kind) => `"${kind}" was not tested.`),
        ...routes.flatMap(({ name }) => {
          const statuses = tally.routes.get(name);
          if (!statuses) return [`${name} was not tested.`];
          if (isRefusedEarly(statuses)) return [`${name} returned almost only 401 or 429.`];
          const canSucceed = !unknownPaths.has(name) && !mayNeverSucceed.test(name);
          return hasSucceeded(statuses) || !canSucceed ? [] : [`${name} never succeeded.`];
        }),
      ];
  const grown = measureHeapBytes() - before;
  const faults = [
    ...untested,
    ...findLogFaults(archive.logged, new Set([...secrets, ...world.secrets])),
    ...(await findStoreFaults(archive)),
    ...(await findServiceFaults(archive)),
    ...(grown > maxGrowthBytes ? [`The process has grown by ${Math.round(grown / 1e6)} MB.`] : []),
  ];
  const report = [
    `seed ${seed} (repeat with FUZZ_SEED=${seed}); memory grew by ${Math.round(grown / 1e6)} MB`,
    tally.report(),
  ];
  return { report: report.join('\n'), faults };
}
