import type { ReactNode } from 'react';
import { Link } from 'react-router';

interface Props {
  label?: string;
  /** The rows have buttons at their end. They then end before the place of the toasts. */
  hasButtons?: boolean;
  children: ReactNode;
}

export const Rows = ({ label, hasButtons = false, children }: Props) => (
  <ul
    aria-label={label}
    className={`divide-y divide-line border-y border-line ${hasButtons ? 'lg:max-w-[min(48rem,100%-22rem)]' : ''}`}
  >
    {children}
  </ul>
);

interface RowProps {
  to?: string;
  title: ReactNode;
  detail?: ReactNode;
  aside?: ReactNode;
}

/** At least 44 px high. Long names wrap. */
export function Row({ to, title, detail, aside }: RowProps) {
  const content = (
    <>
      <span className="min-w-0 grow basis-48">
        <span className="block font-semibold wrap-break-word">{title}</span>{' '}
        {detail !== undefined && <span className="block text-sm wrap-anywhere text-ink-soft">{detail}</span>}
      </span>{' '}
      {aside !== undefined && (
        <span className="nums flex flex-wrap items-center gap-2 text-sm text-ink-soft">{aside}</span>
      )}
    </>
  );
  const rowClass = 'flex min-h-11 flex-wrap items-center gap-x-4 gap-y-1 py-2.5';
  return (
    <li>
      {to === undefined ? (
        <div className={rowClass}>{content}</div>
      ) : (
        <Link to={to} className={`${rowClass} -mx-2 rounded-control px-2 hover:bg-wash`}>
          {content}
        </Link>
      )}
    </li>
  );
}
