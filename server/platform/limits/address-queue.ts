import { ProblemError, pickRetrySeconds } from '../http/problem.ts';
import { waitUncounted } from './in-flight-requests.ts';
import { networksOf } from './networks.ts';

/** Runs work with a limit per address block: an IPv4 address or an IPv6 /64. */
type AddressQueue = <Result>(ip: string | undefined, work: () => Promise<Result>) => Promise<Result>;

/**
 * Creates a queue, so that one visitor cannot use up the time of all others.
 * @param maxRunning work in progress per address block
 * @param maxWaiting work that waits per address block. Further work is refused with `unavailable`
 */
export function createAddressQueue(maxRunning: number, maxWaiting: number): AddressQueue {
  const blocks = new Map<string, { running: number; readonly waiting: (() => void)[] }>();
  return async (ip, work) => {
    const prefix = networksOf(ip)[0]?.prefix ?? '';
    const block = blocks.get(prefix) ?? { running: 0, waiting: [] };
    blocks.set(prefix, block);
    if (block.running < maxRunning) block.running++;
    else if (block.waiting.length >= maxWaiting)
      throw new ProblemError('unavailable', {
        detail: 'Too many pages are being loaded from your network right now.',
        retryAfter: pickRetrySeconds(),
      });
    // A finished request hands its place to the next one, so the number of running requests stays.
    else await waitUncounted(new Promise<void>((resolve) => block.waiting.push(resolve)));
    try {
      return await work();
    } finally {
      const next = block.waiting.shift();
      if (next) next();
      else if (--block.running === 0) blocks.delete(prefix);
    }
  };
}
