import type { CareerFilters } from '#contract/careers.ts';
import { paths, withParam } from './paths.ts';

export const careerFormPath = withParam(paths.settings, 'section', 'career');

interface Options {
  /** Cursor of a later page of the list. */
  readonly after?: string | undefined;
  /** Whether the link leads to the list of people, below the map. */
  readonly toList?: boolean;
}

export function toCareersPath(filters: CareerFilters, { after, toList = false }: Options = {}): string {
  const shown = Object.entries({ ...filters, after }).filter(([, value]) => value !== undefined);
  const query = String(new URLSearchParams(shown.map(([name, value]) => [name, String(value)])));
  return `${paths.careers}${query && `?${query}`}${toList ? '#people' : ''}`;
}
