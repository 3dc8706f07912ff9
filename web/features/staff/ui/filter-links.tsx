import { Link } from 'react-router';

interface FilterLink {
  readonly to: string;
  readonly label: string;
  readonly count?: string;
  readonly isCurrent: boolean;
}

export function FilterLinks({ label, links }: { label: string; links: readonly FilterLink[] }) {
  return (
    <nav
      aria-label={label}
      className="-mx-4 flex px-3.5 [scrollbar-width:none] max-lg:overflow-x-auto lg:-mx-0.5 lg:flex-wrap lg:px-0"
    >
      {links.map(({ to, label: name, count, isCurrent }) => (
        <Link
          key={to}
          to={to}
          preventScrollReset
          aria-current={isCurrent ? 'true' : undefined}
          className="group flex min-h-11 shrink-0 items-center px-0.5 text-sm font-medium text-ink-soft -outline-offset-3 lg:min-h-9 "
        >
          <span className="rounded-full px-2.5 py-1.5 group-hover:bg-wash group-aria-[current]:bg-brand group-aria-[current]:text-on-fill lg:px-2 lg:py-1">
            {name} {count !== undefined && <span className="nums font-normal">{count}</span>}
          </span>
        </Link>
      ))}
    </nav>
  );
}
