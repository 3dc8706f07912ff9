import type { DirectoryFilters } from '#contract/directory.ts';
import { earliestYear, maxLineLength } from '#contract/filter-limits.ts';

export const filterNames = ['college', 'department', 'program', 'graduatedFrom', 'graduatedTo'] as const;

/** Leaves out values that the server would reject. */
export function readFilters(params: URLSearchParams): DirectoryFilters {
  const text = (name: string) => {
    const value = params.get(name)?.trim() ?? '';
    return value === '' || value.length > maxLineLength || /\p{Cc}/u.test(value) ? undefined : value;
  };
  const year = (name: string) => {
    const value = params.get(name) ?? '';
    return /^\d{4}$/u.test(value) && Number(value) >= earliestYear ? Number(value) : undefined;
  };
  const entries = filterNames.map((name) => [name, name.startsWith('graduated') ? year(name) : text(name)]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
