import { Suspense, use } from 'react';
import { Link } from 'react-router';
import { formatPeople } from '#contract/counts.ts';
import { EmptyArchive } from '#web/domain/empty-archive.tsx';
import { paths } from '#web/domain/paths.ts';
import { reword } from '#web/platform/words.ts';
import { Loader } from '#web/ui/loader.tsx';
import type { Browse } from './search-data.ts';

interface Props {
  /** A promise in the browser, where the page does not wait for the links. */
  browse: Browse | null | Promise<Browse | null>;
}

export function BrowseLinks(props: Props) {
  return (
    <Suspense fallback={<Loader className="late" />}>
      <Links {...props} />
    </Suspense>
  );
}

function Links({ browse }: Props) {
  const found = browse instanceof Promise ? use(browse) : browse;
  if (!found) return null;
  const { isEmpty, departments, otherDepartments, decades } = found;
  if (isEmpty) return <EmptyArchive />;
  return (
    <nav aria-label="Browse" className="mt-4 grid gap-8">
      {decades.length > 0 && (
        <section>
          <h2 className={`mb-3 ${headingClass}`}>Graduated</h2>
          <ul className="grid grid-cols-2 gap-2 lg:auto-cols-fr lg:grid-flow-col lg:grid-cols-none lg:gap-4">
            {decades.map(({ from, to, count }) => (
              <li key={from}>
                <Link
                  to={pathOf({ department: 'all', graduatedFrom: String(from), graduatedTo: String(to) })}
                  className="flex h-full min-h-14 flex-wrap items-center justify-between gap-x-3 rounded-card border border-line bg-raised px-4 py-2 hover:border-brand hover:text-brand"
                >
                  <span className="text-lg year">{from === to ? from : `${from}–${to}`}</span>{' '}
                  <span className="text-sm text-ink-soft nums">{formatPeople(count)}</span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
      {departments.length > 0 && (
        <section>
          <h2 className={headingClass}>{reword('Departments')}</h2>
          <DepartmentRows departments={departments} />
          {otherDepartments.length > 0 && (
            <details>
              <summary className="link flex min-h-11 w-fit cursor-pointer items-center">
                Show {otherDepartments.length} more
              </summary>
              <DepartmentRows departments={otherDepartments} />
            </details>
          )}
        </section>
      )}
    </nav>
  );
}

const headingClass = 'border-b border-line pb-1 text-sm font-semibold text-ink-soft';

const pathOf = (params: Record<string, string>) => `${paths.dashboard}?${new URLSearchParams(params)}`;

const DepartmentRows = ({ departments }: Pick<Browse, 'departments'>) => (
  <ul className="gap-x-8 sm:grid sm:grid-cols-2 lg:grid-cols-3 2xl:grid-cols-4">
    {departments.map(({ value, count }) => (
      <li key={value} className="border-b border-line">
        <Link
          to={pathOf({ department: value })}
          className="flex h-full min-h-11 items-center justify-between gap-3 py-1 hover:text-brand hover:underline"
        >
          <span className="min-w-0 wrap-anywhere">{value}</span>{' '}
          <span className="text-sm text-ink-soft nums">{count.toLocaleString('en')}</span>
        </Link>
      </li>
    ))}
  </ul>
);
