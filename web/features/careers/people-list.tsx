import { Link } from 'react-router';
import type { CareerCard, CareerFilters } from '#contract/careers.ts';
import { toCareersPath } from '#web/domain/careers.ts';
import { countryName } from '#web/domain/country-name.ts';
import { ListRow } from '#web/domain/person-card.tsx';
import { ButtonLink } from '#web/ui/button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import type { Careers } from './careers-data.ts';
import { nameFilter, toPeople } from './texts.ts';

type Props = Careers & Required<Pick<Careers, 'people'>>;

export function PeopleList(careers: Props) {
  const { filters, people, isLaterPage } = careers;
  const { items, next, count, isAtLeast } = people;
  const chosen = Object.entries(filters).filter(([, value]) => value !== undefined);
  return (
    <section aria-labelledby="people">
      <h2 id="people" className="text-lg font-bold lg:text-xl">
        People
      </h2>
      <p role="status" className="text-ink-soft nums">
        {count === null
          ? 'The list continues'
          : count === 0
            ? 'No people match these filters'
            : `${isAtLeast ? 'More than ' : ''}${toPeople(count)}`}
      </p>
      {chosen.length > 0 && (
        <ul aria-label="Filters in use" className="mt-2 flex flex-wrap gap-2">
          {(chosen as [keyof CareerFilters, unknown][]).map(([name]) => (
            <li key={name}>
              <Link
                to={toCareersPath({ ...filters, [name]: undefined }, { toList: true })}
                className="flex min-h-11 items-center gap-1.5 rounded-full border border-line-strong bg-raised px-3 py-1 text-sm hover:bg-wash lg:min-h-9"
              >
                <span className="sr-only">Remove the filter</span>
                <span suppressHydrationWarning className="min-w-0 wrap-anywhere">
                  {nameFilter(name, careers)}
                </span>
                <Icon name="x" className="size-4 shrink-0" />
              </Link>
            </li>
          ))}
        </ul>
      )}
      {items.length > 0 && (
        <ul className="mt-3 border-t border-line">
          {items.map((card) => (
            <li key={card.id}>
              <CareerRow card={card} />
            </li>
          ))}
        </ul>
      )}
      {(next !== null || isLaterPage) && (
        <nav aria-label="Pages of the list" className="flex flex-wrap justify-between gap-3 py-4">
          {isLaterPage && (
            <ButtonLink variant="quiet" to={toCareersPath(filters, { toList: true })}>
              First page
            </ButtonLink>
          )}
          {next !== null && (
            <ButtonLink variant="quiet" className="ml-auto" to={toCareersPath(filters, { after: next, toList: true })}>
              Next page
            </ButtonLink>
          )}
        </nav>
      )}
    </section>
  );
}

function CareerRow({ card }: { card: CareerCard }) {
  const { role, employer, city, country } = card;
  const work = [role, employer].filter((text) => text !== undefined).join(', ');
  const place = [city, country && countryName(country)].filter((text) => text !== undefined).join(', ');
  return (
    <ListRow card={card}>
      {work && <span className="block font-medium text-ink">{work}</span>}
      {place && (
        <span suppressHydrationWarning className="block">
          {place}
        </span>
      )}
    </ListRow>
  );
}
