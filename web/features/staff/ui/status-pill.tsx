import type { ReactNode } from 'react';

const tones = {
  plain: 'bg-wash text-ink-soft',
  brand: 'bg-brand text-on-fill',
  good: 'bg-success-soft text-success',
  danger: 'bg-danger-soft text-danger',
};

/** For exceptions: the usual state of a row is plain text. The colour only repeats the text. */
export const StatusPill = ({ tone = 'plain', children }: { tone?: keyof typeof tones; children: ReactNode }) => (
  <span className={`inline-block rounded-full px-2.5 py-0.5 text-xs font-semibold whitespace-nowrap ${tones[tone]}`}>
    {children}
  </span>
);
