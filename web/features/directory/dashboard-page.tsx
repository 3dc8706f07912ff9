import { Icon } from '#web/ui/icon.tsx';
import { useEffect, useEffectEvent, useState } from 'react';
import { Form, Link, useLoaderData, useLocation, useNavigation, useRevalidator } from 'react-router';
import type { Card, DirectorySort, Facets } from '#contract/directory.ts';
import { Faces } from '#web/domain/faces.tsx';
import { paths } from '#web/domain/paths.ts';
import { NobodyYet } from '#web/domain/nobody-yet.tsx';
import { isMember, nextStep, useRootData, useUser } from '#web/domain/root-data.ts';
import { useLazyComponent } from '#web/ui/use-lazy-component.ts';
import { Drawing } from '#web/ui/drawing.tsx';
import { FetchFailure } from '#web/ui/fetch-failure.tsx';
import { CardPages } from './card-pages.tsx';
import { countFilters, type DirectoryView, sortLabels, sortOf, toViewPath } from './filters.ts';
import type { Directory, DirectoryData } from './loader.ts';
import { ViewFields } from './view-fields.tsx';
import { getVisit } from './visits.ts';
import { YearStrip } from './year-strip.tsx';

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
      <h1 className="text-xl font-bold lg:text-3xl">View all students in your department</h1>
      {directory && <Counts directory={directory} />}
      {data.failed && (
        <FetchFailure reason={data.reason} busy={state === 'loading'} onRetry={() => void revalidate()} />
      )}
      {directory && (directory.total > 0 ? <PeopleView directory={directory} viewer={viewer} /> : <EmptyArchive />)}
    </div>
  );
}

function PeopleView({ directory, viewer }: { directory: Directory; viewer: string }) {
  const { view, page, count, years, facets, classmates } = directory;
  const filterDialog = useLazyComponent(() => import('./filter-dialog.tsx'));
  const user = useUser();
  const { pathname } = useLocation();
  const { location, state } = useNavigation();
  const isChanging = state === 'loading' && location?.pathname === pathname;
  const activeCount = countFilters(view.filters, user ?? null);
  const hasPlainFilters = facets !== undefined;
  const hasYears = years.counts.length > 1;
  const openFilters = useEffectEvent(filterDialog.open);
  useEffect(() => {
    // The scripts of the previous page failed to load, so its Filters button requested this page.
    if (hasPlainFilters) openFilters();
  }, [hasPlainFilters]);
  const { graduatedFrom, graduatedTo } = view.filters;
  return (
    <>
      <div className="my-3 flex flex-wrap items-center gap-2 print:hidden">
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
          className="relative flex min-h-11 items-center gap-2 rounded-control border border-line-strong bg-raised px-3 font-semibold hover:bg-wash"
        >
          <Icon name="sliders-horizontal" />
          <span className="max-sm:sr-only">Filters</span>
          {activeCount > 0 && (
            <span
              className="absolute -top-2 -right-2 min-w-5 rounded-full bg-brand px-1.5 text-xs text-on-fill"
              aria-label={`${activeCount} active`}
            >
              {activeCount}
            </span>
          )}
        </button>
        <SortLinks view={view} />
        <ScopeLinks view={view} hasYears={hasYears} />
      </div>
      <noscript>{import.meta.env.SSR && facets && <PlainFilters view={view} count={count} known={facets} />}</noscript>
      <div key={`${graduatedFrom}-${graduatedTo}`} aria-busy={isChanging} className="wall">
        <CardPages key={toViewPath(view)} viewer={viewer} view={view} first={page} count={count} />
      </div>
      {hasYears && (
        <section id="years" className="border-t border-line py-6 print:hidden">
          <h2 className="mb-1 text-lg font-bold">Class years</h2>
          <YearStrip view={view} years={years} />
        </section>
      )}
      {classmates && <Classmates cards={classmates} />}
      {filterDialog.Part && <filterDialog.Part onClose={filterDialog.close} view={view} count={count} />}
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

function Counts({ directory: { view, count, total } }: { directory: Directory }) {
  const { department, graduatedFrom: from, graduatedTo: to } = view.filters;
  const years = from === to ? from : !to ? `since ${from}` : !from ? `until ${to}` : `${from}–${to}`;
  return (
    <p className="text-sm text-ink-soft nums">
      <b className="text-base text-ink">{`${total.toLocaleString('en')} ${total === 1 ? 'student' : 'students'}`}</b>
      {total > 0 && (
        <>
          {' · '}
          <span>
            {[department ?? 'All departments', years, `${count.toLocaleString('en')} shown`]
              .filter(Boolean)
              .join(' · ')}
          </span>
        </>
      )}
    </p>
  );
}

function ScopeLinks({ view: { filters, layout }, hasYears }: { view: DirectoryView; hasYears: boolean }) {
  const user = useUser();
  const { department, yearGraduated: year } = isMember(user) ? user : { department: null, yearGraduated: null };
  const pathTo = (shown: DirectoryView['filters']) => toViewPath({ filters: shown, layout });
  const here = pathTo(filters);
  const links = [{ label: 'Everyone', path: pathTo({}) }];
  if (department !== null) {
    links.unshift({ label: 'My department', path: pathTo({ department }) });
    if (year !== null)
      links.unshift({ label: 'My class', path: pathTo({ department, graduatedFrom: year, graduatedTo: year }) });
  }
  const look = 'flex min-h-11 shrink-0 items-center gap-1.5 rounded-full border px-3 font-semibold';
  return (
    <nav aria-label="People shown" className="-mx-4 flex gap-1.5 overflow-x-auto px-4 text-sm">
      {links.map(({ label, path }) => (
        <Link
          key={label}
          to={path}
          aria-current={path === here ? 'page' : undefined}
          className={`${look} ${label === 'My class' ? 'border-gold-strong aria-[current=page]:bg-gold aria-[current=page]:text-gold-ink' : 'border-line-strong aria-[current=page]:bg-brand aria-[current=page]:text-on-fill'}`}
        >
          {label}
          {label === 'My class' && <span className="year">{year}</span>}
        </Link>
      ))}
      {hasYears && (
        <a href="#years" className={`${look} border-line-strong`}>
          By year
        </a>
      )}
    </nav>
  );
}

function Classmates({ cards }: { cards: readonly Card[] }) {
  const user = useUser();
  if (!isMember(user) || !user.department || !user.yearGraduated) return null;
  return (
    <section className="min-w-0 py-6">
      <h2 className="mb-1 border-b-2 border-gold-strong pb-1 year">
        <Link to={paths.classOf(user.department, user.yearGraduated)} className="hover:underline">
          Class of {user.yearGraduated}
        </Link>
      </h2>
      <Faces cards={cards} label="Classmates" />
    </section>
  );
}

function SortLinks({ view }: { view: DirectoryView }) {
  const current = sortOf(view, useUser());
  return (
    <nav aria-label="Order" className="flex">
      {Object.entries(sortLabels).map(([name, label]) => {
        const sort = name as DirectorySort;
        return (
          <Link
            key={sort}
            preventScrollReset
            to={toViewPath({ ...view, sort, after: undefined })}
            aria-current={sort === current ? 'page' : undefined}
            className="flex min-h-11 items-center px-1.5 text-sm text-ink-soft hover:underline aria-[current=page]:font-bold aria-[current=page]:text-brand"
          >
            {label}
          </Link>
        );
      })}
    </nav>
  );
}

/** A plain GET form: it works without JavaScript, and each layout has its own URL. */
function LayoutSwitch({ view }: { view: DirectoryView }) {
  const choices = [
    { layout: 'grid', label: 'Grid view', icon: 'layout-grid' },
    { layout: 'list', label: 'List view', icon: 'list' },
  ] as const;
  return (
    <Form
      id="layout"
      aria-label="Layout"
      action={paths.dashboard}
      preventScrollReset
      className="flex rounded-control border border-line-strong bg-raised"
    >
      <ViewFields view={{ ...view, layout: 'grid', after: undefined }} />
      {choices.map(({ layout, label, icon }) => (
        <button
          key={layout}
          type="submit"
          name="view"
          value={layout}
          aria-pressed={view.layout === layout}
          className="flex min-h-11 items-center gap-2 rounded-[7px] px-3 font-semibold text-ink-soft hover:bg-wash aria-pressed:bg-brand aria-pressed:text-on-fill"
        >
          <Icon name={icon} />
          <span className="max-sm:sr-only">{label}</span>
        </button>
      ))}
    </Form>
  );
}

function EmptyArchive() {
  const { institution } = useRootData();
  return (
    <div className="grid max-w-md justify-items-start gap-3 py-6">
      <Drawing name="hall" />
      <p>This is the archive of the students and graduates of {institution.name}.</p>
      <NobodyYet />
      <p className="text-sm text-ink-soft">
        If you operate this archive, you can import people: <code>npm run archive -- import --help</code>
      </p>
    </div>
  );
}
