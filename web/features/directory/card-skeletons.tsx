import { cardsPerPage } from '#contract/page-sizes.ts';
import { gridClass } from '../../domain/card-grid.ts';

/** Shows placeholders with the size of the cards, so that the layout does not shift when the cards load. */
export function CardSkeletons({ layout }: { layout: 'grid' | 'list' }) {
  const indexes = Array.from({ length: layout === 'grid' ? cardsPerPage / 2 : cardsPerPage }, (_, index) => index);
  return (
    <>
      <p role="status" className="py-4 text-ink-soft">
        Loading...
      </p>
      {layout === 'grid' ? (
        <div className={gridClass} aria-hidden="true">
          {indexes.map((place) => (
            <div key={place} className="overflow-hidden rounded-card border border-line bg-raised">
              <div className="skeleton aspect-[4/5]" />
              <div className="grid gap-2 p-3">
                <div className="skeleton h-5 rounded" />
                <div className="skeleton h-4 w-2/3 rounded" />
                <div className="skeleton h-4 w-1/2 rounded" />
              </div>
            </div>
          ))}
        </div>
      ) : (
        <div className="overflow-hidden rounded-card border border-line" aria-hidden="true">
          {indexes.map((place) => (
            <div key={place} className="flex h-14 items-center gap-3 border-b border-line bg-raised px-3">
              <div className="skeleton size-10 rounded-full" />
              <div className="skeleton h-5 w-1/3 rounded" />
            </div>
          ))}
        </div>
      )}
    </>
  );
}
