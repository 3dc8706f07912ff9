import { type LoaderFunctionArgs, data } from 'react-router';
import type { Call } from '#contract/call.ts';
import type { DirectoryFilters, Facets } from '#contract/directory.ts';
import { maxLineLength } from '#contract/filter-limits.ts';
import type { CareerMatches, SearchResults } from '#contract/search.ts';
import { filterNames, readFilters } from '#web/domain/filters.ts';
import { paths } from '#web/domain/paths.ts';
import { isMember } from '#web/domain/root-data.ts';
import { problemOf } from '#web/platform/api.ts';
import { loaderServices } from '#web/platform/loader-services.ts';

export interface Browse {
  /** Whether the viewer can see no one at all. */
  readonly isEmpty: boolean;
  readonly departments: Facets['departments'];
  readonly otherDepartments: Facets['departments'];
  /** First and last year of graduation, latest first. */
  readonly decades: readonly { readonly from: number; readonly to: number; readonly count: number }[];
}

/** `found` is null while the search text is empty; then there is `browse`. */
export type SearchData =
  | {
      readonly failed: false;
      readonly q: string;
      readonly filters: DirectoryFilters;
      readonly found: SearchResults | null;
      readonly browse?: Browse | null | Promise<Browse | null>;
      /**
       * Null if there are none, or the viewer may not see any. Undefined in the browser, where the page loads them when
       * the user pauses, so that they do not slow down each keystroke.
       */
      readonly careers?: CareerMatches | null | undefined;
    }
  | { readonly failed: true; readonly q: string; readonly reason?: string | undefined };

export async function searchLoader({ context, request }: LoaderFunctionArgs) {
  const { searchParams } = new URL(request.url);
  const q = searchParams.get('q')?.trim().slice(0, maxLineLength) ?? '';
  const filters = readFilters(searchParams);
  const { call, user } = context.get(loaderServices);
  if (q === '') {
    // The page is useful without these links, so it neither fails nor, in the browser, waits because of them.
    const loading = Promise.all([
      call('GET /api/users/facets', { query: {} }),
      call('GET /api/users/count', { query: {} }),
    ]).then(
      ([facets, { count }]) => toBrowse(facets, count),
      () => null,
    );
    const browse = import.meta.env.SSR ? await loading : loading;
    return { failed: false, q, filters, found: null, browse } satisfies SearchData;
  }
  try {
    const hasFilters = Object.keys(filters).length > 0;
    const [found, careers] = await Promise.all([
      call('GET /api/search', { query: { q, ...filters } }),
      user().then((viewer) => {
        if (hasFilters || !isMember(viewer)) return null;
        return import.meta.env.SSR ? findCareers(call, q) : undefined;
      }),
    ]);
    return { failed: false, q, filters, found, careers } satisfies SearchData;
  } catch (error) {
    const { status, detail: reason } = problemOf(error);
    return data<SearchData>({ failed: true, q, reason }, { status: status === 429 ? 429 : 503 });
  }
}

/** The results are useful without employers and places, so a failure finds none. */
export const findCareers = async (call: Call, q: string): Promise<CareerMatches | null> => {
  const found = await call('GET /api/search/careers', { query: { q } }).catch(() => null);
  return found && found.employers.length + found.areas.length > 0 ? found : null;
};

const maxShownDepartments = 24;

/** Limits the page of an archive whose users have typed many departments. */
const maxDepartments = 60;

function toBrowse({ departments, years }: Facets, count: number): Browse {
  const largest = departments.toSorted((a, b) => b.count - a.count);
  const sortNames = (some: typeof largest) => some.toSorted((a, b) => a.value.localeCompare(b.value, 'en'));
  const last = Math.max(...years.map(({ value }) => value));
  const counts = new Map<number, number>();
  for (const year of years) {
    const from = year.value - (year.value % 10);
    counts.set(from, (counts.get(from) ?? 0) + year.count);
  }
  return {
    isEmpty: count === 0,
    departments: sortNames(largest.slice(0, maxShownDepartments)),
    otherDepartments: sortNames(largest.slice(maxShownDepartments, maxDepartments)),
    decades: [...counts]
      .toSorted(([a], [b]) => b - a)
      .map(([from, people]) => ({ from, to: Math.min(from + 9, last), count: people })),
  };
}

export function toSearchPath(q: string, filters: DirectoryFilters): string {
  const params = new URLSearchParams({ q });
  for (const name of filterNames) if (filters[name] !== undefined) params.set(name, String(filters[name]));
  return `${paths.search}?${params}`;
}
