import { Link } from 'react-router';
import { isMember, useUser } from '#web/domain/root-data.ts';
import { reword } from '#web/platform/words.ts';

/** The people shown: of a department, of a range of classes, or everyone. */
export interface Scope {
  readonly department?: string | undefined;
  readonly graduatedFrom?: number | undefined;
  readonly graduatedTo?: number | undefined;
}

interface Props {
  shown: Scope;
  pathTo: (scope: Scope) => string;
}

/** Links to the user's class, the user's department and everyone. Another scope is added at the end while it is shown. */
export function ScopeLinks({ shown, pathTo }: Props) {
  const user = useUser();
  const { department = null, yearGraduated: year = null } = isMember(user) ? user : {};
  const links: [label: string, path: string][] = [['Everyone', pathTo({})]];
  if (department !== null) links.unshift([reword('My department'), pathTo({ department })]);
  if (department !== null && year !== null)
    links.unshift(['My class', pathTo({ department, graduatedFrom: year, graduatedTo: year })]);
  const shownPath = pathTo(shown);
  if (!links.some(([, path]) => path === shownPath)) links.push([describeScope(shown), shownPath]);
  if (links.length === 1) return null;
  return (
    <nav
      aria-label="People shown"
      className="segmented flex-wrap wrap-anywhere max-sm:w-full max-sm:*:grow max-sm:*:justify-center max-sm:*:px-2"
    >
      {links.map(([label, path]) => (
        <Link
          key={path}
          to={path}
          aria-current={path === shownPath ? 'page' : undefined}
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

function describeScope({ department, graduatedFrom: from, graduatedTo: to }: Scope): string {
  const years = from === to ? from && `class of ${from}` : `classes ${from ?? '…'}–${to ?? '…'}`;
  return [department, years].filter(Boolean).join(', ');
}
