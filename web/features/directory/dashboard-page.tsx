import { Icon } from '#web/ui/icon.tsx';
import { useEffect, useEffectEvent, useState } from 'react';
import { useLoaderData, useLocation, useNavigation, useRevalidator } from 'react-router';
import type { Facets } from '#contract/directory.ts';
import { EmptyArchive } from '#web/domain/empty-archive.tsx';
import { useIsOwnClass } from '#web/domain/own-class.ts';
import { nextStep, useUser } from '#web/domain/root-data.ts';
import { ScopeLinks } from '#web/domain/scope-links.tsx';
import { reword } from '#web/platform/words.ts';
import { useLazyComponent } from '#web/ui/use-lazy-component.ts';
import { FetchFailure } from '#web/ui/fetch-failure.tsx';
import { CardPages } from './card-pages.tsx';
import { countFilters, type DirectoryView, toViewPath } from './filters.ts';
import { type Directory, type DirectoryData, toYearList } from './loader.ts';
import { LayoutSwitch, SortLinks } from './view-controls.tsx';
import { getVisit } from './visits.ts';
import { YearChips } from './year-chips.tsx';

export function DashboardPage() {
  const user = useUser();
  // The key resets the page when the viewer changes, so that guests never see data loaded for a member.
  const viewer = user ? user.uid + nextStep(user) : 'guest';
  return <Dashboard key={viewer} viewer={viewer} />;
}

function Dashboard({ viewer }: { viewer: string }) {
  const data = useLoaderData<DirectoryData>();
  const { revalidate, state } = useRevalidator();
  // If revalidation fails, the cards that are already shown remain (D23 in docs/conformance.md).
  const { key } = useLocation();
  const [directory, setDirectory] = useState(data.failed ? getVisit(viewer, key).directory : data.directory);
  if (!data.failed && data.directory !== directory) setDirectory(data.directory);
  useEffect(() => {
    if (directory && !data.failed) getVisit(viewer, key).directory = directory;
  }, [viewer, key, directory, data]);
  return (
    <div className="page">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5 max-sm:-mt-2 sm:mb-2 lg:mb-3 lg:gap-y-3">
        <h1 className="self-baseline text-xl font-bold max-lg:w-full sm:text-2xl md:text-3xl lg:mr-3 min-[88rem]:text-[2.5rem]">
          {reword('View all students in your department')}
        </h1>
        {directory && <Counts directory={directory} />}
        {directory && directory.total > 0 && <Controls directory={directory} />}
        {data.failed && (
          <FetchFailure
            reason={data.reason ?? (directory ? 'These people were loaded earlier. Check your connection.' : undefined)}
            busy={state === 'loading'}
            onRetry={() => void revalidate()}
          />
        )}
      </div>
      {directory && (directory.total > 0 ? <PeopleView directory={directory} viewer={viewer} /> : <EmptyArchive />)}
    </div>
  );
}

/** On phones, they share the line of the count. */
function Controls({ directory: { view, count, facets } }: { directory: Directory }) {
  const filterDialog = useLazyComponent(() => import('./filter-dialog.tsx'));
  const user = useUser();
  const { department, graduatedFrom, graduatedTo } = view.filters;
  const isOwnClass = useIsOwnClass()(department, graduatedFrom) && graduatedFrom === graduatedTo;
  const activeCount = countFilters(view.filters, user ?? null);
  const hasPlainFilters = facets !== undefined;
  const openFilters = useEffectEvent(filterDialog.open);
  useEffect(() => {
    // The scripts of the previous page failed to load, so its Filters button requested this page.
    if (hasPlainFilters) openFilters();
  }, [hasPlainFilters]);
  return (
    <div className="contents w-full flex-wrap items-center gap-2 sm:flex print:hidden">
      <LayoutSwitch view={view} />
      {/* Without JavaScript, this requests the same page with the filter form on it. */}
      <button
        type="submit"
        form="layout"
        name="filters"
        value={view.layout}
        onClick={(event) => {
          event.preventDefault();
          filterDialog.open();
        }}
        aria-haspopup="dialog"
        className="relative flex min-h-11 shrink-0 items-center gap-2 rounded-control border border-line-strong bg-raised px-3 font-semibold hover:bg-wash max-[88rem]:text-sm"
      >
        <Icon name="sliders-horizontal" />
        <span className="max-sm:sr-only">Filters</span>
        {activeCount > 0 && (
          <span
            className="absolute -top-2 -right-0.5 min-w-5 rounded-full bg-brand px-1.5 text-xs text-on-fill"
            aria-label={`${activeCount} active`}
          >
            {activeCount}
          </span>
        )}
      </button>
      <ScopeLinks
        shown={isOwnClass ? { department, graduatedFrom, graduatedTo } : { department }}
        pathTo={(filters) => toViewPath({ filters, layout: view.layout })}
      />
      <SortLinks view={view} />
      {filterDialog.Part && <filterDialog.Part onClose={filterDialog.close} view={view} count={count} />}
    </div>
  );
}

function PeopleView({ directory, viewer }: { directory: Directory; viewer: string }) {
  const { view, page, count, years, facets } = directory;
  const { pathname } = useLocation();
  const { location, state } = useNavigation();
  const isChanging = state === 'loading' && location?.pathname === pathname;
  const yearList = toYearList({ failed: false, directory });
  const { graduatedFrom, graduatedTo } = view.filters;
  return (
    <>
      <noscript>{import.meta.env.SSR && facets && <PlainFilters view={view} count={count} known={facets} />}</noscript>
      <div key={`${graduatedFrom}-${graduatedTo}`} aria-busy={isChanging} className="wall">
        <CardPages key={toViewPath(view)} viewer={viewer} view={view} first={page} count={count} years={years} />
      </div>
      {yearList && years.counts.length > 1 && <YearChips list={yearList} />}
    </>
  );
}

/**
 * Filter form that is loaded with the page only on the server. Without JavaScript, the form is part of the page. With
 * JavaScript, a dialog loads it.
 */
const FilterForm = import.meta.env.SSR ? (await import('./filter-form.tsx')).FilterForm : null;

function PlainFilters(props: { view: DirectoryView; count: number; known: Facets }) {
  return (
    <section aria-label="Filters" className="my-4 max-w-xl rounded-card border border-line bg-raised p-6">
      {FilterForm && <FilterForm {...props} onClose={() => undefined} />}
    </section>
  );
}

function Counts({
  directory: {
    view: { filters },
    count,
    total,
  },
}: {
  directory: Directory;
}) {
  const { department, graduatedFrom: from, graduatedTo: to } = filters;
  const years = from === to ? from : !to ? `since ${from}` : !from ? `until ${to}` : `${from}–${to}`;
  const place = department ? ` in ${department}` : '';
  return (
    <p className="text-sm text-ink-soft max-sm:min-w-0 max-sm:grow max-sm:basis-24 sm:self-baseline nums">
      <b className="text-base text-ink">{`${total.toLocaleString('en')} ${total === 1 ? 'student' : 'students'}`}</b>
      {count !== total && Object.keys(filters).length > 0 && (
        <>
          <span className="max-sm:hidden"> · </span>
          <span className="max-sm:block">
            {`${count.toLocaleString('en')} shown`}
            <span className="max-[88rem]:sr-only">{place + (years ? `, ${years}` : '')}</span>
          </span>
        </>
      )}
    </p>
  );
}
