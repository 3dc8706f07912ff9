import { Form, Link } from 'react-router';
import type { DirectorySort } from '#contract/directory.ts';
import { paths } from '#web/domain/paths.ts';
import { isMember, useUser } from '#web/domain/root-data.ts';
import { reword } from '#web/platform/words.ts';
import { Icon } from '#web/ui/icon.tsx';
import { type DirectoryView, defaultSortOf, sortLabels, sortOf, toViewPath } from './filters.ts';
import { ViewFields } from './view-fields.tsx';

export function ScopeLinks({ view: { filters, layout } }: { view: DirectoryView }) {
  const user = useUser();
  const { department, yearGraduated: year } = isMember(user) ? user : { department: null, yearGraduated: null };
  const pathTo = (shown: DirectoryView['filters']) => toViewPath({ filters: shown, layout });
  const isShown = filters.department ?? null;
  const isOwnClass =
    department !== null && isShown === department && filters.graduatedFrom === year && filters.graduatedTo === year;
  const links = [{ label: 'Everyone', path: pathTo({}), isCurrent: isShown === null }];
  if (department !== null) {
    links.unshift({
      label: reword('My department'),
      path: pathTo({ department }),
      isCurrent: isShown === department && !isOwnClass,
    });
    if (year !== null)
      links.unshift({
        label: 'My class',
        path: pathTo({ department, graduatedFrom: year, graduatedTo: year }),
        isCurrent: isOwnClass,
      });
  }
  if (isShown !== null && isShown !== department)
    links.push({ label: isShown, path: pathTo({ department: isShown }), isCurrent: true });
  if (links.length === 1) return null;
  return (
    <nav
      aria-label="People shown"
      className="segmented max-sm:w-full max-sm:flex-wrap max-sm:*:grow max-sm:*:justify-center max-sm:*:px-2"
    >
      {links.map(({ label, path, isCurrent }) => (
        <Link
          key={label}
          to={path}
          aria-current={isCurrent ? 'page' : undefined}
          className={label === 'My class' ? 'own' : undefined}
        >
          {label}
          {label === 'My class' && (
            <>
              {' '}
              <span className="year">{year}</span>
            </>
          )}
        </Link>
      ))}
    </nav>
  );
}

export function SortLinks({ view }: { view: DirectoryView }) {
  const user = useUser();
  const current = sortOf(view, user);
  return (
    <nav aria-label="Order" className="-mr-1.5 ml-auto flex items-center text-sm text-ink-soft max-lg:hidden">
      <span className="hidden px-1.5 min-[88rem]:block">Sort</span>
      {Object.entries(sortLabels).map(([name, label]) => {
        const sort = name as DirectorySort;
        return (
          <Link
            key={sort}
            preventScrollReset
            to={toViewPath({ ...view, sort: sort === defaultSortOf(user) ? undefined : sort, after: undefined })}
            aria-current={sort === current ? 'page' : undefined}
            className="flex min-h-11 items-center px-1.5 hover:underline aria-[current=page]:font-bold aria-[current=page]:text-brand"
          >
            {label}
          </Link>
        );
      })}
    </nav>
  );
}

/** A plain GET form: it works without JavaScript, and each layout has its own URL. */
export function LayoutSwitch({ view }: { view: DirectoryView }) {
  const choices = [
    { layout: 'grid', label: 'Grid view', icon: 'layout-grid' },
    { layout: 'list', label: 'List view', icon: 'list' },
  ] as const;
  return (
    <Form id="layout" aria-label="Layout" action={paths.dashboard} preventScrollReset className="segmented shrink-0">
      <ViewFields view={{ ...view, layout: 'grid', after: undefined }} />
      {choices.map(({ layout, label, icon }) => (
        <button key={layout} type="submit" name="view" value={layout} aria-pressed={view.layout === layout}>
          <Icon name={icon} />
          <span className="max-sm:sr-only">{label}</span>
        </button>
      ))}
    </Form>
  );
}
