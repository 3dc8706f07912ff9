import { EventEmitter } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { type Runner, type RunnerOptions, type Task, type TaskList, type WorkerEvents, run } from 'graphile-worker';
import type pg from 'pg';
import type { Log } from './log.ts';

/** Work on the queue that goes on until it is stopped. */
export interface LastingRunner {
  /** Whether a job is being done. */
  isInHand(jobId: string): boolean;
  stop(): Promise<void>;
}

interface Watcher {
  /** A worker has begun under this name. */
  readonly onWorker: (id: string) => void;
  /** Gives back what these workers had taken; otherwise it would stay taken for four hours. */
  readonly free: (ids: readonly string[]) => Promise<void>;
  readonly log: Log;
}

/** Milliseconds until the queue is worked again after the database had gone. */
const pause = 1_000;

/**
 * Works the queue until stopped. A database that goes ends the work of the library for good: then it is begun again.
 * @throws Error when it does not come about the first time
 */
export async function runLastingly(
  options: RunnerOptions & { taskList: TaskList; pgPool: pg.Pool },
  { onWorker, free, log }: Watcher,
): Promise<LastingRunner> {
  const ending = new AbortController();
  const { signal } = ending;
  const workers: string[] = [];
  const events: WorkerEvents = new EventEmitter();
  events.on('pool:create', ({ workerPool: { id } }) => {
    workers.push(id);
    onWorker(id);
  });
  const inHand = new Set<string>();
  events.on('job:start', ({ job }) => void inHand.add(job.id));
  events.on('job:complete', ({ job }) => void inHand.delete(job.id));
  const taskList = doneOnce(options.taskList);
  const begin = () =>
    run({
      ...options,
      pgPool: forgivingPool(options.pgPool),
      taskList,
      events,
      // How a job has ended is written down in a batch of one: where that fails the runner ends, and not the process.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    });

  /** Waits until it has ended, by itself or because it was stopped. */
  const watch = async (runner: Runner): Promise<void> => {
    const stop = () => void runner.stop().catch(() => undefined);
    signal.addEventListener('abort', stop);
    // It may have been begun while it was being stopped.
    if (signal.aborted) stop();
    await runner.promise.catch(() => undefined);
    signal.removeEventListener('abort', stop);
  };
  /** @returns null when it is stopped meanwhile */
  const beginAgain = async (): Promise<Runner | null> => {
    while (!signal.aborted) {
      await wait(pause, undefined, { signal }).catch(() => undefined);
      try {
        const taken = [...workers];
        await free(taken);
        workers.splice(0, taken.length);
        inHand.clear();
        if (!signal.aborted) return await begin();
      } catch (error) {
        log.error({ err: error }, 'the queue cannot be worked; trying again');
      }
    }
    return null;
  };
  const work = async (first: Runner): Promise<void> => {
    for (let runner: Runner | null = first; runner; runner = await beginAgain()) {
      await watch(runner);
      if (!signal.aborted) log.error({}, 'the work on the queue has broken off; it is begun again');
    }
  };
  const working = work(await begin());
  return {
    isInHand: (jobId) => inHand.has(jobId),
    stop: async () => {
      ending.abort();
      await working;
    },
  };
}

type Connected = Parameters<Parameters<pg.Pool['connect']>[0]>;

/**
 * The pool, where giving a connection back twice does nothing. The library does so when the database goes while it stops
 * listening, in a promise that nobody looks at, and that would end the process.
 */
function forgivingPool(pool: pg.Pool): pg.Pool {
  const once = (release: pg.PoolClient['release']): pg.PoolClient['release'] => {
    let isReleased = false;
    return (error) => {
      if (isReleased) return;
      isReleased = true;
      release(error);
    };
  };
  const connect = (callback?: (...answer: Connected) => void): Promise<pg.PoolClient> | undefined => {
    if (callback) {
      pool.connect((error, client, release) => callback(error, client, once(release)));
      return undefined;
    }
    return pool.connect().then((client) => {
      client.release = once(client.release.bind(client));
      return client;
    });
  };
  return new Proxy(pool, {
    get: (target, name) => {
      if (name === 'connect') return connect;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** How many jobs that are done are remembered. */
const remembered = 1_000;

/** A job that was done, but could not be taken off the queue because the database had gone, is not done again by this process. */
function doneOnce(tasks: TaskList): TaskList {
  const done = new Set<string>();
  const once =
    (task: Task): Task =>
    async (payload, helpers) => {
      // A request that joined the job raises its revision: that has not been done.
      const id = `${helpers.job.id} ${helpers.job.revision}`;
      if (done.has(id)) return;
      await task(payload, helpers);
      done.add(id);
      const [oldest] = done;
      if (done.size > remembered && oldest !== undefined) done.delete(oldest);
    };
  return Object.fromEntries(
    Object.entries(tasks).flatMap(([name, task]) => (task ? [[name, once(task as Task)] as const] : [])),
  );
}
