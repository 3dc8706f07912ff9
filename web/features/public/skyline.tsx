import type { Facets } from '#contract/directory.ts';

/** Minimum number of years on the axis, so that the buildings of a young archive are not wide. */
const minYears = 30;

interface Props {
  years: Facets['years'];
  ownYear: number | null;
}

/** The caption describes the drawing to screen readers. */
export function Skyline({ years, ownYear }: Props) {
  const last = years.at(-1)?.value ?? 0;
  const first = Math.min(years[0]?.value ?? last, last - minYears + 1);
  const maxCount = Math.max(...years.map(({ count }) => count));
  const draw = (shown: Facets['years']) =>
    shown
      .map(({ value, count }) => `M${(value - first) * 12} 100V${92 - Math.round((80 * count) / maxCount)}h11v100z`)
      .join('');
  const outline = draw(years);
  return (
    <figure className="absolute inset-x-0 bottom-0 text-xs text-on-deep">
      <svg
        viewBox={`0 0 ${(last - first + 1) * 12} 100`}
        preserveAspectRatio="none"
        className="h-14 w-full lg:h-28"
        aria-hidden="true"
      >
        <pattern id="windows" width="3" height="12" patternUnits="userSpaceOnUse">
          <path d="M1 3h1v5H1z" className="fill-on-deep" opacity="0.4" />
        </pattern>
        <path d={outline} className="fill-deep-strong" />
        <path d={draw(years.filter(({ value }) => value === ownYear))} className="fill-gold-strong" />
        <path d={outline} fill="url(#windows)" />
      </svg>
      <figcaption className="flex justify-between gap-4 bg-deep-strong px-4 py-2 lg:px-8">
        <span className="year">{first}</span>
        Taller buildings are larger classes
        <span className="year">{last}</span>
      </figcaption>
    </figure>
  );
}
