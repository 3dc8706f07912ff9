import type { DirectoryFilters } from '#contract/directory.ts';
import { earliestYear, maxLineLength } from '#contract/filter-limits.ts';

export const filterNames = ['college', 'department', 'program', 'graduatedFrom', 'graduatedTo'] as const;

/** Returns undefined for a value that the server would reject. */
export function readText(params: URLSearchParams, name: string): string | undefined {
  const value = params.get(name)?.trim() ?? '';
  return value === '' || value.length > maxLineLength || /\p{Cc}/u.test(value) ? undefined : value;
}

/** Leaves out values that the server would reject. */
export function readFilters(params: URLSearchParams): DirectoryFilters {
  const year = (name: string) => {
    const value = params.get(name) ?? '';
    return /^\d{4}$/u.test(value) && Number(value) >= earliestYear ? Number(value) : undefined;
  };
  const entries = filterNames.map((name) => [name, name.startsWith('graduated') ? year(name) : readText(params, name)]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
