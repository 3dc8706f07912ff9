import { createResponseCache } from '#server/platform/http/response-cache.ts';
import type { BrowsedItems } from './browsing-budgets.ts';

export interface GuestPage {
  readonly body: Buffer;
  /** All headers of the response except the request id. */
  readonly headers: Readonly<Record<string, number | string | string[] | undefined>>;
  readonly browsed: BrowsedItems;
}

/** Maximum size of a cached page. Pages have 8 to 25 KB. */
export const maxGuestPageBytes = 64_000;

/** Limit on cached pages. With `maxGuestPageBytes`, the cache never needs more than 32 MB. */
const maxGuestPages = 500;

export const createGuestPageCache = () => createResponseCache<GuestPage>(undefined, maxGuestPages);
