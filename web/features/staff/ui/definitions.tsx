import type { ReactNode } from 'react';

export const Definitions = ({ children }: { children: ReactNode }) => (
  <dl className="grid grid-cols-[8rem_minmax(0,1fr)] gap-x-6 gap-y-2">{children}</dl>
);

export function Definition({ term, children }: { term: string; children: ReactNode }) {
  const isEmpty = children === '' || children === null || children === undefined;
  return (
    <>
      <dt className="text-sm leading-6 text-ink-soft">{term}</dt>
      <dd className="min-w-0 wrap-anywhere">{isEmpty ? '–' : children}</dd>
    </>
  );
}
