import type { FastifyInstance } from 'fastify';
import { isNetworkRequest } from '../http/network-request.ts';
import { networksOf } from './networks.ts';

const maxStartsPerTurn = 8;

/**
 * Makes requests of one address block wait for the next turn of the event loop when many arrive together, so that a
 * request of another address does not wait behind all of them. No request is refused.
 */
export function registerAddressTurns(app: FastifyInstance): void {
  const take = createAddressTurns(maxStartsPerTurn);
  app.addHook('onRequest', (request, _, done) => {
    if (isNetworkRequest(request)) take(request.ip, done);
    else done();
  });
}

export function createAddressTurns(maxPerTurn: number): (ip: string | undefined, start: () => void) => void {
  const blocks = new Map<string, { started: number; readonly waiting: (() => void)[] }>();
  function beginTurn(): void {
    for (const [prefix, block] of blocks) {
      const starting = block.waiting.splice(0, maxPerTurn);
      block.started = starting.length;
      if (starting.length === 0) blocks.delete(prefix);
      for (const start of starting) start();
    }
    if (blocks.size > 0) setImmediate(beginTurn);
  }
  return (ip, start) => {
    const prefix = networksOf(ip)[0]?.prefix ?? '';
    const block = blocks.get(prefix) ?? { started: 0, waiting: [] };
    if (blocks.size === 0) setImmediate(beginTurn);
    blocks.set(prefix, block);
    if (block.started < maxPerTurn) {
      block.started++;
      start();
    } else block.waiting.push(start);
  };
}
