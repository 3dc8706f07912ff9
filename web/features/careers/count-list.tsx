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
  <ul className="grid gap-1 lg:gap-0">
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

const rowClass =
  '-mx-2 grid min-h-11 grid-cols-[minmax(0,1fr)_auto] content-center items-baseline gap-x-3 gap-y-1 rounded px-2 pt-1 pb-1.5 leading-snug lg:min-h-10';

const Texts = ({ label, detail, people, isChosen, maxPeople }: Counted & { maxPeople: number }) => (
  <>
    <span className="wrap-anywhere">
      <span suppressHydrationWarning>{label}</span>{' '}
      {detail !== undefined && (
        <span suppressHydrationWarning className="text-sm text-ink-soft">
          {detail}
        </span>
      )}
    </span>{' '}
    <span className="text-sm text-ink-soft nums">
      {people.toLocaleString('en')}
      {isChosen && (
        <>
          <span className="sr-only">, selected, press to remove this filter</span>
          <Icon name="check" className="-mb-0.5 ml-2 inline size-4 text-brand" />
        </>
      )}
    </span>
    <svg
      viewBox="0 0 100 1"
      preserveAspectRatio="none"
      aria-hidden="true"
      className="col-span-full h-1 w-full fill-brand-bright"
    >
      <path d={`M0 0h${Math.max(1, Math.round((100 * people) / maxPeople))}v1H0`} />
    </svg>
  </>
);
