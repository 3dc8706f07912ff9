import type { DirectoryFilters } from '#contract/directory.ts';
import type { User } from '#contract/identity.ts';
import { filterNames, readFilters } from '../../domain/filters.ts';
import { paths } from '../../domain/paths.ts';
import { isMember } from '../../domain/root-data.ts';

/** In the address: every department. Without it, a member sees their own (decision 1). */
const all = 'all';

/** What the address says of the dashboard; it can be shared and comes back with Back. */
export interface DirectoryView {
  readonly filters: DirectoryFilters;
  readonly layout: 'grid' | 'list';
  /** Where the page starts, for whoever has no scripts. */
  readonly after: string | undefined;
}

/** Reads the address. A member without a word about departments starts in their own; a guest starts with all. */
export function readView(params: URLSearchParams, user: User | null): DirectoryView {
  const own = isMember(user) ? (user.department ?? undefined) : undefined;
  const { department = own, ...others } = readFilters(params);
  return {
    filters: { ...others, ...(department !== undefined && department !== all && { department }) },
    layout: (params.get('view') ?? params.get('filters')) === 'list' ? 'list' : 'grid',
    after: params.get('after') || undefined,
  };
}

/**
 * The fields of a view as they stand in an address, without the layout. The department is always written out: a shared
 * link means the same for everybody.
 */
export function getViewFields({ filters }: Pick<DirectoryView, 'filters'>): [name: string, value: string][] {
  return filterNames.flatMap((name) => {
    const value = name === 'department' ? (filters.department ?? all) : filters[name];
    return value === undefined ? [] : [[name, String(value)] as [string, string]];
  });
}

/** Everything of a view, as it stands in an address. */
export function toViewParams(view: Omit<DirectoryView, 'after'> & { after?: string | undefined }): URLSearchParams {
  const params = new URLSearchParams(getViewFields(view));
  if (view.layout === 'list') params.set('view', 'list');
  if (view.after !== undefined) params.set('after', view.after);
  return params;
}

/** The address of a view. */
export const toViewPath = (view: Parameters<typeof toViewParams>[0]): string =>
  `${paths.dashboard}?${toViewParams(view)}`;

/** How many filters are set, not counting the department that a member starts with. */
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
