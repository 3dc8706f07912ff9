import type { ReactNode } from 'react';

export function TextPage({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <article className="page grid max-w-[70ch] gap-4 text-page">
      <h1 className="text-2xl font-bold">{heading}</h1>
      {children}
    </article>
  );
}
