import type { ReactNode } from 'react';

interface Props {
  heading: string;
  hint?: ReactNode;
  aside?: ReactNode;
  id?: string;
  className?: string;
  children: ReactNode;
}

export function Group({ heading, hint, aside, id, className = '', children }: Props) {
  return (
    <section className="@container grid gap-5 border-t border-line pt-6 pb-2 first:border-0 first:pt-0">
      <div>
        <div
          className={
            aside
              ? 'grid max-w-[400px] grid-cols-[1fr_auto] items-center gap-x-4 @xl:max-w-none @xl:grid-cols-[minmax(0,400px)_auto]'
              : undefined
          }
        >
          <h2 id={id} tabIndex={id === undefined ? undefined : -1} className="text-lg font-bold">
            {heading}
          </h2>
          {aside}
        </div>
        {hint !== undefined && <p className="max-w-[66ch] text-sm text-ink-soft">{hint}</p>}
      </div>
      <div className={`grid gap-5 ${className}`}>{children}</div>
    </section>
  );
}
