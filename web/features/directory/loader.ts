import { type LoaderFunctionArgs, data, redirect } from 'react-router';
import type { CardPage, Facets } from '#contract/directory.ts';
import { loaderServices } from '#web/platform/loader-services.ts';
import { type YearAxis, type YearList, toAxis } from '#web/domain/year-list.ts';
import { problemOf } from '#web/platform/api.ts';
import { type DirectoryView, firstClassOf, readView, sortOf, toViewPath } from './filters.ts';

export interface Directory {
  readonly view: DirectoryView;
  readonly page: CardPage;
  readonly count: number;
  readonly total: number;
  readonly years: YearAxis;
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
    const query = { ...filters, sort: sortOf(view, viewer), firstClass: firstClassOf(view, viewer), after };
    const [page, { count }, { count: total }, { years }] = await Promise.all([
      call('GET /api/users', { query }),
      counting,
      Object.keys(filters).length === 0 ? counting : call('GET /api/users/count', { query: {} }),
      call('GET /api/users/years', { query: filters }),
    ]);
    const facets =
      import.meta.env.SSR && searchParams.has('filters') && (await call('GET /api/users/facets', { query: filters }));
    return {
      failed: false,
      directory: { view, page, count, total, years: toAxis(years), ...(facets && { facets }) },
    };
  } catch (error) {
    const { status, detail: reason } = problemOf(error);
    // The cursor is no longer valid, so start at the first page.
    if (status === 400 && view?.after !== undefined) throw redirect(toViewPath({ ...view, after: undefined }));
    return data<DirectoryData>({ failed: true, reason }, { status: status >= 500 ? 503 : status });
  }
}

export function toYearList(loaded: DirectoryData): YearList | undefined {
  if (loaded.failed) return undefined;
  const { view, years: axis } = loaded.directory;
  const { graduatedFrom: from, graduatedTo: to, ...filters } = view.filters;
  const pathTo = (year: number) => {
    const shown = from === year && to === year ? undefined : year;
    return toViewPath({ ...view, filters: { ...filters, graduatedFrom: shown, graduatedTo: shown }, after: undefined });
  };
  return { axis, department: filters.department, from, to, pathTo };
}
