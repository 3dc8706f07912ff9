import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { join } from 'node:path';
import { collectMetrics } from '#server/platform/metrics/cluster-metrics.ts';
import type { Log } from '#server/platform/log/log.ts';
import { type Metrics, processNumberVariable } from '#server/platform/metrics/metrics.ts';

interface Cluster {
  stop(): Promise<void>;
}

const replacementDelayMs = 1_000;

/**
 * Starts worker processes and replaces those that exit. They share the database and the data folder.
 * @throws Error if one of them exits before it is ready
 */
export async function startCluster(
  count: number,
  environment: NodeJS.ProcessEnv,
  log: Log,
  metrics: Metrics,
): Promise<Cluster> {
  let isStopping = false;
  const timers = new Set<NodeJS.Timeout>();
  cluster.setupPrimary({ exec: join(import.meta.dirname, '..', 'main.ts'), args: [] });
  const stopCollecting = collectMetrics(metrics);
  // A replacement gets the number of its predecessor, so that its metrics continue the same series.
  const fork = (number: number): Promise<void> => {
    const worker = cluster.fork({ ...environment, [processNumberVariable]: String(number) });
    // Sending a message to a process that has just exited fails.
    worker.on('error', (error) => log.warn({ err: error }, 'A worker process could not be reached'));
    return new Promise((resolve, reject) => {
      worker.once('listening', () => resolve());
      worker.once('exit', (code, signal) => {
        reject(new Error(`A worker process exited with ${signal ?? code} before it was ready.`));
        if (!isStopping) replaceLater(number, { code, signal });
      });
    });
  };
  const replaceLater = (number: number, how: object) => {
    log.error(how, 'A worker process exited and is being replaced');
    const timer = setTimeout(() => {
      timers.delete(timer);
      // If the replacement fails, its exit schedules the next one.
      fork(number).catch(() => undefined);
    }, replacementDelayMs);
    timers.add(timer);
  };
  const stop = async () => {
    isStopping = true;
    stopCollecting();
    for (const timer of timers) clearTimeout(timer);
    await Promise.all(Object.values(cluster.workers ?? {}).map(stopWorker));
  };
  try {
    await Promise.all(Array.from({ length: count }, (_, index) => fork(index + 1)));
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

async function stopWorker(worker: Worker | undefined): Promise<void> {
  if (!worker || worker.isDead()) return;
  const exit = once(worker, 'exit');
  worker.kill();
  await exit;
}
