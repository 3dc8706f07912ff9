import { Form, Link } from 'react-router';
import type { DirectorySort } from '#contract/directory.ts';
import { paths } from '#web/domain/paths.ts';
import { useUser } from '#web/domain/root-data.ts';
import { Icon } from '#web/ui/icon.tsx';
import { type DirectoryView, defaultSortOf, sortLabels, sortOf, toViewPath } from './filters.ts';
import { ViewFields } from './view-fields.tsx';

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
