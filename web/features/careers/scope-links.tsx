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
  if (department !== null) links.push([reword('My department'), toCareersPath({ department })]);
  if (department !== null && year !== null)
    links.push(['My class', toCareersPath({ department, graduatedFrom: year, graduatedTo: year })]);
  if (!links.some(([, to]) => to === shown)) links.push([describeScope(scope), shown]);
  return (
    <nav aria-label="People shown" className="flex flex-wrap gap-1.5 text-sm">
      {links.map(([label, to]) => (
        <Link
          key={to}
          to={to}
          aria-current={to === shown ? 'page' : undefined}
          className={`flex min-h-11 items-center rounded-full border px-3 py-1 font-semibold wrap-anywhere ${label === 'My class' ? 'border-gold-strong aria-[current=page]:bg-gold aria-[current=page]:text-gold-ink' : 'border-line-strong aria-[current=page]:bg-brand aria-[current=page]:text-on-fill'}`}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}

function describeScope({ department, graduatedFrom: from, graduatedTo: to }: CareerFilters): string {
  const years = from === to ? from && `class of ${from}` : `classes ${from ?? '…'}–${to ?? '…'}`;
  return [department, years].filter(Boolean).join(', ');
}
