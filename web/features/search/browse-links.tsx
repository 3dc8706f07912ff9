import { type ReactNode, Suspense, use } from 'react';
import { Link } from 'react-router';
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
          <h2 className={headingClass}>Graduated</h2>
          <ul className="flex flex-wrap gap-2 lg:grid lg:auto-cols-fr lg:grid-flow-col lg:gap-4">
            {decades.map(([from, to]) => (
              <Chip key={from} params={{ department: 'all', graduatedFrom: String(from), graduatedTo: String(to) }}>
                <span className="text-lg year lg:py-6 lg:text-2xl">{from === to ? from : `${from}–${to}`}</span>
              </Chip>
            ))}
          </ul>
        </section>
      )}
      {departments.length > 0 && (
        <section>
          <h2 className={headingClass}>{reword('Departments')}</h2>
          <DepartmentChips departments={departments} />
          {otherDepartments.length > 0 && (
            <details>
              <summary className="link flex min-h-11 w-fit cursor-pointer items-center">
                Show {otherDepartments.length} more
              </summary>
              <DepartmentChips departments={otherDepartments} />
            </details>
          )}
        </section>
      )}
    </nav>
  );
}

const headingClass = 'mb-3 border-b border-line pb-1 text-sm font-semibold text-ink-soft';

const DepartmentChips = ({ departments }: Pick<Browse, 'departments'>) => (
  <ul className="flex flex-wrap gap-2 lg:grid lg:grid-cols-3 lg:gap-x-4 2xl:grid-cols-4">
    {departments.map((department) => (
      <Chip key={department} params={{ department }}>
        {department}
      </Chip>
    ))}
  </ul>
);

function Chip({ params, children }: { params: Record<string, string>; children: ReactNode }) {
  return (
    <li>
      <Link
        to={`${paths.dashboard}?${new URLSearchParams(params)}`}
        className="flex min-h-11 items-center rounded-full border border-line-strong bg-raised px-4 py-1 wrap-anywhere lg:h-full lg:rounded-card lg:border-line hover:border-brand hover:bg-wash hover:text-brand"
      >
        {children}
      </Link>
    </li>
  );
}
