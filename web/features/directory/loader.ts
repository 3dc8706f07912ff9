import type { Call } from '#contract/call.ts';
import type { User } from '#contract/identity.ts';
import { type LoaderFunctionArgs, data, redirect } from 'react-router';
import type { Card, CardPage, Facets } from '#contract/directory.ts';
import { loaderServices } from '#web/platform/loader-services.ts';
import { isMember } from '#web/domain/root-data.ts';
import { problemOf } from '#web/platform/api.ts';
import { type DirectoryView, readView, sortOf, toViewPath } from './filters.ts';

/** People per year of graduation, from the first to the last year that has people. */
export interface YearAxis {
  readonly first: number;
  readonly counts: readonly number[];
}

export interface Directory {
  readonly view: DirectoryView;
  readonly page: CardPage;
  /** Number of people who match the filters. */
  readonly count: number;
  /** Number of all people whom the viewer may see. */
  readonly total: number;
  readonly years: YearAxis;
  /** Others in the member's class, unless the view already shows only some years. */
  readonly classmates?: readonly Card[] | undefined;
  /** Filter choices, requested by `?filters=` in browsers without JavaScript. The parameter's value is the layout. */
  readonly facets?: Facets;
}

export type DirectoryData =
  | { readonly failed: false; readonly directory: Directory }
  | { readonly failed: true; readonly reason?: string | undefined };

export async function directoryLoader({
  context,
  request,
}: LoaderFunctionArgs): Promise<DirectoryData | ReturnType<typeof data<DirectoryData>>> {
  const { call, user } = context.get(loaderServices);
  let view: DirectoryView | undefined;
  try {
    const { searchParams } = new URL(request.url);
    const viewer = await user();
    view = readView(searchParams, viewer);
    const { filters, after } = view;
    const counting = call('GET /api/users/count', { query: filters });
    const [page, { count }, { count: total }, { years }, classmates] = await Promise.all([
      call('GET /api/users', { query: { ...filters, sort: sortOf(view, viewer), after } }),
      counting,
      Object.keys(filters).length === 0 ? counting : call('GET /api/users/count', { query: {} }),
      call('GET /api/users/years', { query: filters }),
      after === undefined && filters.graduatedFrom === undefined && isMember(viewer)
        ? findClassmates(call, viewer)
        : undefined,
    ]);
    const facets =
      import.meta.env.SSR && searchParams.has('filters') && (await call('GET /api/users/facets', { query: filters }));
    return {
      failed: false,
      directory: { view, page, count, total, years: toAxis(years), classmates, ...(facets && { facets }) },
    };
  } catch (error) {
    const { status, detail: reason } = problemOf(error);
    // The cursor is no longer valid, so start at the first page.
    if (status === 400 && view?.after !== undefined) throw redirect(toViewPath({ ...view, after: undefined }));
    return data<DirectoryData>({ failed: true, reason }, { status: status >= 500 ? 503 : status });
  }
}

function toAxis(years: Facets['years']): YearAxis {
  const first = years[0]?.value ?? 0;
  const counts = Array.from({ length: (years.at(-1)?.value ?? first) - first + 1 }, () => 0);
  for (const { value, count } of years) counts[value - first] = count;
  return { first, counts };
}

const shownClassmates = 8;

async function findClassmates(call: Call, { uid, department, yearGraduated: year }: User): Promise<Card[] | undefined> {
  if (department === null || year === null) return undefined;
  const query = { department, graduatedFrom: year, graduatedTo: year, limit: shownClassmates + 1 };
  const { items } = await call('GET /api/users', { query });
  const others = items.filter(({ id }) => id !== uid).slice(0, shownClassmates);
  return others.length > 0 ? others : undefined;
}
