import type { ReactNode } from 'react';

interface Props {
  title: ReactNode;
  intro?: ReactNode;
  /** Beside the title. */
  action?: ReactNode;
  /** Fills the space beside the column on wide screens, and follows it on others. */
  aside: ReactNode;
  children?: ReactNode;
}

/** A page with one column of text, rows or fields. */
export const ColumnPage = ({ title, intro, action, aside, children }: Props) => (
  <div className="page with-aside">
    <div className="grid min-w-0 content-start gap-5">
      <header className="grid gap-2">
        {/* A button is taller than the title, and must not move it. */}
        <div className="flex flex-wrap items-center justify-between gap-4 [&>:not(h1)]:-my-2">
          <h1 className="text-xl font-bold wrap-break-word lg:text-2xl">{title}</h1>
          {action}
        </div>
        {intro !== undefined && <p className="max-w-[60ch] text-ink-soft">{intro}</p>}
      </header>
      {children}
    </div>
    <Aside>{aside}</Aside>
  </div>
);

/** A panel with sections, each with a heading of level 2. */
export const Aside = ({ children }: { children: ReactNode }) => (
  <div className="grid min-w-0 content-start gap-6 rounded-card bg-wash p-5">{children}</div>
);

export const AsideSection = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="grid gap-2">
    <h2 className="font-bold">{title}</h2>
    {children}
  </section>
);
