import { type ReactNode, useId } from 'react';

interface Props {
  heading: string;
  hint?: ReactNode;
  aside?: ReactNode;
  children: ReactNode;
}

export function Section({ heading, hint, aside, children }: Props) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="grid min-w-0 grid-cols-1 content-start gap-3">
      <div>
        <div className="flex flex-wrap items-center justify-between gap-x-4">
          <h2 id={id} className="min-w-0 text-lg font-bold wrap-anywhere">
            {heading}
          </h2>
          {aside !== undefined && <div className="-my-2">{aside}</div>}
        </div>
        {hint !== undefined && <p className="mt-1 max-w-xl text-pretty text-sm text-ink-soft">{hint}</p>}
      </div>
      {children}
    </section>
  );
}
