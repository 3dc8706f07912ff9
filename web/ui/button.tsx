import type { AnchorHTMLAttributes, ButtonHTMLAttributes, ReactNode } from 'react';
import { Link, type LinkProps } from 'react-router';

type Variant = 'strong' | 'quiet' | 'danger' | 'bare';

const base = 'button inline-flex min-h-11 items-center justify-center gap-2 rounded-control px-4 py-2 font-semibold';

const disabledClass = 'cursor-not-allowed opacity-60 ';

const variants: Record<Variant, string> = {
  strong: 'bg-brand text-on-fill hover:bg-brand-strong',
  quiet: 'border border-line-strong bg-raised text-ink hover:border-ink-soft hover:bg-wash',
  danger: 'bg-danger text-on-fill hover:bg-danger-strong',
  bare: 'text-brand hover:bg-wash',
};

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  variant?: Variant;
  /** The label while an action runs. The button is then disabled and keeps its width. */
  busy?: string | false;
}

/**
 * Renders a button. The default type is `button`, so that only an explicit `submit` button submits a form. A click
 * before hydration is replayed (`web/early-clicks.ts`). Without JavaScript, buttons that need them are not shown
 * (`web/entry-server.tsx`).
 */
export function Button({
  variant = 'strong',
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
      className={`${base} ${isDisabled ? disabledClass : ''} ${variants[variant]} ${className}`}
      disabled={isDisabled}
      {...rest}
    >
      {busy === false ? children : <FixedWidthLabel label={busy}>{children}</FixedWidthLabel>}
    </button>
  );
}

/** Stacks both labels in one place, so that the wider one sets the width. */
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

interface AnchorProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  variant?: Variant;
  href: string;
}

/** Leads to a file or another site. */
export const ButtonAnchor = ({ variant = 'quiet', children, ...rest }: AnchorProps) => (
  <a className={`${base} ${variants[variant]}`} {...rest}>
    {children}
  </a>
);

export function ButtonLink({ variant = 'strong', className = '', ...rest }: LinkProps & { variant?: Variant }) {
  return <Link className={`${base} ${variants[variant]} ${className}`} {...rest} />;
}
