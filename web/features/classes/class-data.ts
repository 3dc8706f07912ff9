import { type LoaderFunctionArgs, data } from 'react-router';
import type { Card, Facets } from '#contract/directory.ts';
import type { Photo } from '#contract/gallery.ts';
import { earliestYear, maxLineLength } from '#contract/filter-limits.ts';
import { maxCardsPerPage } from '#contract/page-sizes.ts';
import { toAxis, type YearAxis } from '#web/domain/year-list.ts';
import { problemOf } from '#web/platform/api.ts';
import { loaderServices } from '#web/platform/loader-services.ts';
import { throwNotFound } from '#web/platform/route-errors.ts';

interface Class {
  readonly cards: readonly Card[];
  readonly count: number;
  readonly previous: Facets['years'][number] | undefined;
  readonly next: Facets['years'][number] | undefined;
  readonly axis: YearAxis;
  readonly photos: readonly Pick<Photo, 'id' | 'thumb' | 'title'>[];
}

/** Key of the album whose photos the page shows, as the gallery derives it from the title "Class of 2015". */
export const albumOf = (year: number): string => `class of ${year}`;

const shownPhotos = 3;

export type ClassData = {
  readonly department: string;
  readonly year: number;
  readonly url: string;
} & (
  | { readonly failed: false; readonly found: Class }
  | { readonly failed: true; readonly reason: string | undefined }
);

/**
 * @throws the 404 page if the year is none, or if the viewer sees no one of the department: the page must not show any
 * text of its URL
 */
export async function classLoader({
  context,
  params,
  request,
}: LoaderFunctionArgs): Promise<ClassData | ReturnType<typeof data<ClassData>>> {
  const { department = '', year: text = '' } = params;
  const year = Number(text);
  if (!/^\d{4}$/u.test(text) || year < earliestYear) throwNotFound();
  if (department.trim() === '' || department.length > maxLineLength || /\p{Cc}/u.test(department)) throwNotFound();
  const { call } = context.get(loaderServices);
  const { origin, pathname } = new URL(request.url);
  const shown = { department, year, url: origin + pathname };
  const filters = { department, graduatedFrom: year, graduatedTo: year };
  let loaded;
  try {
    loaded = await Promise.all([
      call('GET /api/users', { query: { ...filters, limit: maxCardsPerPage } }),
      call('GET /api/users/count', { query: filters }),
      call('GET /api/users/years', { query: { department } }),
      call('GET /api/gallery/photos', { query: { album: albumOf(year) } }),
    ]);
  } catch (error) {
    const { status, detail: reason } = problemOf(error);
    return data<ClassData>({ ...shown, failed: true, reason }, { status: status >= 500 ? 503 : status });
  }
  const [{ items: cards }, { count }, { years }, { items }] = loaded;
  if (years.length === 0) throwNotFound();
  const previous = years.findLast(({ value }) => value < year);
  const next = years.find(({ value }) => value > year);
  const photos = items.slice(0, shownPhotos).map(({ id, thumb, title }) => ({ id, thumb, title }));
  return {
    ...shown,
    failed: false,
    found: { cards, count, previous, next, axis: toAxis(years), photos },
  };
}
