import type { CareerFilters } from '#contract/careers.ts';
import { paths, withParam } from './paths.ts';

export const careerFormPath = withParam(paths.settings, 'section', 'career');

/** @param after cursor of a later page of the list */
export function toCareersPath(filters: CareerFilters, after?: string): string {
  const shown = Object.entries({ ...filters, after }).filter(([, value]) => value !== undefined);
  const query = String(new URLSearchParams(shown.map(([name, value]) => [name, String(value)])));
  return `${paths.careers}${query && `?${query}`}`;
}

/** Leads to the list of people, below the map. */
export const toPeoplePath = (filters: CareerFilters, after?: string): string =>
  `${toCareersPath(filters, after)}#people`;
