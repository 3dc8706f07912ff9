import { useRef } from 'react';
import { Link } from 'react-router';
import type { CareerFilters } from '#contract/careers.ts';
import { formatPeople } from '#contract/counts.ts';
import { CareerRows } from '#web/domain/career-row.tsx';
import { careerFormPath, toPeoplePath } from '#web/domain/careers.ts';
import { paths } from '#web/domain/paths.ts';
import { ButtonLink } from '#web/ui/button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import type { Careers, People } from './careers-data.ts';
import { FilterForm } from './filter-form.tsx';
import { nameFilter } from './texts.ts';

export function PeopleList(careers: Careers & { people: People }) {
  const { filters, people } = careers;
  const { items, next, count, isAtLeast } = people;
  const isLaterPage = count === null;
  const chosen = (Object.keys(filters) as (keyof CareerFilters)[]).filter((name) => filters[name] !== undefined);
  const details = useRef<HTMLDetailsElement>(null);
  const closeFilters = () => {
    if (!details.current) return;
    details.current.open = false;
    details.current.querySelector('summary')?.focus();
  };
  return (
    <section aria-labelledby="people" className="relative xl:col-start-1">
      <div className="flex min-h-11 flex-wrap items-center gap-x-4 pr-30">
        <h2 id="people" className="text-lg font-bold lg:text-xl">
          People
        </h2>
        <p role="status" className="text-ink-soft nums">
          {isLaterPage
            ? 'More people'
            : count === 0
              ? 'No people match these filters'
              : `${isAtLeast ? 'More than ' : ''}${formatPeople(count)}`}
        </p>
        <Link className="link inline-flex min-h-11 items-center sm:ml-auto" to={careerFormPath}>
          Add or change where you are
        </Link>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <details ref={details} className="w-full">
          <summary className="absolute top-0 right-0 flex min-h-11 w-fit list-none items-center gap-2 rounded-control border border-line-strong bg-raised px-3 font-semibold hover:bg-wash [&::-webkit-details-marker]:hidden">
            <Icon name="sliders-horizontal" />
            Filters
          </summary>
          {/* The key resets the fields when the filters change. */}
          <FilterForm key={JSON.stringify(filters)} {...careers} onSubmit={closeFilters} />
        </details>
        {chosen.length > 0 && (
          <ul aria-label="Active filters" className="contents">
            {chosen.map((name) => (
              <li key={name}>
                <Link
                  to={toPeoplePath({ ...filters, [name]: undefined })}
                  className="flex min-h-11 items-center gap-1.5 rounded-full border border-line-strong bg-raised px-3 py-1 text-sm hover:bg-wash"
                >
                  <span className="sr-only">Remove the filter</span>
                  <span suppressHydrationWarning className="min-w-0 wrap-anywhere">
                    {nameFilter(name, careers)}
                  </span>
                  <Icon name="x" className="size-4 shrink-0" />
                </Link>
              </li>
            ))}
            <li>
              <Link to={paths.careers} className="link inline-flex min-h-11 items-center px-1">
                Clear all
              </Link>
            </li>
          </ul>
        )}
      </div>
      {items.length > 0 && <CareerRows people={items} className="mt-3" />}
      {(next !== null || isLaterPage) && (
        <nav aria-label="Pages of the list" className="flex flex-wrap justify-between gap-3 py-4">
          {isLaterPage && (
            <ButtonLink variant="quiet" to={toPeoplePath(filters)}>
              First page
            </ButtonLink>
          )}
          {next !== null && (
            <ButtonLink variant="quiet" className="ml-auto" to={toPeoplePath(filters, next)}>
              Next page
            </ButtonLink>
          )}
        </nav>
      )}
    </section>
  );
}
