import type { Card, Facets } from '#contract/directory.ts';
import type { Call } from '#contract/call.ts';
import type { User } from '#contract/identity.ts';

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
  readonly ownClass: OwnClass | undefined;
  readonly pathTo: (year: number) => string;
}

export interface OwnClass {
  readonly cards: readonly Pick<Card, 'id' | 'name' | 'thumb'>[];
  readonly count: number;
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

const shownClassmates = 5;

export async function loadOwnClass(call: Call, user: User): Promise<OwnClass | undefined> {
  const { uid, department, yearGraduated: year } = user;
  if (department === null || year === null) return undefined;
  const query = { department, graduatedFrom: year, graduatedTo: year };
  const [{ items }, { count }] = await Promise.all([
    call('GET /api/users', { query: { ...query, limit: shownClassmates + 1 } }),
    call('GET /api/users/count', { query }),
  ]);
  const others = items.filter(({ id }) => id !== uid).slice(0, shownClassmates);
  // The other fields would only make the page larger.
  return { count, cards: others.map(({ id, name, thumb }) => ({ id, name, thumb })) };
}
