import { Icon } from '../../ui/icon.tsx';
import { useEffect, useEffectEvent, useState } from 'react';
import { useLoaderData, useLocation, useNavigation, useRevalidator } from 'react-router';
import type { Card, DirectorySort, Facets } from '#contract/directory.ts';
import { Link } from '../../platform/link.tsx';
import { Faces } from '../../domain/faces.tsx';
import { paths } from '../../domain/paths.ts';
import { isMember, nextStep, useUser } from '../../domain/root-data.ts';
import { useGetForm } from '../../platform/use-get-form.ts';
import { useLazyComponent } from '../../ui/use-lazy-component.ts';
import { FetchFailure } from '../../ui/fetch-failure.tsx';
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
      <NextStepLine />
      <h1 className="font-semibold text-ink-soft">View all students in your department</h1>
      {data.failed && (
        <FetchFailure reason={data.reason} busy={state === 'loading'} onRetry={() => void revalidate()} />
      )}
      {directory && <PeopleView directory={directory} viewer={viewer} />}
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
  const openFilters = useEffectEvent(filterDialog.open);
  useEffect(() => {
    // The scripts of the previous page failed to load, so its Filters button requested this page.
    if (hasPlainFilters) openFilters();
  }, [hasPlainFilters]);
  const { graduatedFrom, graduatedTo } = view.filters;
  return (
    <>
      <div className="mb-4 flex flex-wrap justify-between gap-x-10 gap-y-3">
        <div className="grid min-w-0 content-start gap-2">
          <Scope view={view} count={count} />
          <ScopeLinks view={view} />
        </div>
        {classmates && <Classmates cards={classmates} />}
      </div>
      <YearStrip view={view} years={years} />
      <div className="my-3 flex flex-wrap items-center gap-2">
        <SortLinks view={view} />
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
          <span className="max-lg:sr-only">Filters</span>
          {activeCount > 0 && (
            <span
              className="absolute -top-2 -right-2 min-w-5 rounded-full bg-brand px-1.5 text-xs text-on-fill"
              aria-label={`${activeCount} active`}
            >
              {activeCount}
            </span>
          )}
        </button>
      </div>
      <noscript>{import.meta.env.SSR && facets && <PlainFilters view={view} count={count} known={facets} />}</noscript>
      <div key={`${graduatedFrom}-${graduatedTo}`} aria-busy={isChanging} className="wall">
        <CardPages key={toViewPath(view)} viewer={viewer} view={view} first={page} count={count} />
      </div>
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
    <section aria-label="Filters" className="mt-4 max-w-xl rounded-card border border-line bg-raised p-6">
      {FilterForm && <FilterForm {...props} onClose={() => undefined} />}
    </section>
  );
}

/** Shows whom the wall contains, and how many people they are. */
function Scope({ view: { filters }, count }: { view: DirectoryView; count: number }) {
  const { department, graduatedFrom, graduatedTo } = filters;
  const years = [...new Set([graduatedFrom, graduatedTo])].filter(Boolean).join('–');
  return (
    <p className="text-2xl font-bold text-balance lg:text-3xl">
      {`${department ?? 'All departments'} · `}
      {years && (
        <>
          <span className="year">{years}</span>
          {' · '}
        </>
      )}
      <span className="nums">{count.toLocaleString('en')}</span>
      <span className="sr-only">{count === 1 ? ' student' : ' students'}</span>
    </p>
  );
}

/** Links members to their class, their department and everyone. Guests, who start with everyone, get only a link back to everyone. */
function ScopeLinks({ view: { filters, layout } }: { view: DirectoryView }) {
  const user = useUser();
  const { department, yearGraduated: year } = isMember(user) ? user : { department: null, yearGraduated: null };
  const pathTo = (shown: DirectoryView['filters']) => toViewPath({ filters: shown, layout });
  const here = pathTo(filters);
  const links = [{ label: 'Everyone', path: pathTo({}) }];
  if (department !== null) {
    links.unshift({ label: 'My department', path: pathTo({ department }) });
    if (year !== null)
      links.unshift({ label: 'My class', path: pathTo({ department, graduatedFrom: year, graduatedTo: year }) });
  } else if (here === links[0]?.path) return null;
  return (
    <nav aria-label="People shown" className="-mx-4 flex gap-1.5 overflow-x-auto px-4 py-1 text-sm">
      {links.map(({ label, path }) => (
        <Link
          key={label}
          to={path}
          aria-current={path === here ? 'page' : undefined}
          className={`flex min-h-11 shrink-0 items-center gap-1.5 rounded-full border px-3 font-semibold ${label === 'My class' ? 'border-gold-strong aria-[current=page]:bg-gold aria-[current=page]:text-gold-ink' : 'border-line-strong aria-[current=page]:bg-brand aria-[current=page]:text-on-fill'}`}
        >
          {label}
          {label === 'My class' && <span className="year">{year}</span>}
        </Link>
      ))}
    </nav>
  );
}

/** Shows members of the viewer's class, with a link to its page. */
function Classmates({ cards }: { cards: readonly Card[] }) {
  const user = useUser();
  if (!isMember(user) || !user.department || !user.yearGraduated) return null;
  return (
    <section className="min-w-0">
      <h2 className="mb-1 border-b-2 border-gold-strong pb-1 year">
        <Link to={paths.classOf(user.department, user.yearGraduated)} className="hover:underline">
          Class of {user.yearGraduated}
        </Link>
      </h2>
      <Faces cards={cards} label="Classmates" />
    </section>
  );
}

/** Links to the same people in each order. */
function SortLinks({ view }: { view: DirectoryView }) {
  const current = sortOf(view, useUser());
  return (
    <nav aria-label="Order" className="-ml-2 mr-auto flex">
      {Object.entries(sortLabels).map(([name, label]) => {
        const sort = name as DirectorySort;
        return (
          <Link
            key={sort}
            keepsScroll
            to={toViewPath({ ...view, sort, after: undefined })}
            aria-current={sort === current ? 'page' : undefined}
            className="flex min-h-11 items-center px-2 text-sm text-ink-soft hover:underline aria-[current=page]:font-bold aria-[current=page]:text-brand"
          >
            {label}
          </Link>
        );
      })}
    </nav>
  );
}

/** Switches the layout with a plain GET form: it works without JavaScript, and each layout has its own URL. */
function LayoutSwitch({ view }: { view: DirectoryView }) {
  const submit = useGetForm();
  const choices = [
    { layout: 'grid', label: 'Grid view', icon: 'layout-grid' },
    { layout: 'list', label: 'List view', icon: 'list' },
  ] as const;
  return (
    <form
      id="layout"
      aria-label="Layout"
      action={paths.dashboard}
      onSubmit={submit}
      className="flex rounded-control border border-line-strong bg-raised"
    >
      <ViewFields view={{ ...view, layout: 'grid', after: undefined }} />
      {choices.map(({ layout, label, icon }) => (
        <button
          key={layout}
          type="submit"
          name="view"
          value={layout}
          aria-label={label}
          title={label}
          aria-pressed={view.layout === layout}
          className="grid size-10.5 place-items-center rounded-[7px] text-ink-soft hover:bg-wash aria-pressed:bg-brand aria-pressed:text-on-fill"
        >
          <Icon name={icon} />
        </button>
      ))}
    </form>
  );
}

/** Shows users who are not members yet the next step, with a link. */
function NextStepLine() {
  const user = useUser();
  const next = user && nextStep(user);
  if (!next) return null;
  return (
    <p className="mb-5 bg-wash px-4 py-3">
      You currently see what guests see.{' '}
      <Link to={next} className="link">
        {next === paths.onboarding ? 'Complete your profile' : 'Verify your email'}
      </Link>{' '}
      to see more and to let others find you.
    </p>
  );
}
