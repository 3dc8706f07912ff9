import { Link } from 'react-router';
import { Icon } from '#web/ui/icon.tsx';

export interface Counted {
  readonly id: string | number;
  readonly label: string;
  /** Shown after the label, less prominent. */
  readonly detail?: string;
  readonly people: number;
  /** Undefined if there is no list of these people. */
  readonly to: string | undefined;
  readonly isChosen: boolean;
}

interface Props {
  title: string;
  items: readonly Counted[];
  /** Those after it appear on request. */
  maxShown?: number;
}

export function CountList({ title, items, maxShown = 5 }: Props) {
  if (items.length === 0) return null;
  const maxPeople = Math.max(...items.map(({ people }) => people));
  return (
    <section id={title.toLowerCase()} aria-label={title}>
      <h2 className="mb-1 border-b border-line pb-1 font-bold">{title}</h2>
      <Rows items={items.slice(0, maxShown)} maxPeople={maxPeople} />
      {items.length > maxShown && (
        <details>
          <summary className="link flex min-h-11 cursor-pointer items-center lg:min-h-9">
            Show {items.length - maxShown} more
          </summary>
          <Rows items={items.slice(maxShown)} maxPeople={maxPeople} />
        </details>
      )}
    </section>
  );
}

const Rows = ({ items, maxPeople }: { items: readonly Counted[]; maxPeople: number }) => (
  <ul className="grid gap-1">
    {items.map((item) => (
      <li key={item.id}>
        {item.to === undefined ? (
          <span className={rowClass}>
            <Texts {...item} maxPeople={maxPeople} />
          </span>
        ) : (
          <Link
            to={item.to}
            aria-current={item.isChosen || undefined}
            className={`${rowClass} hover:bg-wash aria-[current]:font-semibold aria-[current]:text-brand`}
          >
            <Texts {...item} maxPeople={maxPeople} />
          </Link>
        )}
      </li>
    ))}
  </ul>
);

const rowClass = 'relative -mx-2 flex min-h-11 items-center gap-3 rounded px-2 py-1 leading-snug lg:min-h-9';

/** The bar below the texts has a square-root scale, like the bars of the years. */
const Texts = ({ label, detail, people, isChosen, maxPeople }: Counted & { maxPeople: number }) => (
  <>
    <svg
      viewBox="0 0 100 1"
      preserveAspectRatio="none"
      aria-hidden="true"
      className="absolute bottom-0 left-2 h-1 w-[calc(100%-1rem)] fill-brand-bright"
    >
      <path d={`M0 0h${Math.round(100 * Math.sqrt(people / maxPeople))}v1H0`} />
    </svg>
    <span className="min-w-0 grow wrap-anywhere">
      <span suppressHydrationWarning>{label}</span>{' '}
      {detail !== undefined && (
        <span suppressHydrationWarning className="text-sm text-ink-soft">
          {detail}
        </span>
      )}
    </span>{' '}
    <span className="text-sm text-ink-soft nums">{people.toLocaleString('en')}</span>
    {isChosen && (
      <>
        <span className="sr-only">, selected, press to remove this filter</span>
        <Icon name="check" className="size-4 shrink-0" />
      </>
    )}
  </>
);
