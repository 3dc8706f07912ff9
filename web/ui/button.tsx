import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { useHydrated } from '../platform/use-hydrated.ts';
import { Link, type LinkProps } from '../platform/link.tsx';

type Look = 'strong' | 'quiet' | 'danger' | 'bare';

const base =
  'button inline-flex min-h-11 items-center justify-center gap-2 rounded-control px-4 py-2 font-semibold smooth';

/** Only for what is off by itself: a button that waits for its scripts looks as it will look. */
const off = 'cursor-not-allowed opacity-60 ';

const looks: Record<Look, string> = {
  strong: 'bg-brand text-white hover:bg-brand-strong',
  quiet: 'border border-line-strong bg-raised text-ink hover:border-ink-soft hover:bg-brand-soft',
  danger: 'bg-danger text-white hover:bg-danger-strong',
  bare: 'text-brand hover:bg-brand-soft',
};

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: Look;
  /** What the button says while it works; it cannot be pressed again meanwhile, and keeps its width. */
  busy?: string | false;
}

/**
 * A button says what happens. The default type is `button`: only a form's own one submits, and only once the page is
 * live; before that the browser would send the form by itself, a password in the address.
 */
export function Button({
  look = 'strong',
  busy = false,
  type = 'button',
  className = '',
  children,
  disabled,
  ...rest
}: Props) {
  const isTooEarly = !useHydrated() && type === 'submit';
  const isOff = disabled === true || busy !== false;
  return (
    <button
      type={type}
      className={`${base} ${isOff ? off : ''} ${looks[look]} ${className}`}
      disabled={isOff || isTooEarly}
      {...rest}
    >
      {busy === false ? children : <Steady label={busy}>{children}</Steady>}
    </button>
  );
}

/** Both texts lie on each other, the wider one makes the room. */
function Steady({ label, children }: { label: string; children: ReactNode }) {
  return (
    <span className="grid">
      <span className="col-start-1 row-start-1">{label}</span>
      <span className="invisible col-start-1 row-start-1" aria-hidden="true">
        {children}
      </span>
    </span>
  );
}

/** A link that looks like a button, for going somewhere. */
export function ButtonLink({ look = 'strong', className = '', ...rest }: LinkProps & { look?: Look }) {
  return <Link className={`${base} ${looks[look]} ${className}`} {...rest} />;
}
