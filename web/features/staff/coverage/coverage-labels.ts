import type { ClassCoverage, Coverage } from '#contract/staff/coverage.ts';

export type Measure = Exclude<keyof ClassCoverage, 'year'>;

export const measureNames: Record<Measure, string> = {
  onRoster: 'On the roster',
  confirmed: 'Confirmed',
  listed: 'Listed',
  reachable: 'Reachable',
  invited: 'Invited',
  opened: 'Opened the link',
  joined: 'Joined',
};

export const ofInvitations: readonly Measure[] = ['invited', 'opened', 'joined'];

/** Without a roster, confirmation or invitations, the other measures are 0 and not shown. */
export const measuresOf = ({ hasRoster, confirmsMembers, departments }: Coverage): Measure[] => [
  ...(hasRoster ? (['onRoster'] as const) : []),
  ...(hasRoster || confirmsMembers ? (['confirmed'] as const) : []),
  'listed',
  'reachable',
  ...(departments.some(({ classes }) => sumOf(classes).invited > 0) ? ofInvitations : []),
];

export const percentOf = (part: number, whole: number): string =>
  whole > 0 ? `${Math.round((part / whole) * 100)} %` : '';

const measures = Object.keys(measureNames) as Measure[];

export const sumOf = (classes: readonly ClassCoverage[]): Record<Measure, number> =>
  Object.fromEntries(
    measures.map((measure) => [measure, classes.reduce((total, one) => total + one[measure], 0)]),
  ) as Record<Measure, number>;
