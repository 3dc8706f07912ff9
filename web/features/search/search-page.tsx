import { useEffect, useState } from 'react';
import { Link, useLoaderData, useNavigation, useRevalidator } from 'react-router';
import { formatPeople } from '#contract/counts.ts';
import type { DirectoryFilters } from '#contract/directory.ts';
import type { CareerMatches, SearchCounts, SearchResults, Hit } from '#contract/search.ts';
import { paths, withParam } from '#web/domain/paths.ts';
import { PeopleLinks } from '#web/domain/people-links.tsx';
import { ListRow, type RowTexts } from '#web/domain/person-card.tsx';
import { isMember, useUser } from '#web/domain/root-data.ts';
import { callApi } from '#web/platform/api.ts';
import { reword } from '#web/platform/words.ts';
import { FetchFailure } from '#web/ui/fetch-failure.tsx';
import { Aside, AsideSection } from '#web/ui/column-page.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { BrowseLinks } from './browse-links.tsx';
import { CareerMatchSection, EmployerLink } from './career-matches.tsx';
import { FacetLists } from './facet-lists.tsx';
import { Marked, MarkedName } from './marked.tsx';
import { type SearchData, findCareers, toSearchPath } from './search-data.ts';

export function SearchPage() {
  const loaded = useLoaderData<SearchData>();
  const { state, location } = useNavigation();
  const { revalidate, state: retryState } = useRevalidator();
  const isLoading = state === 'loading' && location?.pathname === paths.search;
  const found = loaded.failed ? null : loaded.found;
  const deferredCounts = useDeferred(loaded, loadCounts);
  const deferredCareers = useDeferred(loaded, loadCareers);
  const counts = deferredCounts ?? found;
  const isCounting = deferredCounts === undefined && found?.facets === null;
  const careers = (loaded.failed ? null : loaded.careers) ?? deferredCareers;
  const names = found?.items.length ?? 0;
  // Without names, the page shows nothing until it knows whether there are employers or places.
  const isWaiting = names === 0 && careers === undefined && isAwaitingCareers(loaded);
  return (
    <div className="page">
      <div className="flex items-center justify-between gap-4">
        <h1 className="text-xl font-bold lg:text-2xl">Search</h1>
        {names > 0 && careers?.isExact && careers.employers[0] && <EmployerLink employer={careers.employers[0]} />}
      </div>
      <div role="status" className="min-h-9 py-1 text-ink-soft">
        {isLoading || isWaiting ? 'Loading...' : <Outcome loaded={loaded} counts={counts} hasCareers={!!careers} />}
      </div>
      {loaded.failed && (
        <FetchFailure reason={loaded.reason} busy={retryState === 'loading'} onRetry={() => void revalidate()} />
      )}
      {!loaded.failed && loaded.found && (names > 0 || !(careers || isWaiting)) && (
        <Results
          {...loaded}
          items={loaded.found.items}
          count={counts?.count ?? 0}
          facets={counts?.facets ?? null}
          isCounting={isCounting}
          isLoading={isLoading}
        />
      )}
      {careers && <CareerMatchSection {...careers} />}
      {!loaded.failed && loaded.browse && <BrowseLinks browse={loaded.browse} />}
    </div>
  );
}

/** A user who goes on typing sends no more requests. */
const debounceMs = 400;

/**
 * Loads what the page shows after the results. Without results, the user waits for it, so it is loaded at once.
 * @param load returns null if there is nothing to load
 * @returns undefined until it is loaded
 */
function useDeferred<Part>(loaded: SearchData, load: (loaded: SearchData) => (() => Promise<Part>) | null) {
  const [deferred, setDeferred] = useState<{ loaded: SearchData; part: Part } | null>(null);
  useEffect(() => {
    const start = load(loaded);
    if (!start) return undefined;
    let isCurrent = true;
    const hasResults = !loaded.failed && loaded.found !== null && loaded.found.items.length > 0;
    const timer = setTimeout(
      () => void start().then((part) => isCurrent && setDeferred({ loaded, part })),
      hasResults ? debounceMs : 0,
    );
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [loaded, load]);
  return deferred?.loaded === loaded ? deferred.part : undefined;
}

/** A search that matches too many people returns without facets. */
function loadCounts(loaded: SearchData): (() => Promise<SearchCounts>) | null {
  if (loaded.failed || !loaded.found || loaded.found.facets) return null;
  const { q, filters, found } = loaded;
  // The results are useful without filters, so a failure keeps the first counts.
  return () => callApi('GET /api/search/facets', { query: { q, ...filters } }).catch(() => found);
}

const isAwaitingCareers = (loaded: SearchData): loaded is SearchData & { failed: false } =>
  !loaded.failed && loaded.found !== null && loaded.careers === undefined;

const loadCareers = (loaded: SearchData): (() => Promise<CareerMatches | null>) | null =>
  isAwaitingCareers(loaded) ? () => findCareers(callApi, loaded.q) : null;

interface ResultsProps {
  q: string;
  filters: DirectoryFilters;
  items: SearchResults['items'];
  count: number;
  facets: SearchCounts['facets'];
  isCounting: boolean;
  isLoading: boolean;
}

const minFilteredResults = 12;

const columns = 'mt-2 grid gap-x-12 lg:grid-cols-[1fr_auto] lg:items-start';

const asideWidth = 'lg:w-56 2xl:w-80';

function Results({ q, filters, items, count, facets, isCounting, isLoading }: ResultsProps) {
  const hasFilters = Object.keys(filters).length > 0;
  if (items.length === 0 && !hasFilters) return <NoResults q={q} />;
  const lists = (hasFilters || count >= minFilteredResults) && (
    <FacetLists q={q} filters={filters} facets={facets} isCounting={isCounting} />
  );
  return (
    <div className={columns}>
      {lists && (
        <details className="border-t border-line lg:hidden">
          <summary className="flex min-h-11 cursor-pointer items-center justify-between font-semibold">
            Filter results
            <Icon name="chevron-down" className="size-5 text-ink-soft" />
          </summary>
          <div className="pb-3">{lists}</div>
        </details>
      )}
      {items.length === 0 ? (
        <p>
          No people match these filters.{' '}
          <Link className="link" to={toSearchPath(q, {})}>
            Show all results
          </Link>
        </p>
      ) : (
        <ul className={`border-t border-line ${isLoading ? 'opacity-60' : ''}`}>
          {items.map((hit) => (
            <li key={hit.id}>
              <HitRow hit={hit} />
            </li>
          ))}
        </ul>
      )}
      <div className={`hidden lg:block ${asideWidth}`}>
        {lists || (
          <Aside>
            <AsideSection title="Look through a list">
              <PeopleLinks />
            </AsideSection>
          </Aside>
        )}
      </div>
    </div>
  );
}

function HitRow({ hit }: { hit: Hit }) {
  const marked = Object.fromEntries(
    hit.matches.map(({ field, ...match }) => [
      field,
      field === 'name' ? <MarkedName key={field} {...match} /> : <Marked key={field} {...match} />,
    ]),
  );
  const line = 'block text-sm font-normal text-ink-soft';
  return (
    <ListRow card={hit} shown={{ ...hit, ...(marked as RowTexts) }}>
      {marked['otherNames'] && <span className={line}>Also known as {marked['otherNames']}</span>}
      {marked['college'] && <span className={line}>{marked['college']}</span>}
    </ListRow>
  );
}

const hasOnlyShortWords = /^\S{1,2}(?:\s+\S{1,2})*$/u;

const NoResults = ({ q }: { q: string }) => (
  <div className={`${columns} gap-y-8 *:mt-0`}>
    <EmptyState
      drawing="rock"
      title={
        hasOnlyShortWords.test(q)
          ? 'Type at least three letters of a word'
          : /\s/u.test(q.trim())
            ? 'Try fewer words'
            : 'Check the spelling'
      }
    >
      The start of a name is enough. Accents, capital letters and small typos do not matter.
    </EmptyState>
    <div className={asideWidth}>
      <Aside>
        <AsideSection title="Look through a list">
          <PeopleLinks />
        </AsideSection>
        {useUser() === null && (
          <AsideSection title="Some people are visible only to members">
            <Link className="link flex min-h-11 items-center" to={withParam(paths.login, 'from', toSearchPath(q, {}))}>
              Sign in
            </Link>
          </AsideSection>
        )}
      </Aside>
    </div>
  </div>
);

interface OutcomeProps {
  loaded: SearchData;
  counts: SearchCounts | null;
  hasCareers: boolean;
}

function Outcome({ loaded, counts, hasCareers }: OutcomeProps) {
  const user = useUser();
  if (loaded.failed) return null;
  const { q, found } = loaded;
  if (!found || !counts)
    return reword(
      `Type a name, department, year${isMember(user) ? ', matric number, employer or city' : ' or matric number'} above. The first letters of each word are enough.`,
    );
  const { items } = found;
  const { count, isAtLeast } = counts;
  if (count === 0) return hasCareers ? `No names match “${q}”` : `No people found for “${q}”`;
  const people = `${isAtLeast ? 'More than ' : ''}${formatPeople(count)} for “${q}”`;
  return isAtLeast || count > items.length
    ? `${people}. The best ${items.length} are shown. Add a word to narrow the results`
    : people;
}
