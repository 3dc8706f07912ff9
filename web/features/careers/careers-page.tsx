import { Link, useLoaderData, useRevalidator } from 'react-router';
import { helpKinds, helpLabels, workFields } from '#contract/career-values.ts';
import type { CareerFilters } from '#contract/careers.ts';
import { careerFormPath, toCareersPath, toPeoplePath } from '#web/domain/careers.ts';
import { countryName } from '#contract/country-name.ts';
import { paths, withParam } from '#web/domain/paths.ts';
import { useUser } from '#web/domain/root-data.ts';
import { ScopeLinks } from '#web/domain/scope-links.tsx';
import { ButtonLink } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { FetchFailure } from '#web/ui/fetch-failure.tsx';
import { type Careers, type CareersData, scopeOf } from './careers-data.ts';
import { type Counted, CountList } from './count-list.tsx';
import { PeopleList } from './people-list.tsx';
import { PlacesMap } from './places-map.tsx';

export function CareersPage() {
  const loaded = useLoaderData<CareersData>();
  const { revalidate, state } = useRevalidator();
  return (
    <div className="page">
      <div className="mb-4 flex flex-wrap items-center gap-x-6 gap-y-3">
        <h1 className="text-xl font-bold lg:text-2xl">Where are they now?</h1>
        {!loaded.failed && loaded.careers.people && (
          <ScopeLinks shown={scopeOf(loaded.careers.filters)} pathTo={toCareersPath} />
        )}
      </div>
      {loaded.failed ? (
        <FetchFailure reason={loaded.reason} busy={state === 'loading'} onRetry={() => void revalidate()} />
      ) : (
        <Found {...loaded.careers} />
      )}
    </div>
  );
}

function Found(careers: Careers) {
  const { filters, overview, people } = careers;
  const { areas, countries, fields, employers } = overview;
  const isUnfiltered = toCareersPath(filters) === toCareersPath(scopeOf(filters));
  const isEmpty = countries.length + fields.length + employers.length === 0;
  if (isEmpty && (!people || (people.items.length === 0 && isUnfiltered))) return <NoPlaces isMember={!!people} />;
  const country = filters.country ?? areas.find(({ id }) => id === filters.area)?.country;
  const ofCountry = areas.filter((area) => area.country === country);
  return (
    <>
      {people && <HelpLinks filters={filters} />}
      <div className="grid gap-x-12 gap-y-6 *:min-w-0 xl:grid-cols-[1fr_18rem] xl:grid-rows-[auto_1fr] 2xl:grid-cols-[1fr_24rem]">
        {people && areas.length > 0 && (
          <a href="#places" className="skip-link">
            Skip the map
          </a>
        )}
        {areas.length > 0 && (
          <PlacesMap
            areas={ofCountry.length > 0 ? ofCountry : areas}
            chosen={filters.area}
            pathTo={people && ((place) => toPeoplePath({ ...scopeOf(filters), ...place }))}
          />
        )}
        <div className="grid content-start gap-x-8 gap-y-6 sm:grid-cols-3 xl:col-start-2 xl:row-span-2 xl:grid-cols-1">
          <CountList title="Places" items={listPlaces(careers)} maxShown={6} />
          <CountList
            title="Fields"
            items={fields.map((entry) =>
              toCounted(filters, 'field', entry.field, workFields[entry.field], entry.people),
            )}
          />
          <CountList
            title="Employers"
            items={employers.map((entry) => toCounted(filters, 'employer', entry.key, entry.name, entry.people))}
          />
        </div>
        {people ? <PeopleList {...careers} people={people} /> : <ForGuests />}
      </div>
      <Sources />
    </>
  );
}

const HelpLinks = ({ filters }: { filters: CareerFilters }) => (
  <nav aria-labelledby="helps" className="-mt-2 mb-3 flex flex-wrap items-center gap-x-4">
    <span id="helps" className="text-ink-soft max-sm:w-full">
      People willing to help with
    </span>
    {helpKinds.map((help) => (
      <Link
        key={help}
        to={toPeoplePath({ ...scopeOf(filters), help })}
        aria-current={filters.help === help || undefined}
        className="link inline-flex min-h-11 items-center"
      >
        {helpLabels[help]}
      </Link>
    ))}
  </nav>
);

const Sources = () => (
  <p className="mt-6 border-t border-line pt-3 text-sm text-ink-soft">
    Cities:{' '}
    <a className="link" href="https://www.geonames.org/">
      GeoNames
    </a>{' '}
    (
    <a className="link" href="https://creativecommons.org/licenses/by/4.0/">
      CC BY 4.0
    </a>
    ). Map: Natural Earth.
  </p>
);

/** Returns an entry that leads to these people, or away from them if they are shown. */
function toCounted<Name extends 'area' | 'country' | 'field' | 'employer'>(
  filters: CareerFilters,
  name: Name,
  value: NonNullable<CareerFilters[Name]>,
  label: string,
  people: number,
): Counted {
  const isChosen = filters[name] === value;
  const shown = isChosen ? { ...filters, [name]: undefined } : { ...scopeOf(filters), [name]: value };
  return { id: value, label, people, isChosen, to: toPeoplePath(shown) };
}

/** Returns what the map shows, and the people in none of its places. */
function listPlaces({ filters, overview, people }: Careers): Counted[] {
  const areas = overview.areas.map(({ id, name, country, people: count }) => ({
    ...toCounted(filters, 'area', id, name, count),
    detail: countryName(country),
  }));
  const others = overview.countries.map(({ country, people: count, elsewhere }) => {
    const place = toCounted(filters, 'country', country, countryName(country), elsewhere);
    // The country's list has also the people in its places above.
    return count === elsewhere ? place : { ...place, detail: 'elsewhere', to: undefined, isChosen: false };
  });
  return [...areas, ...others]
    .filter((place) => place.people > 0)
    .map((place) => (people ? place : { ...place, to: undefined }))
    .toSorted((a, b) => b.people - a.people);
}

const NoPlaces = ({ isMember }: { isMember: boolean }) => (
  <EmptyState
    drawing="rock"
    title={isMember ? 'No one has added a place yet' : 'No places are shown to guests yet'}
    action={isMember ? <ButtonLink to={careerFormPath}>Add where you are</ButtonLink> : undefined}
  >
    {isMember ? 'Add your work and your city. You choose who sees them.' : <ForGuests />}
  </EmptyState>
);

function ForGuests() {
  const isGuest = useUser() === null;
  return (
    <p className="max-w-[60ch]">
      Only members see who works where, by name, employer and field.{' '}
      {isGuest && (
        <>
          <Link className="link" to={paths.signUp}>
            Sign up
          </Link>{' '}
          or{' '}
          <Link className="link" to={withParam(paths.login, 'from', paths.careers)}>
            sign in
          </Link>
          .
        </>
      )}
    </p>
  );
}
