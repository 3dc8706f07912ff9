import cluster, { type Worker } from 'node:cluster';
import { join } from 'node:path';
import { answerCrew } from './platform/crew-metrics.ts';
import type { Log } from './platform/log.ts';
import { type Metrics, processNumber } from './platform/metrics.ts';

/** Several processes that answer requests at one port; this one has started them, and stays. */
export interface Crew {
  stop(): Promise<void>;
}

/** Milliseconds after which one that has died is replaced: at once would be for ever, where the reason is still there. */
const pause = 1_000;

/**
 * Starts so many further processes of this server, each with its own connections, and replaces those that die. They share
 * the database and the data folder, and nothing else.
 * @throws Error when one of them ends before it is ready
 */
export async function startCrew(
  count: number,
  environment: NodeJS.ProcessEnv,
  log: Log,
  metrics: Metrics,
): Promise<Crew> {
  let isEnding = false;
  const timers = new Set<NodeJS.Timeout>();
  cluster.setupPrimary({ exec: join(import.meta.dirname, 'main.ts'), args: [] });
  const stopAnswering = answerCrew(metrics);
  // Who takes a place takes its number: the series of what it counts go on under the same name.
  const fork = (number: number): Promise<void> => {
    const worker = cluster.fork({ ...environment, [processNumber]: String(number) });
    return new Promise((resolve, reject) => {
      worker.once('listening', () => resolve());
      worker.once('exit', (code, signal) => {
        reject(new Error(`A server process ended with ${signal ?? code} before it was ready.`));
        if (!isEnding) replaceLater(number, { code, signal });
      });
    });
  };
  const replaceLater = (number: number, how: object) => {
    log.error(how, 'a server process ended; another one takes its place');
    const timer = setTimeout(() => {
      timers.delete(timer);
      // The one after it is started by its own end.
      fork(number).catch(() => undefined);
    }, pause);
    timers.add(timer);
  };
  const stop = async () => {
    isEnding = true;
    stopAnswering();
    for (const timer of timers) clearTimeout(timer);
    await Promise.all(Object.values(cluster.workers ?? {}).map(end));
  };
  try {
    await Promise.all(Array.from({ length: count }, (_, index) => fork(index + 1)));
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

async function end(worker: Worker | undefined): Promise<void> {
  if (!worker || worker.isDead()) return;
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  worker.process.kill('SIGTERM');
  await ended;
}
