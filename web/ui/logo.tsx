export function Mark({ className = 'size-9' }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" className={`shrink-0 ${className}`} aria-hidden="true">
      <rect width="32" height="32" rx="7" className="logo" />
      <path d="M16 7 4.5 12.5 16 18l11.5-5.5z" fill="#fff" />
      <path d="M9.5 16.5v4.8c0 1.7 2.9 3.2 6.5 3.2s6.5-1.5 6.5-3.2v-4.8L16 19.6z" fill="#fff" opacity=".85" />
      <path d="M26 13.5v7" stroke="#f5d27a" strokeWidth="1.8" strokeLinecap="round" />
    </svg>
  );
}
