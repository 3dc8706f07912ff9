import { Link } from 'react-router';
import type { Employer } from '#contract/careers.ts';
import { countryName } from '#contract/country-name.ts';
import { formatPeople } from '#contract/counts.ts';
import type { CareerMatches } from '#contract/search.ts';
import { CareerRows } from '#web/domain/career-row.tsx';
import { toPeoplePath } from '#web/domain/careers.ts';

/** Above the names, in the line of the heading, so that no name moves when it appears. */
export const EmployerLink = ({ employer: { key, name, people } }: { employer: Employer }) => (
  <Link to={toPeoplePath({ employer: key })} className="-my-3 flex min-h-11 min-w-0 items-center">
    <span className="link truncate">
      {formatPeople(people)} at {name}
    </span>
  </Link>
);

/** Employers and places whose names match, with the first people of the first employer. */
export function CareerMatchSection({ employers, areas, people }: CareerMatches) {
  const links = [
    ...employers.map(({ key, name, people: count }) => ({ name, count, to: toPeoplePath({ employer: key }) })),
    ...areas.map(({ id, name, country, people: count }) => ({
      name: `${name}, ${countryName(country)}`,
      count,
      to: toPeoplePath({ area: id }),
    })),
  ];
  return (
    <section aria-labelledby="employers" className="my-4">
      <h2 id="employers" className="mb-2 text-lg font-bold">
        Employers and places
      </h2>
      <ul className="mb-3 flex flex-wrap gap-2">
        {links.map(({ name, count, to }) => (
          <li key={to}>
            <Link
              to={to}
              className="flex min-h-11 items-center gap-2 rounded-card border border-line-strong bg-raised px-3 py-1 hover:border-brand hover:bg-wash hover:text-brand"
            >
              <span suppressHydrationWarning className="min-w-0 font-semibold wrap-anywhere">
                {name}
              </span>
              <span className="shrink-0 text-sm text-ink-soft nums">{formatPeople(count)}</span>
            </Link>
          </li>
        ))}
      </ul>
      {people.length > 0 && (
        <>
          <h3 className="mb-1 text-sm font-semibold text-ink-soft">People at {employers[0]?.name}</h3>
          <CareerRows people={people} />
        </>
      )}
    </section>
  );
}
