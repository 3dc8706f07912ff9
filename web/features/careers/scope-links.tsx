import { Link } from 'react-router';
import type { CareerFilters } from '#contract/careers.ts';
import { toCareersPath } from '#web/domain/careers.ts';
import { isMember, useUser } from '#web/domain/root-data.ts';
import { reword } from '#web/platform/words.ts';

/** Whom map, places, fields and employers describe. */
export function ScopeLinks({ scope }: { scope: CareerFilters }) {
  const user = useUser();
  const { department = null, yearGraduated: year = null } = isMember(user) ? user : {};
  const shown = toCareersPath(scope);
  const links: [label: string, to: string][] = [['Everyone', toCareersPath({})]];
  if (department !== null) links.unshift([reword('My department'), toCareersPath({ department })]);
  if (department !== null && year !== null)
    links.unshift(['My class', toCareersPath({ department, graduatedFrom: year, graduatedTo: year })]);
  if (!links.some(([, to]) => to === shown)) links.push([describeScope(scope), shown]);
  return (
    <nav
      aria-label="People shown"
      className="segmented flex-wrap wrap-anywhere max-sm:w-full max-sm:*:grow max-sm:*:justify-center max-sm:*:px-2"
    >
      {links.map(([label, to]) => (
        <Link
          key={to}
          to={to}
          aria-current={to === shown ? 'page' : undefined}
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

function describeScope({ department, graduatedFrom: from, graduatedTo: to }: CareerFilters): string {
  const years = from === to ? from && `class of ${from}` : `classes ${from ?? '…'}–${to ?? '…'}`;
  return [department, years].filter(Boolean).join(', ');
}
