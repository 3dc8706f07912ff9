import type { FastifyInstance } from 'fastify';
import { createKeyedMutex } from '#server/platform/limits/keyed-mutex.ts';
import type { Authentication } from './accounts/authentication.ts';

/**
 * Maximum number of waiting writes per account and process. A person with several tabs makes one or two concurrent
 * writes.
 */
const maxWaitingWrites = 10;

/**
 * Serializes the writes of each account within a process, on routes that are added afterwards. Otherwise parallel
 * writes of one account would wait for each other's locks and occupy all database connections, and decode several
 * pictures concurrently. Uploads of files are not serialized.
 */
export function serializeWrites(app: FastifyInstance, authentication: Authentication): void {
  const runExclusive = createKeyedMutex(maxWaitingWrites);
  app.addHook('onRoute', (route) => {
    const methods = new Set([route.method].flat());
    // A page that handles a form makes an API call in process, and that call takes the mutex. If the page took it as
    // well, both would deadlock.
    if (methods.has('GET') || methods.has('HEAD') || route.config?.load === 'page') return;
    // Other writes of the account, such as a sign-out, would wait until the file has arrived.
    if (route.config?.isUpload) return;
    const { handler } = route;
    route.handler = async function serializeHandler(request, reply) {
      const principal = await authentication.authenticate({ request, reply });
      if (!principal) return handler.call(this, request, reply);
      return runExclusive(principal.account.id, async () => handler.call(this, request, reply));
    };
  });
}
