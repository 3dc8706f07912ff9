import { Link } from 'react-router';

interface FilterLink {
  readonly to: string;
  readonly label: string;
  readonly count?: string;
  readonly isCurrent: boolean;
}

export function FilterLinks({ label, links }: { label: string; links: readonly FilterLink[] }) {
  return (
    <nav aria-label={label} className="-mx-4 flex gap-1 px-3 max-lg:overflow-x-auto lg:-mx-2.5 lg:flex-wrap lg:px-0">
      {links.map(({ to, label: name, count, isCurrent }) => (
        <Link
          key={to}
          to={to}
          preventScrollReset
          aria-current={isCurrent ? 'true' : undefined}
          className="flex min-h-11 shrink-0 items-center gap-1.5 rounded-full px-2.5 text-sm font-medium text-ink-soft hover:bg-wash aria-[current]:bg-wash aria-[current]:font-semibold aria-[current]:text-ink lg:min-h-8"
        >
          {name} {count !== undefined && <span className="nums font-normal text-ink-soft">{count}</span>}
        </Link>
      ))}
    </nav>
  );
}
