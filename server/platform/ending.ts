import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as afterThisTurn, setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** How a server stops answering without losing what it has been asked. */
export interface Ending {
  /** Aborted as soon as the ending begins, for those who have to know. */
  readonly signal: AbortSignal;
  /** Makes an application end in this way; before it listens. */
  cover(app: FastifyInstance): void;
  /**
   * Stops listening at once, finishes what has been asked, and comes back when the last connection is closed, after
   * `patience` at the latest: what is left then is cut off, and the log says so.
   */
  begin(): Promise<void>;
}

interface Times {
  /** Milliseconds for which a connection without a request stays open: a proxy may be about to use it. */
  readonly grace: number;
  /** Milliseconds for everything. */
  readonly patience: number;
}

/** Milliseconds for which those who have knocked are let in; under load there is always somebody. */
const knocking = 250;

/** Milliseconds between two looks at what is still open. */
const step = 20;

/**
 * Fastify's own `close` ends idle connections at once, on which a proxy may just be sending, and refuses the calls that pages
 * make in process; so it comes after this.
 */
export function createEnding({ grace, patience }: Times = { grace: 1_000, patience: 6_000 }): Ending {
  const controller = new AbortController();
  const { signal } = controller;
  let drain = async (): Promise<void> => undefined;
  return {
    signal,
    begin: () => {
      controller.abort();
      return drain();
    },
    cover: (app) => {
      const { server } = app;
      let letInSoFar = 0;
      /** How many requests are under way on each connection. */
      const open = new Map<Socket, number>();
      server.on('connection', (socket: Socket) => {
        letInSoFar++;
        open.set(socket, 0);
        socket.once('close', () => open.delete(socket));
      });
      server.on('request', ({ socket }, response) => {
        const add = (count: 1 | -1) => {
          const before = open.get(socket);
          if (before !== undefined) open.set(socket, before + count);
        };
        add(1);
        response.once('close', () => add(-1));
      });
      // Whoever asks once more on an open connection is answered, and goes elsewhere the next time.
      app.addHook('onSend', async (_, reply) => {
        if (signal.aborted) reply.header('connection', 'close');
      });

      /**
       * Node lets in one connection a turn, and the system throws out who still stands in its line when the door is shut; who comes
       * to a closed door is told so at once and can go elsewhere. So the door is shut right after a turn in which nobody came.
       */
      const letIn = async () => {
        const latest = performance.now() + knocking;
        for (let before = -1; before !== letInSoFar && performance.now() < latest;) {
          before = letInSoFar;
          await afterThisTurn();
          await afterThisTurn();
        }
      };

      drain = async () => {
        if (!server.listening) return;
        await letIn();
        NetServer.prototype.close.call(server);
        const began = performance.now();
        for (;;) {
          const passed = performance.now() - began;
          const idle = [...open].filter(([, requests]) => requests === 0);
          if (passed >= grace) for (const [socket] of idle) socket.destroySoon();
          if (open.size === 0) return;
          if (passed >= patience) {
            app.log.warn(
              { connections: open.size },
              'ending: some requests took too long, or their bodies did not come; they were cut off',
            );
            for (const socket of open.keys()) socket.destroy();
            return;
          }
          await pause(step);
        }
      };
    },
  };
}
