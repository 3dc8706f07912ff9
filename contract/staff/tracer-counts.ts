/* A separate module, so that pages do not load the schemas of the endpoints. */

/** Stands for the year of a row with all years of a program. */
export const allYears = 0;

/** Counts of the tracer report, each a part of an earlier one, with their headings. */
export const tracerCounts = {
  onRoster: 'On the roster',
  reached: 'Reached',
  answered: 'Answered',
  working: 'Working',
  inField: 'In the field studied',
  study: 'Further study',
  seeking: 'Looking for work',
} as const;
export const tracerCountNames = Object.keys(tracerCounts) as (keyof typeof tracerCounts)[];

/** Returns the column heading. Without confirmed membership, members are counted instead of the roster. */
export const tracerCountHeading = (name: keyof typeof tracerCounts, countsRoster: boolean): string =>
  name === 'onRoster' && !countsRoster ? 'Members' : tracerCounts[name];
