import { formatCount } from '#contract/counts.ts';

export const Numbers = ({ of }: { of: readonly { label: string; count: number; hint?: string }[] }) => (
  <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-card border border-line bg-line lg:grid-cols-4">
    {of.map(({ label, count, hint }) => (
      <div key={label} className="flex flex-col bg-raised p-4">
        <dt className="order-2 text-sm font-semibold">{label}</dt>
        <dd className="order-1 text-2xl font-bold nums">{formatCount(count)}</dd>
        {hint !== undefined && <dd className="order-3 text-xs text-ink-soft">{hint}</dd>}
      </div>
    ))}
  </dl>
);
