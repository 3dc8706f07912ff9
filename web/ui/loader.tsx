export function Loader({ label = 'Loading...', className = '' }: { label?: string; className?: string }) {
  return (
    <div role="status" className={`grid min-h-40 place-items-center gap-3 text-ink-soft ${className}`}>
      <span className="grid justify-items-center gap-3">
        <span
          className="size-9 animate-spin rounded-full border-4 border-brand-line border-t-brand"
          aria-hidden="true"
        />
        {label}
      </span>
    </div>
  );
}
