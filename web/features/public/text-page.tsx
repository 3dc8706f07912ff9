import type { ReactNode } from 'react';

/** A page of reading text: lines of at most 66 characters. */
export function TextPage({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <article className="mx-auto grid max-w-[66ch] gap-4 px-4 py-8 lg:py-12 [&_h2]:mt-4 [&_h2]:text-lg [&_h2]:font-bold [&_li]:ml-5 [&_li]:list-disc">
      <h1 className="text-2xl font-bold">{heading}</h1>
      {children}
    </article>
  );
}
