import { type LoaderFunctionArgs, data } from 'react-router';
import type { DirectoryFilters } from '#contract/directory.ts';
import { maxLineLength } from '#contract/filter-limits.ts';
import type { SearchResults } from '#contract/search.ts';
import { filterNames, readFilters } from '../../domain/filters.ts';
import { paths } from '../../domain/paths.ts';
import { problemOf } from '../../platform/api.ts';
import { loaderServices } from '../../platform/loader-services.ts';

/** The loader data of the search page. `found` is null while the search text is empty. */
export type SearchData =
  | {
      readonly failed: false;
      readonly q: string;
      readonly filters: DirectoryFilters;
      readonly found: SearchResults | null;
    }
  | { readonly failed: true; readonly q: string; readonly reason?: string | undefined };

export async function searchLoader({ context, request }: LoaderFunctionArgs) {
  const { searchParams } = new URL(request.url);
  const q = searchParams.get('q')?.trim().slice(0, maxLineLength) ?? '';
  const filters = readFilters(searchParams);
  if (q === '') return { failed: false, q, filters, found: null } satisfies SearchData;
  try {
    const found = await context.get(loaderServices).call('GET /api/search', { query: { q, ...filters } });
    return { failed: false, q, filters, found } satisfies SearchData;
  } catch (error) {
    const { status, detail: reason } = problemOf(error);
    return data<SearchData>({ failed: true, q, reason }, { status: status === 429 ? 429 : 503 });
  }
}

/** Returns the URL path of a search. */
export function toSearchPath(q: string, filters: DirectoryFilters): string {
  const params = new URLSearchParams({ q });
  for (const name of filterNames) if (filters[name] !== undefined) params.set(name, String(filters[name]));
  return `${paths.search}?${params}`;
}
