import type { ClassCoverage } from '#contract/staff/coverage.ts';
import { type Measure, formatCount, measureNames } from './coverage-labels.ts';

/** Height of the drawing, and width of a year, in units of the SVG. */
const [height, yearWidth] = [60, 10];

/** A wide bar, a narrow bar in front of it, and a line across: the measures differ in shape, not only in colour. */
export const shapes = {
  wide: { className: 'fill-brand-line', inset: 0.5 },
  narrow: { className: 'fill-brand', inset: 3 },
} as const;

interface Props {
  label: string;
  classes: readonly ClassCoverage[];
  years: readonly [first: number, last: number];
  measures: readonly [wide: Measure, narrow: Measure, line: Measure | null];
}

/** Every department has the same years, and its own height. */
export function CoverageChart({ label, classes, years: [first, last], measures: [wide, narrow, line] }: Props) {
  const known = classes.filter((one) => one.year !== null);
  const highest = Math.max(1, ...known.map((one) => Math.max(one[wide], one[narrow], line === null ? 0 : one[line])));
  const at = ({ year }: ClassCoverage) => ((year ?? first) - first) * yearWidth;
  const heightOf = (count: number) => (count / highest) * height;
  const bars = (measure: Measure, inset: number) =>
    known
      .filter((one) => one[measure] > 0)
      .map((one) => {
        const tall = heightOf(one[measure]);
        return `M${at(one) + inset} ${round(height - tall)}h${yearWidth - 2 * inset}v${round(tall)}h${2 * inset - yearWidth}z`;
      })
      .join('');
  const lines = (measure: Measure) =>
    known
      .filter((one) => one[measure] > 0)
      .map((one) => `M${at(one)} ${round(height - heightOf(one[measure]))}h${yearWidth}v1.5h-${yearWidth}z`)
      .join('');
  return (
    <figure className="grid gap-1">
      <svg
        viewBox={`0 0 ${(last - first + 1) * yearWidth} ${height}`}
        preserveAspectRatio="none"
        className="h-16 w-full border-b border-line-strong"
        role="img"
        aria-label={label}
      >
        <path className={shapes.wide.className} d={bars(wide, shapes.wide.inset)} />
        <path className={shapes.narrow.className} d={bars(narrow, shapes.narrow.inset)} />
        {line !== null && <path className="fill-ink" d={lines(line)} />}
      </svg>
      <figcaption className="flex justify-between text-xs nums text-ink-soft" aria-hidden="true">
        <span>{first}</span>
        <span>highest: {formatCount(highest)}</span>
        <span>{last}</span>
      </figcaption>
    </figure>
  );
}

const round = (value: number) => Math.round(value * 100) / 100;

export const ChartKey = ({ measures: [wide, narrow, line] }: Pick<Props, 'measures'>) => (
  <ul className="flex flex-wrap gap-x-6 gap-y-1 text-sm text-ink-soft">
    {[
      { measure: wide, d: 'M1 1h14v14h-14z', className: shapes.wide.className },
      { measure: narrow, d: 'M5 1h6v14h-6z', className: shapes.narrow.className },
      ...(line === null ? [] : [{ measure: line, d: 'M0 7h16v2h-16z', className: 'fill-ink' }]),
    ].map(({ measure, d, className }) => (
      <li key={measure} className="flex items-center gap-2">
        <svg viewBox="0 0 16 16" className="size-4" aria-hidden="true">
          <path className={className} d={d} />
        </svg>
        {measureNames[measure]}
      </li>
    ))}
  </ul>
);
