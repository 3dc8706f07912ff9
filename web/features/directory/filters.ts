import type { DirectoryFilters, DirectorySort } from '#contract/directory.ts';
import type { User } from '#contract/identity.ts';
import { filterNames, readFilters } from '#web/domain/filters.ts';
import { paths } from '#web/domain/paths.ts';
import { isMember } from '#web/domain/root-data.ts';

/**
 * URL value for all departments. Without a department in the URL, members see their own (D1 in docs/conformance.md).
 */
const all = 'all';

export interface DirectoryView {
  readonly filters: DirectoryFilters;
  readonly layout: 'grid' | 'list';
  /** Undefined for the default: the newest first for guests, by class for members. */
  readonly sort?: DirectorySort | undefined;
  /** Cursor at which the page starts, for browsers without JavaScript. */
  readonly after: string | undefined;
}

export const sortLabels: Readonly<Record<DirectorySort, string>> = {
  class: 'Year',
  name: 'Surname',
  newest: 'Newest',
};

export const defaultSortOf = (user: User | null | undefined): DirectorySort => (isMember(user) ? 'class' : 'newest');

export const sortOf = ({ sort }: Pick<DirectoryView, 'sort'>, user: User | null | undefined): DirectorySort =>
  sort ?? defaultSortOf(user);

/** Members see their own class first, if the list is in the order of classes and contains their department only. */
export const firstClassOf = (view: DirectoryView, user: User | null | undefined): number | undefined =>
  isMember(user) && sortOf(view, user) === 'class' && view.filters.department === user.department
    ? (user.yearGraduated ?? undefined)
    : undefined;

/** Without a department in the URL, members get their own department, and guests get all. */
export function readView(params: URLSearchParams, user: User | null): DirectoryView {
  const own = isMember(user) ? (user.department ?? undefined) : undefined;
  const year = params.get('year');
  // From the list of years. Any other value than a year is invalid as a filter, so it shows all years.
  if (year !== null) {
    params.set('graduatedFrom', year);
    params.set('graduatedTo', year);
  }
  const { department = own, ...others } = readFilters(params);
  const sort = (Object.keys(sortLabels) as DirectorySort[]).find((name) => name === params.get('sort'));
  return {
    filters: { ...others, ...(department !== undefined && department !== all && { department }) },
    layout: (params.get('view') ?? params.get('filters')) === 'list' ? 'list' : 'grid',
    sort: sort === defaultSortOf(user) ? undefined : sort,
    after: params.get('after') || undefined,
  };
}

/**
 * Leaves out the layout. The department is always included, so that a shared link shows the same people to everyone. A
 * single year is one value, because the page has many such links.
 */
function getViewFields({ filters }: Pick<DirectoryView, 'filters'>): [name: string, value: string][] {
  const { graduatedFrom, graduatedTo, ...others } = filters;
  const shown = { ...filters, department: filters.department ?? all };
  if (graduatedFrom !== undefined && graduatedFrom === graduatedTo)
    return [...toFields({ ...others, department: shown.department }), ['year', String(graduatedFrom)]];
  return toFields(shown);
}

const toFields = (filters: DirectoryFilters): [name: string, value: string][] =>
  filterNames.flatMap((name) => (filters[name] === undefined ? [] : [[name, String(filters[name])]]));

export function toViewParams(view: Omit<DirectoryView, 'after'> & { after?: string | undefined }): URLSearchParams {
  const params = new URLSearchParams(getViewFields(view));
  if (view.layout === 'list') params.set('view', 'list');
  if (view.sort) params.set('sort', view.sort);
  if (view.after !== undefined) params.set('after', view.after);
  return params;
}

export const toViewPath = (view: Parameters<typeof toViewParams>[0]): string =>
  `${paths.dashboard}?${toViewParams(view)}`;

export function countFilters(filters: DirectoryFilters, user: User | null): number {
  const { department, graduatedFrom, graduatedTo, ...others } = filters;
  const own = isMember(user) ? user.department : null;
  return (
    Object.keys(others).length +
    (department !== undefined && department !== own ? 1 : 0) +
    (graduatedFrom !== undefined || graduatedTo !== undefined ? 1 : 0)
  );
}

export { all as allDepartments };
