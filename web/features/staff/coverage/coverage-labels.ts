import type { ClassCoverage, Coverage } from '#contract/staff/coverage.ts';

export type Measure = Exclude<keyof ClassCoverage, 'year'>;

export const measureNames: Record<Measure, string> = {
  onRoster: 'On the roster',
  confirmed: 'Confirmed',
  listed: 'Listed',
  reachable: 'Reachable',
};

/** Without a roster or confirmation, the other measures are 0 and not shown. */
export const measuresOf = ({ hasRoster, confirmsMembers }: Coverage): Measure[] => [
  ...(hasRoster ? (['onRoster'] as const) : []),
  ...(hasRoster || confirmsMembers ? (['confirmed'] as const) : []),
  'listed',
  'reachable',
];

export const formatCount = (count: number): string => count.toLocaleString('en');

export const percentOf = (part: number, whole: number): string =>
  whole > 0 ? `${Math.round((part / whole) * 100)} %` : '';

export const sumOf = (classes: readonly ClassCoverage[]): Record<Measure, number> => ({
  onRoster: sum(classes, 'onRoster'),
  confirmed: sum(classes, 'confirmed'),
  listed: sum(classes, 'listed'),
  reachable: sum(classes, 'reachable'),
});

const sum = (classes: readonly ClassCoverage[], measure: Measure) =>
  classes.reduce((total, one) => total + one[measure], 0);
