import type { Facets } from '#contract/directory.ts';

/** People per year of graduation, from the first to the last year that has people. */
export interface YearAxis {
  readonly first: number;
  readonly counts: readonly number[];
}

export interface YearList {
  readonly axis: YearAxis;
  /** Undefined for all departments. */
  readonly department: string | undefined;
  /** First and last year that the page shows. Both are undefined if it shows all. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly pathTo: (year: number) => string;
}

export function toAxis(years: Facets['years']): YearAxis {
  const first = years[0]?.value ?? 0;
  const counts = Array.from({ length: (years.at(-1)?.value ?? first) - first + 1 }, () => 0);
  for (const { value, count } of years) counts[value - first] = count;
  return { first, counts };
}

export const listYears = ({ first, counts }: YearAxis): Facets['years'] =>
  counts
    .map((count, index) => ({ value: first + index, count }))
    .filter(({ count }) => count > 0)
    .toReversed();

export const isChosenYear = ({ from, to }: Pick<YearList, 'from' | 'to'>, year: number): boolean =>
  (from ?? to) !== undefined && year >= (from ?? 0) && year <= (to ?? year);
