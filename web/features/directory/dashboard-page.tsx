import { Icon } from '../../ui/icon.tsx';
import { useEffect, useEffectEvent, useState } from 'react';
import { useLoaderData, useLocation, useNavigation, useRevalidator } from 'react-router';
import type { Facets } from '#contract/directory.ts';
import { Link } from '../../platform/link.tsx';
import { nextStep } from '../../domain/guards.ts';
import { paths } from '../../domain/paths.ts';
import { useUser } from '../../domain/root-data.ts';
import { useGetForm } from '../../platform/use-get-form.ts';
import { useLazyComponent } from '../../ui/use-lazy-component.ts';
import { FetchFailure } from '../../ui/fetch-failure.tsx';
import { CardPages } from './card-pages.tsx';
import { CardSkeletons } from './card-skeletons.tsx';
import { countFilters, type DirectoryView, getViewFields, toViewPath } from './filters.ts';
import type { Directory, DirectoryData } from './loader.ts';
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
      <h1 className="text-xl font-bold lg:text-2xl">View all students in your department</h1>
      {data.failed && (
        <FetchFailure reason={data.reason} busy={state === 'loading'} onRetry={() => void revalidate()} />
      )}
      {directory && <PeopleView directory={directory} viewer={viewer} />}
    </div>
  );
}

function PeopleView({ directory, viewer }: { directory: Directory; viewer: string }) {
  const { view, page, count, years, facets } = directory;
  const filterDialog = useLazyComponent(() => import('./filter-dialog.tsx'));
  const user = useUser();
  const { pathname } = useLocation();
  const { location, state } = useNavigation();
  // Placeholders replace the cards while another filter loads.
  const isChanging = state === 'loading' && location?.pathname === pathname;
  const activeCount = countFilters(view.filters, user ?? null);
  const hasPlainFilters = facets !== undefined;
  const openFilters = useEffectEvent(filterDialog.open);
  useEffect(() => {
    // The scripts of the previous page failed to load, so its Filters button requested this page.
    if (hasPlainFilters) openFilters();
  }, [hasPlainFilters]);
  return (
    <>
      <div className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-3">
        <Scope directory={directory} />
        <div className="ml-auto flex items-center gap-2">
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
            className="inline-flex min-h-11 items-center gap-2 rounded-control border border-line-strong bg-raised px-3 font-semibold hover:bg-wash"
          >
            <Icon name="sliders-horizontal" className="size-5" />
            Filters
            {activeCount > 0 && (
              <span
                className="grid min-w-6 place-items-center rounded-full bg-brand px-1.5 text-sm text-on-fill"
                aria-label={`${activeCount} active`}
              >
                {activeCount}
              </span>
            )}
          </button>
        </div>
      </div>
      <noscript>{import.meta.env.SSR && facets && <PlainFilters view={view} count={count} known={facets} />}</noscript>
      <YearStrip view={view} years={years} />
      {isChanging ? (
        <CardSkeletons layout={view.layout} />
      ) : (
        <CardPages key={toViewPath(view)} viewer={viewer} view={view} first={page} count={count} />
      )}
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

/** Shows the number of people, their department, and a link to all departments. */
function Scope({ directory: { view, count } }: { directory: Directory }) {
  const { department } = view.filters;
  return (
    <p className="flex flex-wrap items-baseline gap-x-3 text-ink-soft">
      <span>
        <strong className="font-semibold text-ink nums">{count.toLocaleString('en')}</strong>{' '}
        {count === 1 ? 'student' : 'students'}
        {department === undefined ? ' in all departments' : ` in ${department}`}
      </span>
      {department !== undefined && (
        <Link
          className="link inline-flex min-h-11 items-center"
          to={toViewPath({ ...view, filters: { ...view.filters, department: undefined }, after: undefined })}
        >
          All departments
        </Link>
      )}
    </p>
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
      {getViewFields(view).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
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
    <p className="mb-5 rounded-card border border-brand-line bg-wash px-4 py-3">
      You currently see what guests see.{' '}
      <Link to={next} className="link">
        {next === paths.onboarding ? 'Complete your profile' : 'Verify your email'}
      </Link>{' '}
      to see more and to let others find you.
    </p>
  );
}
