import cluster from 'node:cluster';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextEventLoopTurn, setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/*
 * Graceful shutdown (decision 42): of the HTTP server, which answers what it has received, and of the process, which stops on
 * a signal and always exits.
 */

/** The graceful shutdown of an HTTP server. */
export interface Shutdown {
  /** Aborted when the shutdown begins. */
  readonly signal: AbortSignal;
  /** Tracks the connections of an application. To be called before it listens. */
  track(app: FastifyInstance): void;
  /** Stops listening, answers all requests, and returns when the last connection is closed. */
  drain(): Promise<void>;
}

/** Milliseconds for which a connection without a request stays open: a proxy may be about to use it. */
const idleTimeoutMs = 1_000;

/** Milliseconds after which the remaining connections are closed. */
const drainTimeoutMs = 6_000;

/** Milliseconds for accepting the connections in the listen() backlog. */
const backlogTimeoutMs = 250;

/** Milliseconds between two looks at the open connections. */
const pollIntervalMs = 20;

/**
 * Fastify's `close` has to come after `drain`. By itself it closes idle connections at once, which loses requests that a proxy is
 * sending on them, refuses the calls that pages make in process, and waits for hanging requests.
 */
export function createShutdown(): Shutdown {
  const controller = new AbortController();
  const { signal } = controller;
  let drain = async (): Promise<void> => undefined;
  const track = (app: FastifyInstance) => {
    const { server } = app;
    let accepted = 0;
    /** The number of requests in flight on each connection. */
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
    app.addHook('onSend', async (_, reply) => {
      if (signal.aborted) reply.header('connection', 'close');
    });
    // Also when an application is closed without `drain`.
    app.addHook('preClose', async () => controller.abort());

    /** Accepts the connections in the backlog: the system resets them when the socket stops listening. Node accepts one in a turn. */
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
      await emptyBacklog();
      // Not `server.close`, which closes idle connections as well.
      NetServer.prototype.close.call(server);
      const start = performance.now();
      for (;;) {
        const elapsed = performance.now() - start;
        // `closeIdleConnections` would cut off responses that are still being written, and leaves connections without any request.
        for (const [socket, requests] of inFlight) if (elapsed >= idleTimeoutMs && requests === 0) socket.destroySoon();
        if (inFlight.size === 0) return;
        if (elapsed >= drainTimeoutMs) {
          app.log.warn({ connections: inFlight.size }, 'Shutdown: requests that took too long were cut off');
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

/** Signals that stop a process. */
export const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Milliseconds for the whole shutdown: Docker and systemd kill after ten seconds or more. */
const shutdownTimeoutMs = 9_500;

/** Milliseconds: npm passes Ctrl-C on as well, so one press can arrive twice. */
const duplicateSignalMs = 500;

/**
 * Exits after `stop` when the process gets a signal, loses its primary process, or is left behind by npm. Exits at once on a second
 * signal, and after 9.5 seconds at the latest.
 * @returns a function that does the same for another reason, with its exit code
 */
export function exitOnSignal(stop: () => Promise<unknown>): (exitCode: number) => Promise<void> {
  let startedAt: number | undefined;
  const exit = async (exitCode: number): Promise<void> => {
    if (startedAt !== undefined) return;
    startedAt = performance.now();
    setTimeout(() => {
      process.stderr.write(
        `Not everything has ended within ${shutdownTimeoutMs / 1000} seconds; the rest is cut off. Nothing that was confirmed is lost.\n`,
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

/** Calls back when npm, which started this process, was killed with SIGKILL: it cannot pass that on. */
function onceOrphaned(callback: () => void): void {
  const { ppid } = process;
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const timer = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(timer);
    callback();
  }, 500).unref();
}
