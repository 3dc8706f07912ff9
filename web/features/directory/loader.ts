import { type LoaderFunctionArgs, data, redirect } from 'react-router';
import type { CardPage, Facets } from '#contract/directory.ts';
import { loaderServices } from '../../platform/loader-services.ts';
import { problemOf } from '../../platform/api.ts';
import { type DirectoryView, readView, toViewPath } from './filters.ts';

export interface Directory {
  readonly view: DirectoryView;
  readonly page: CardPage;
  readonly count: number;
  readonly years: Facets['years'];
  /** Filter choices, requested by `?filters=` in browsers without JavaScript. The parameter's value is the layout. */
  readonly facets?: Facets;
}

/** The loader data of the dashboard: the people, or a failure. The rest of the page is shown in both cases. */
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
    view = readView(searchParams, await user());
    const { filters, after } = view;
    const [page, { count }, { years }] = await Promise.all([
      call('GET /api/users', { query: { ...filters, after } }),
      call('GET /api/users/count', { query: filters }),
      call('GET /api/users/years', { query: filters }),
    ]);
    const facets =
      import.meta.env.SSR && searchParams.has('filters') && (await call('GET /api/users/facets', { query: filters }));
    return { failed: false, directory: { view, page, count, years, ...(facets && { facets }) } };
  } catch (error) {
    const { status, detail: reason } = problemOf(error);
    // The cursor is no longer valid, so start at the first page.
    if (status === 400 && view?.after !== undefined) throw redirect(toViewPath({ ...view, after: undefined }));
    return data<DirectoryData>({ failed: true, reason }, { status: status >= 500 ? 503 : status });
  }
}
