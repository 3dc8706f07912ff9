import type { ClassCoverage } from '#contract/staff/coverage.ts';
import { type Measure, measureNames } from './coverage-labels.ts';

/** Height of the drawing in pixels, and width of a year in units of the SVG. */
const [height, yearWidth] = [64, 10];

/** Height in pixels of the bar of a class of one person, so that it can be seen. */
const minHeight = 8;

const looks = {
  whole: 'fill-wash stroke-line-strong [vector-effect:non-scaling-stroke]',
  part: 'fill-brand',
} as const;

export interface Shares {
  readonly whole: Measure;
  readonly part: Measure;
}

interface Props extends Shares {
  label: string;
  classes: readonly ClassCoverage[];
  years: readonly [first: number, last: number];
}

/**
 * One bar per year, whose height grows with the square root of the number of people, so that small classes can be seen
 * beside large ones. Every department has the same years, and its own height.
 */
export function CoverageChart({ label, classes, years: [first, last], whole, part }: Props) {
  const bars = classes.flatMap((one) => {
    // People can be confirmed without an entry, so that the part is larger than the whole.
    const people = Math.max(one[whole], one[part]);
    return one.year === null || people === 0 ? [] : [{ year: one.year, people, share: one[part] / people }];
  });
  const highest = Math.max(1, ...bars.map(({ people }) => people));
  const draw = (year: number, tall: number) =>
    `M${(year - first) * yearWidth + 1} ${height}v-${round(tall)}h${yearWidth - 2}v${round(tall)}z`;
  const heightOf = (people: number) => Math.max(minHeight, Math.sqrt(people / highest) * (height - 1));
  return (
    <figure className="grid gap-1">
      <svg
        viewBox={`0 0 ${(last - first + 1) * yearWidth} ${height}`}
        preserveAspectRatio="none"
        className="h-16 w-full border-b border-line-strong"
        role="img"
        aria-label={label}
      >
        <path className={looks.whole} d={bars.map(({ year, people }) => draw(year, heightOf(people))).join('')} />
        <path
          className={looks.part}
          d={bars
            .filter(({ share }) => share > 0)
            .map(({ year, people, share }) => draw(year, Math.max(2, heightOf(people) * share)))
            .join('')}
        />
      </svg>
      <figcaption className="flex justify-between text-xs nums text-ink-soft" aria-hidden="true">
        <span>{first}</span>
        <span>{last}</span>
      </figcaption>
    </figure>
  );
}

const round = (value: number) => Math.round(value * 100) / 100;

export const ChartKey = ({ whole, part }: Shares) => (
  <ul className="flex flex-wrap gap-x-6 gap-y-1 text-sm text-ink-soft">
    {[
      { text: `${measureNames[whole]}, each bar a year`, className: looks.whole },
      { text: measureNames[part], className: looks.part },
    ].map(({ text, className }) => (
      <li key={text} className="flex items-center gap-2">
        <svg viewBox="0 0 16 16" className="size-4" aria-hidden="true">
          <path className={className} d="M3 1h10v14h-10z" />
        </svg>
        {text}
      </li>
    ))}
  </ul>
);
