import { Link } from '../../platform/link.tsx';
import type { Facets } from '#contract/directory.ts';
import { type DirectoryView, viewPath } from './filters.ts';

/**
 * Graduates per year as small bars; a press on one filters by it. It is a picture for the eye and the hand: by keyboard,
 * and for screen readers, the same choice stands among the filters, without thirty stops on the way to the cards.
 */
export function YearStrip({ view, years }: { view: DirectoryView; years: Facets['years'] }) {
  if (years.length < 2) return null;
  const most = Math.max(...years.map(({ count }) => count));
  const { graduatedFrom, graduatedTo } = view.filters;
  const isChosen = (year: number) =>
    (graduatedFrom === undefined || year >= graduatedFrom) && (graduatedTo === undefined || year <= graduatedTo);
  const isNarrowed = graduatedFrom !== undefined || graduatedTo !== undefined;
  return (
    <nav
      aria-label="Graduates per year"
      className="mt-3 hidden rounded-card border border-line bg-raised px-3 pt-3 pb-2 sm:block"
      aria-hidden="true"
    >
      <ul className="flex h-16 items-stretch gap-0.5">
        {years.map(({ value, count }) => {
          const isOnly = graduatedFrom === value && graduatedTo === value;
          const { graduatedFrom: _f, graduatedTo: _t, ...others } = view.filters;
          const filters = isOnly ? others : { ...others, graduatedFrom: value, graduatedTo: value };
          return (
            <li key={value} className="min-w-0 grow">
              <Link
                to={viewPath({ filters, layout: view.layout })}
                preventScrollReset
                tabIndex={-1}
                title={`${value}: ${count}`}
                className="group flex h-full flex-col justify-end"
              >
                <svg viewBox="0 0 10 100" preserveAspectRatio="none" className="h-full w-full">
                  <rect
                    y={100 - (count / most) * 100}
                    width="10"
                    height={(count / most) * 100}
                    className={
                      isChosen(value)
                        ? 'fill-brand-bright group-hover:fill-brand'
                        : 'fill-brand-line group-hover:fill-brand-bright'
                    }
                  />
                </svg>
              </Link>
            </li>
          );
        })}
      </ul>
      <p className="mt-1 flex justify-between text-xs text-ink-soft tabular-nums">
        <span>{years[0]?.value}</span>
        <span>
          {isNarrowed ? `Graduated ${[graduatedFrom, graduatedTo].filter(Boolean).join(' to ')}` : 'Graduates per year'}
        </span>
        <span>{years.at(-1)?.value}</span>
      </p>
    </nav>
  );
}
