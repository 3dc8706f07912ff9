import { useId } from 'react';

export function Progress({ label, percent }: { label: string; percent: number }) {
  const id = useId();
  const value = Math.min(100, Math.floor(percent));
  return (
    <div className="grid max-w-xl gap-1.5">
      <p className="flex justify-between gap-4 text-sm">
        <span id={id} role="status" className="font-semibold">
          {label}
        </span>
        <span className="nums text-ink-soft">{value} %</span>
      </p>
      <progress aria-labelledby={id} className="h-2 w-full accent-brand" max={100} value={value} />
    </div>
  );
}
