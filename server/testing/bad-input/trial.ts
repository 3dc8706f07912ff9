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
  /** Of which so many go over a real connection, as raw bytes. */
  readonly connections: number;
  readonly lanes: number;
  /** The same seed sends the same requests. */
  readonly seed: number;
}

/** Addresses at which there is nothing to succeed with. */
const unknownPaths = new Set(['GET /{nowhere}', 'GET /api/{nowhere}']);

/** Bytes that may be held more than before, whatever was sent; the log of the run is among them. */
const maxGrowthBytes = 250_000_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes that somebody still holds. */
function measureHeapBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/**
 * Sends bad input to everything that the product answers, and looks at what is left.
 * @returns a report for a person, and sentences about what is not as it should be
 * @throws Error with the first request that fails, made as small as it goes
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
  await archive.work();

  const isReplay = process.env['FUZZ_RECIPE'] !== undefined;
  const untested = isReplay
    ? []
    : [
        ...[...allKinds, ...Object.keys(shapes).map((shape) => `raw: ${shape}`)]
          // Headers are counted one by one.
          .filter((kind) => !tally.kinds.has(kind) && !(kind === 'absurd header' && tally.kinds.has('header accept')))
          .map((kind) => `"${kind}" was not tried.`),
        ...routes.flatMap(({ name }) => {
          const statuses = tally.routes.get(name);
          if (!statuses) return [`${name} was not tried.`];
          if (isRefusedEarly(statuses)) return [`${name} is refused before anything is looked at.`];
          return hasSucceeded(statuses) || unknownPaths.has(name) ? [] : [`${name} has never answered anything right.`];
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
    `seed ${seed} (FUZZ_SEED=${seed} sends the same again); ${Math.round(grown / 1e6)} MB more than before`,
    tally.report(),
  ];
  return { report: report.join('\n'), faults };
}
