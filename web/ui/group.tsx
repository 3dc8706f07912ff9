import type { ReactNode } from 'react';

interface Props {
  heading: string;
  hint?: ReactNode;
  id?: string;
  className?: string;
  children: ReactNode;
}

export function Group({ heading, hint, id, className = '', children }: Props) {
  return (
    <section className="@container grid gap-6 border-t border-line pt-6 first:border-0 first:pt-0 md:max-lg:grid-cols-[12rem_minmax(0,1fr)] md:max-lg:gap-x-8 2xl:grid-cols-[16rem_minmax(0,37rem)] 2xl:gap-x-12">
      <div className="grid content-start gap-2">
        <h2 id={id} tabIndex={id === undefined ? undefined : -1} className="text-lg font-bold">
          {heading}
        </h2>
        {hint !== undefined && <p className="max-w-[66ch] text-sm text-ink-soft">{hint}</p>}
      </div>
      <div className={`grid content-start gap-6 ${className}`}>{children}</div>
    </section>
  );
}
