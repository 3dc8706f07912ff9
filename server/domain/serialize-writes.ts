import type { FastifyInstance } from 'fastify';
import { createKeyedMutex } from '../platform/limits/keyed-mutex.ts';
import type { Authentication } from './authentication.ts';

/** Writes of one account that wait in a process. A person makes one or two at once, with the page open in several tabs. */
const maxWaitingWrites = 10;

/**
 * Lets each account make one write at a time, in each process. Otherwise parallel writes of one account wait for each other in the
 * database and hold all its connections meanwhile, and several pictures of one account are decoded at once. Applies to routes that
 * are added afterwards.
 */
export function serializeWrites(app: FastifyInstance, authentication: Authentication): void {
  const inTurn = createKeyedMutex(maxWaitingWrites);
  app.addHook('onRoute', (route) => {
    const methods = new Set([route.method].flat());
    // A page that answers a form makes a call in process, and that call takes the turn: both would wait for each other.
    if (methods.has('GET') || methods.has('HEAD') || route.config?.load === 'page') return;
    const { handler } = route;
    route.handler = async function takesTurn(request, reply) {
      const principal = await authentication.authenticate(request, reply);
      if (!principal) return handler.call(this, request, reply);
      return inTurn(principal.account.id, async () => handler.call(this, request, reply));
    };
  });
}
