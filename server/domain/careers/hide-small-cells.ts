import { minShownPeople as minCellSize } from '#contract/career-values.ts';
import type { TracerCounts, TracerRow } from '#contract/staff/careers.ts';
import { allYears, tracerCountNames } from '#contract/staff/tracer-counts.ts';

/** People of one program and year. Those who answered, but neither work, study nor seek work, do something else. */
export type CountedRow = TracerRow & Record<keyof TracerCounts, number>;

/**
 * Small-cell suppression: hides counts that would reveal something about fewer than 5 people, even to a reader who
 * knows this rule. Hides zero too: otherwise a hidden count would have only four possible values.
 * @param rows all years of each program
 * @returns the rows in the same order, or one row with `allYears` for a program
 */
export function hideSmallCells(rows: readonly CountedRow[]): TracerRow[] {
  const programs = Map.groupBy(rows, ({ college, department, program }) =>
    JSON.stringify([college, department, program]),
  );
  return [...programs.values()]
    .flatMap((years) =>
      shouldCombine(years) ? years.slice(0, 1).map((row) => ({ ...row, ...sumRows(years), year: allYears })) : years,
    )
    .map(hideCells);
}

/** Adds the shown counts. A count that no row shows stays hidden. */
export const sumRows = <Value extends number | null>(rows: readonly Record<keyof TracerCounts, Value>[]) =>
  Object.fromEntries(
    tracerCountNames.map((name) => {
      const shown = rows.map((row): number | null => row[name]).filter((count) => count !== null);
      return [name, shown.length > 0 ? shown.reduce((a, b) => a + b) : null];
    }),
  ) as Record<keyof TracerCounts, Value>;

/**
 * Returns whether to combine the years of a program: the years that can be shown have less than half of its answers.
 * Does not combine if the total would reveal a year: 8 answers in two years with at most 4 each mean 4 and 4.
 */
function shouldCombine(years: readonly CountedRow[]): boolean {
  const maxHidden = minCellSize - 1;
  const { answered } = sumRows(years);
  const shown = years.reduce((sum, year) => sum + (isShown(year.answered) ? year.answered : 0), 0);
  const capacity = years.reduce((sum, { reached }) => sum + Math.min(reached, maxHidden), 0);
  const maxCombined = capacity - maxHidden;
  return maxCombined >= maxHidden && 2 * shown < answered && answered <= maxCombined;
}

const isShown = (...siblings: number[]): boolean => siblings.every((count) => count >= minCellSize);

/** Outcomes are a tree. Siblings are shown only together, because a hidden one is the difference to their sum. */
function hideCells(row: CountedRow): TracerRow {
  const { answered, working, inField, study, seeking } = row;
  const notWorking = answered - working;
  const showsWork = isShown(working, notWorking);
  const showsField = showsWork && isShown(inField, working - inField);
  const showsRest = showsWork && isShown(study, seeking, notWorking - study - seeking);
  const show = (count: number, shows = isShown(count)) => (shows ? count : null);
  return {
    ...row,
    onRoster: show(row.onRoster),
    reached: show(row.reached),
    answered: show(answered),
    working: show(working, showsWork),
    inField: show(inField, showsField),
    study: show(study, showsRest),
    seeking: show(seeking, showsRest),
  };
}
