import { type LoaderFunctionArgs, data } from 'react-router';
import type { CardPage, Facets } from '#contract/directory.ts';
import { access } from '../../platform/context.ts';
import { problemOf } from '../../platform/api.ts';
import { type DirectoryView, readView } from './filters.ts';

export interface Directory {
  readonly view: DirectoryView;
  readonly page: CardPage;
  readonly count: number;
  readonly years: Facets['years'];
}

/** What the dashboard gets: the people, or that they could not be fetched. The page around them stands in both cases. */
export type DirectoryData = { readonly failed: false; readonly directory: Directory } | { readonly failed: true };

export async function directoryLoader({
  context,
  request,
}: LoaderFunctionArgs): Promise<DirectoryData | ReturnType<typeof data<DirectoryData>>> {
  const { call, user } = context.get(access);
  try {
    const view = readView(new URL(request.url).searchParams, await user());
    const { filters, after } = view;
    const [page, { count }, { years }] = await Promise.all([
      call('GET /api/users', { query: { ...filters, after } }),
      call('GET /api/users/count', { query: filters }),
      call('GET /api/users/years', { query: filters }),
    ]);
    return { failed: false, directory: { view, page, count, years } };
  } catch (error) {
    return data<DirectoryData>({ failed: true }, { status: problemOf(error).status >= 500 ? 503 : 400 });
  }
}
