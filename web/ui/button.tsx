import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { Link, type LinkProps } from '../platform/link.tsx';

type Look = 'strong' | 'quiet' | 'danger' | 'bare';

const base =
  'button inline-flex min-h-11 items-center justify-center gap-2 rounded-control px-4 py-2 font-semibold smooth';

const disabledClass = 'cursor-not-allowed opacity-60 ';

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
 * A button says what happens. The default type is `button`: only a form's own one submits. A press before the page is live
 * is kept until then (`web/app/early-clicks.ts`); without scripts, buttons that need them are not shown (`web/entry-server.tsx`).
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
  const isDisabled = disabled === true || busy !== false;
  return (
    <button
      type={type}
      className={`${base} ${isDisabled ? disabledClass : ''} ${looks[look]} ${className}`}
      disabled={isDisabled}
      {...rest}
    >
      {busy === false ? children : <FixedWidthLabel label={busy}>{children}</FixedWidthLabel>}
    </button>
  );
}

/** Both texts lie on each other, the wider one makes the room. */
function FixedWidthLabel({ label, children }: { label: string; children: ReactNode }) {
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
