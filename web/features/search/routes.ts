import { type LoaderFunctionArgs, type RouteObject, data } from 'react-router';
import type { Card } from '#contract/directory.ts';
import { paths } from '../../domain/paths.ts';
import { access } from '../../platform/context.ts';
import type { PageHandle } from '../../platform/page-handle.ts';

/** Written once: every further `import()` is code of its own on the first page. */
const pages = () => import('./pages.ts');

/** What was asked, and who was found; null before anything has been asked. */
export type SearchData =
  | {
      readonly failed: false;
      readonly q: string;
      readonly found: { readonly items: readonly Card[]; readonly more: boolean } | null;
    }
  | { readonly failed: true; readonly q: string };

const handle: PageHandle = { title: 'Search', feature: 'search' };

async function loader({ context, request }: LoaderFunctionArgs) {
  const q = new URL(request.url).searchParams.get('q')?.trim().slice(0, 160) ?? '';
  if (q === '') return { failed: false, q, found: null } satisfies SearchData;
  try {
    return {
      failed: false,
      q,
      found: await context.get(access).call('GET /api/search', { query: { q } }),
    } satisfies SearchData;
  } catch {
    return data<SearchData>({ failed: true, q }, { status: 503 });
  }
}

export const searchRoutes: RouteObject[] = [
  {
    path: paths.search,
    loader,
    lazy: { Component: async () => (await pages()).SearchPage },
    handle,
  },
];
