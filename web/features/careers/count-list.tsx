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
  return (
    <section id={title.toLowerCase()} aria-label={title}>
      <h2 className="mb-1 border-b border-line pb-1 font-bold">{title}</h2>
      <Rows items={items.slice(0, maxShown)} />
      {items.length > maxShown && (
        <details>
          <summary className="link flex min-h-11 cursor-pointer items-center lg:min-h-9">
            Show {items.length - maxShown} more
          </summary>
          <Rows items={items.slice(maxShown)} />
        </details>
      )}
    </section>
  );
}

const Rows = ({ items }: { items: readonly Counted[] }) => (
  <ul>
    {items.map((item) => (
      <li key={item.id}>
        {item.to === undefined ? (
          <span className={rowClass}>
            <Texts {...item} />
          </span>
        ) : (
          <Link
            to={item.to}
            aria-current={item.isChosen || undefined}
            className={`${rowClass} hover:bg-wash aria-[current]:bg-wash aria-[current]:font-semibold aria-[current]:text-brand`}
          >
            <Texts {...item} />
          </Link>
        )}
      </li>
    ))}
  </ul>
);

const rowClass = '-mx-2 flex min-h-11 items-center gap-3 rounded-control px-2 py-1 leading-snug lg:min-h-9';

const Texts = ({ label, detail, people, isChosen }: Counted) => (
  <>
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
