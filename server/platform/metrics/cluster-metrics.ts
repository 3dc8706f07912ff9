import cluster, { type Worker } from 'node:cluster';
import { on } from 'node:events';
import { AggregatorRegistry } from 'prom-client';
import { type Metrics, mergeTexts } from './metrics.ts';
import { ProblemError } from '../http/problem.ts';

/*
 * Several worker processes share one port, so any worker can receive the request for `/metrics`. That worker sends a
 * request to the primary process, which collects the metrics of all workers with prom-client's cluster support.
 */

/** Time limit for the primary process. prom-client waits five seconds for the workers. */
const timeoutMs = 6_000;

const requestMessage = 'metrics of all processes';

/**
 * Returns the metrics of all processes in the Prometheus text format.
 * @throws ProblemError unavailable when a process does not respond in time
 */
export async function readAllMetrics(metrics: Metrics): Promise<string> {
  if (!cluster.isWorker) return metrics.text();
  process.send?.(requestMessage);
  try {
    const messages = on(process, 'message', { signal: AbortSignal.timeout(timeoutMs) }) as AsyncIterable<[unknown]>;
    // Skips prom-client's own messages, which are objects.
    for await (const [message] of messages) if (typeof message === 'string') return message;
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error;
  }
  throw new ProblemError('unavailable', { retryAfter: 5 });
}

export function shareMetrics({ registry }: Metrics): void {
  AggregatorRegistry.setRegistries(registry);
  // The constructor registers the listener for requests of the primary process.
  void new AggregatorRegistry();
}

/**
 * Responds to workers that request the metrics of all processes. Called in the primary process.
 * @returns a function that stops it
 */
export function collectMetrics(metrics: Metrics): () => void {
  const workers = new AggregatorRegistry();
  const respond = async (worker: Worker) => {
    const texts = await Promise.all([metrics.text(), workers.clusterMetrics()]);
    if (worker.isConnected()) worker.send(mergeTexts(texts), () => undefined);
  };
  const onMessage = (worker: Worker, message: unknown) => {
    if (message === requestMessage) respond(worker).catch(() => undefined);
  };
  cluster.on('message', onMessage);
  return () => void cluster.off('message', onMessage);
}
