import { type RouteResult, createCompare } from './compare.ts';
import { createPersonId } from './people.ts';
import type { BenchInput } from './routes.ts';
import { startServer } from './server.ts';

/** Pages that guests get from the cache, with links as in a group chat: everyone opens the same ones. */
const guestPages = {
  '/': '/',
  '/home': '/home',
  '/login': '/login',
  '/signup': '/signup',
  '/user/{id}': `/user/${createPersonId(77)}`,
  '/gallery': '/gallery',
  '/search': '/search?q=adeyemi',
};

const memberPages = { '/': '/', '/user/{id}': `/user/${createPersonId(77)}` };

const browser = { 'accept-encoding': 'gzip, deflate, br' };

/**
 * Compares pages with their own baseline: those of guests with a constant body of the same size, those of members with
 * rendering from ready data (`pages-floor.ts`).
 */
export async function measurePages(
  { archive, product, members }: BenchInput,
  options: { readonly rounds: number; readonly roundSeconds: number; readonly only: string },
  data: string,
): Promise<RouteResult[]> {
  if (!'page '.startsWith(options.only.slice(0, 'page '.length))) return [];
  const floor = await startServer('bench/pages-floor.ts', archive, data, { SERVER_URL: product.url });
  try {
    const { compare, measured } = createCompare({ people: archive.people, product, floor, ...options });
    for (const [name, path] of Object.entries(guestPages)) {
      const url = product.url + path;
      const bytes = (await fetch(url, { headers: browser })).headers.get('content-length') ?? '';
      const constant = { url: `${floor.url}/constant?bytes=${bytes}` };
      await compare(
        `page ${name}, guest`,
        () => ({ url, headers: browser }),
        () => constant,
      );
    }
    const headers = { ...browser, ...members[0]?.headers };
    for (const [name, path] of Object.entries(memberPages)) {
      const ours = { url: product.url + path, headers };
      const rendered = { url: `${floor.url}/rendered${path}`, headers };
      await compare(
        `page ${name}, member`,
        () => ours,
        () => rendered,
      );
    }
    return measured;
  } finally {
    await floor.stop();
  }
}
