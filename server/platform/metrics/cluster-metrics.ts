import cluster, { type Worker } from 'node:cluster';
import { on } from 'node:events';
import { AggregatorRegistry } from 'prom-client';
import { type Metrics, mergeTexts } from './metrics.ts';
import { ProblemError } from '../http/problem.ts';

/*
 * Several processes share one port, so any of them receives a request for `/metrics`. It asks the primary process, which
 * collects the metrics of all worker processes with prom-client's cluster support.
 */

/** Milliseconds to wait for the primary process. prom-client gives the worker processes five seconds. */
const timeoutMs = 6_000;

const requestMessage = 'metrics of all processes';

/**
 * Returns the metrics of all processes in Prometheus' text format.
 * @throws ProblemError unavailable when a process does not answer in time
 */
export async function readAllMetrics(metrics: Metrics): Promise<string> {
  if (!cluster.isWorker) return metrics.text();
  process.send?.(requestMessage);
  try {
    const messages = on(process, 'message', { signal: AbortSignal.timeout(timeoutMs) }) as AsyncIterable<[unknown]>;
    // prom-client's own messages are objects.
    for await (const [message] of messages) if (typeof message === 'string') return message;
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error;
  }
  throw new ProblemError('unavailable', { retryAfter: 5 });
}

/** Lets the primary process collect the metrics of this worker process. */
export function shareMetrics({ registry }: Metrics): void {
  AggregatorRegistry.setRegistries(registry);
  // The constructor starts to listen for requests of the primary process.
  void new AggregatorRegistry();
}

/** Answers the worker processes in the primary process, unless one of them does not respond. Returns a function that stops it. */
export function collectMetrics(metrics: Metrics): () => void {
  const workers = new AggregatorRegistry();
  const answer = async (worker: Worker) => {
    const texts = await Promise.all([metrics.text(), workers.clusterMetrics()]);
    if (worker.isConnected()) worker.send(mergeTexts(texts), () => undefined);
  };
  const onMessage = (worker: Worker, message: unknown) => {
    if (message === requestMessage) answer(worker).catch(() => undefined);
  };
  cluster.on('message', onMessage);
  return () => void cluster.off('message', onMessage);
}
