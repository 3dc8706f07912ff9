import { type ReactNode, useId } from 'react';

interface Props {
  heading: string;
  /** A sentence below the heading. */
  hint?: ReactNode;
  /** A control at the end of the heading's line. */
  aside?: ReactNode;
  children: ReactNode;
}

/** Shows a part of a page: a heading of level 2, and the content below it. */
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
        {hint !== undefined && <p className="max-w-[66ch] text-sm text-ink-soft">{hint}</p>}
      </div>
      {children}
    </section>
  );
}
