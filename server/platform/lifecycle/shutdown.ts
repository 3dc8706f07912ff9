import cluster from 'node:cluster';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextEventLoopTurn, setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/*
 * Graceful shutdown (decision 42). The HTTP server finishes the requests it has received. The process stops on a signal
 * and always exits within a time limit.
 */

export interface Shutdown {
  readonly signal: AbortSignal;
  /** Tracks the connections of an application. Call it before `listen`. */
  track(app: FastifyInstance): void;
  /** Stops listening, finishes all requests, and resolves when the last connection is closed. */
  drain(): Promise<void>;
}

/** Time that idle connections stay open during a shutdown, because a proxy may be about to use them. */
const idleTimeoutMs = 1_000;

const drainTimeoutMs = 6_000;

/** Maximum time for accepting the connections in the listen() backlog. It ends earlier when the backlog is empty. */
const backlogTimeoutMs = 2_000;

const pollIntervalMs = 20;

/**
 * Creates a graceful shutdown. Call `drain` before Fastify's `close`. On its own, `close` loses requests that a proxy
 * is sending on idle connections, and refuses the calls that pages make in process. It also waits for hanging requests.
 */
export function createShutdown(): Shutdown {
  const controller = new AbortController();
  const { signal } = controller;
  let drain = async (): Promise<void> => undefined;
  const track = (app: FastifyInstance) => {
    const { server } = app;
    let accepted = 0;
    const inFlight = new Map<Socket, number>();
    server.on('connection', (socket: Socket) => {
      accepted++;
      inFlight.set(socket, 0);
      socket.once('close', () => inFlight.delete(socket));
    });
    server.on('request', ({ socket }, response) => {
      const add = (count: 1 | -1) => {
        const before = inFlight.get(socket);
        if (before !== undefined) inFlight.set(socket, before + count);
      };
      add(1);
      response.once('close', () => add(-1));
    });
    app.addHook('onSend', (_, reply, __, done) => {
      if (signal.aborted) reply.header('connection', 'close');
      done();
    });
    // For applications that are closed without calling `drain`.
    app.addHook('preClose', async () => controller.abort());

    /**
     * Accepts the connections in the backlog, which would be reset otherwise. Node accepts one per turn of the event
     * loop.
     */
    const emptyBacklog = async () => {
      const deadline = performance.now() + backlogTimeoutMs;
      for (let before = -1; before !== accepted && performance.now() < deadline;) {
        before = accepted;
        await nextEventLoopTurn();
        await nextEventLoopTurn();
      }
    };

    drain = async () => {
      if (!server.listening) return;
      const start = performance.now();
      await emptyBacklog();
      // Bypasses the `close` of the HTTP server, which also closes idle connections.
      NetServer.prototype.close.call(server);
      for (;;) {
        const elapsed = performance.now() - start;
        // Do not use `closeIdleConnections`: it cuts off responses that are being written, and leaves connections
        // without any request open.
        for (const [socket, requests] of inFlight) if (elapsed >= idleTimeoutMs && requests === 0) socket.destroySoon();
        if (inFlight.size === 0) return;
        if (elapsed >= drainTimeoutMs) {
          app.log.warn(
            { connections: inFlight.size },
            'Shutdown timed out: closed connections with unfinished requests',
          );
          for (const socket of inFlight.keys()) socket.destroy();
          return;
        }
        await delay(pollIntervalMs);
      }
    };
  };
  return {
    signal,
    track,
    drain: () => {
      controller.abort();
      return drain();
    },
  };
}

export const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Time limit of the whole shutdown. Docker and systemd kill the process after ten seconds or more. */
const shutdownTimeoutMs = 9_500;

/** Signals within this time count as one: npm forwards Ctrl-C, so the process can receive it twice. */
const duplicateSignalMs = 500;

/**
 * Runs `stop` and exits when the process receives a signal, or when its primary process or npm has died. A second
 * signal exits immediately. After 9.5 seconds the process exits in any case.
 * @returns a function that starts the same shutdown with an exit code
 */
export function exitOnSignal(stop: () => Promise<unknown>): (exitCode: number) => Promise<void> {
  let startedAt: number | undefined;
  const exit = async (exitCode: number): Promise<void> => {
    if (startedAt !== undefined) return;
    startedAt = performance.now();
    setTimeout(() => {
      process.stderr.write(
        `Shutdown timed out after ${shutdownTimeoutMs / 1000} seconds; exiting. All confirmed changes are saved.\n`,
      );
      process.exit(1);
    }, shutdownTimeoutMs).unref();
    await stop().catch(() => undefined);
    process.exit(exitCode);
  };
  const onSignal = () => {
    if (startedAt === undefined) void exit(0);
    else if (performance.now() - startedAt > duplicateSignalMs) process.exit(1);
  };
  for (const signal of stopSignals) process.on(signal, onSignal);
  if (cluster.isWorker) process.once('disconnect', onSignal);
  onceOrphaned(onSignal);
  return exit;
}

/** Runs a callback when npm, which started this process, was killed with SIGKILL, which npm cannot forward. */
function onceOrphaned(callback: () => void): void {
  const { ppid } = process;
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const timer = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(timer);
    callback();
  }, 500).unref();
}
