import { useNavigate } from 'react-router';
import { keepScroll } from '../../platform/use-scroll.ts';
import type { Facets } from '#contract/directory.ts';
import { type DirectoryView, toViewPath } from './filters.ts';

const chartHeight = 60;

/**
 * Draws a bar chart of the graduates per year; a click on a bar filters by that year. The chart is not focusable and not read by
 * screen readers, because about thirty bars would delay keyboard users. The filter form offers the same choice.
 */
export function YearStrip({ view, years }: { view: DirectoryView; years: Facets['years'] }) {
  const navigate = useNavigate();
  if (years.length < 2) return null;
  const maxCount = Math.max(...years.map(({ count }) => count));
  const { graduatedFrom, graduatedTo, ...others } = view.filters;
  const isChosen = (year: number) => year >= (graduatedFrom ?? 0) && year <= (graduatedTo ?? 9999);
  const isFiltered = graduatedFrom !== undefined || graduatedTo !== undefined;

  const choose = (year: number) => {
    const isOnly = graduatedFrom === year && graduatedTo === year;
    const filters = isOnly ? others : { ...others, graduatedFrom: year, graduatedTo: year };
    void navigate(toViewPath({ filters, layout: view.layout }), { state: keepScroll });
  };

  return (
    <div
      aria-hidden="true"
      className="mt-3 hidden rounded-card border border-line bg-raised p-3 text-xs text-ink-soft sm:block"
    >
      <svg
        viewBox={`0 0 ${years.length * 10} ${chartHeight}`}
        preserveAspectRatio="none"
        className="year-strip h-16 w-full"
      >
        {years.map(({ value, count }, index) => (
          // The first rect makes the full height clickable, even above a low bar.
          <g key={value} onClick={() => choose(value)} className={isChosen(value) ? 'is-on' : undefined}>
            <title>{`${value}: ${count}`}</title>
            <rect x={index * 10} width="10" height={chartHeight} />
            <rect
              x={index * 10}
              y={chartHeight - Math.ceil((count / maxCount) * chartHeight)}
              width="9"
              height={chartHeight}
            />
          </g>
        ))}
      </svg>
      <p className="mt-1 flex justify-between nums">
        <span>{years[0]?.value}</span>
        <span>
          {isFiltered
            ? `Graduated ${[...new Set([graduatedFrom, graduatedTo])].filter(Boolean).join(' to ')}`
            : 'Graduates per year'}
        </span>
        <span>{years.at(-1)?.value}</span>
      </p>
    </div>
  );
}
